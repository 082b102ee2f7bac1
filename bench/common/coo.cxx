/*
   Coordinate lists from the problem's CSR arrays. Block orders need dense, aligned blocks, as general hepta has.
*/
#include "coo.hpp"
#include "random.hpp"

namespace bench
{

PetscErrorCode order_parse(const std::string &text, Order *order)
{
  PetscFunctionBeginUser;
  if (text == "csr") *order = Order::csr;
  else if (text == "block") *order = Order::block;
  else if (text == "blockcol") *order = Order::blockcol;
  else if (text == "shuffled") *order = Order::shuffled;
  else if (text == "duplicates") *order = Order::duplicates;
  else SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-order %s is unknown; expected a list of csr, block, blockcol, shuffled, duplicates", text.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void allocate(Coo *coo, PetscCount n)
{
  coo->n = n;
  coo->i.reset(new PetscInt[n]);
  coo->j.reset(new PetscInt[n]);
  coo->v.reset(new PetscScalar[n]);
}

static PetscErrorCode check_dense_blocks(const Problem &p)
{
  const PetscInt b = p.block;

  PetscFunctionBeginUser;
  PetscCheck(p.rows % b == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "block orders need a number of rows that the block size divides; use -order csr or shuffled");
  for (PetscInt row = 0; row < p.rows; row++) {
    const PetscInt first = row - row % b, length = p.i[row + 1] - p.i[row];
    bool           dense = length == p.i[first + 1] - p.i[first] && length % b == 0;

    for (PetscInt k = 0; dense && k < length; k++) dense = p.j[p.i[row] + k] % b == k % b && p.j[p.i[row] + k] == p.j[p.i[first] + k];
    PetscCheck(dense, PETSC_COMM_SELF, PETSC_ERR_SUP, "row %" PetscInt_FMT " has no dense blocks of size %" PetscInt_FMT "; use -order csr or shuffled", row,
               b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Appends block number `block` of a block row, each value times `weight`
static void append_block(const Problem &p, PetscInt cell, PetscInt block, bool column_major, PetscScalar weight, Coo *coo, PetscCount *at)
{
  const PetscInt b = p.block;

  for (PetscInt outer = 0; outer < b; outer++) {
    for (PetscInt inner = 0; inner < b; inner++, (*at)++) {
      const PetscInt row = cell * b + (column_major ? inner : outer), k = p.i[row] + block * b + (column_major ? outer : inner);

      coo->i[*at] = p.row_start + row;
      coo->j[*at] = p.j[k];
      coo->v[*at] = weight * p.a[k];
    }
  }
}

static void fill_csr(const Problem &p, Coo *coo)
{
  allocate(coo, p.nnz);
  for (PetscInt row = 0; row < p.rows; row++) {
    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      coo->i[k] = p.row_start + row;
      coo->j[k] = p.j[k];
      coo->v[k] = p.a[k];
    }
  }
}

// A Feistel network is a bijection of [0, 4^half_bits); values past n are sent through again until they fall inside
static std::uint64_t shuffled_place(std::uint64_t k, std::uint64_t n, int half_bits)
{
  const std::uint64_t mask = (std::uint64_t(1) << half_bits) - 1;

  do {
    std::uint64_t left = k >> half_bits, right = k & mask;

    for (std::uint64_t round = 0; round < 3; round++) {
      const std::uint64_t next = left ^ (mix(round, right) & mask);

      left  = right;
      right = next;
    }
    k = (left << half_bits) | right;
  } while (k >= n);
  return k;
}

static void fill_shuffled(const Problem &p, Coo *coo)
{
  const auto n         = static_cast<std::uint64_t>(p.nnz);
  int        half_bits = 1;

  while ((std::uint64_t(1) << (2 * half_bits)) < n) half_bits++;
  allocate(coo, p.nnz);
  for (PetscInt row = 0; row < p.rows; row++) {
    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      const auto at = static_cast<size_t>(shuffled_place(static_cast<std::uint64_t>(k), n, half_bits));

      coo->i[at] = p.row_start + row;
      coo->j[at] = p.j[k];
      coo->v[at] = p.a[k];
    }
  }
}

static void fill_blocks(const Problem &p, bool column_major, Coo *coo)
{
  PetscCount at = 0;

  allocate(coo, p.nnz);
  for (PetscInt cell = 0; cell < p.rows / p.block; cell++) {
    const PetscInt blocks = (p.i[cell * p.block + 1] - p.i[cell * p.block]) / p.block;

    for (PetscInt r = 0; r < blocks; r++) append_block(p, cell, r, column_major, 1, coo, &at);
  }
}

static void fill_duplicates(const Problem &p, Coo *coo)
{
  const PetscInt b = p.block, start = p.row_start / b;
  PetscCount     n = p.nnz, at = 0;

  const auto diagonal_block = [&](PetscInt cell, PetscInt blocks) {
    for (PetscInt r = 0; r < blocks; r++) {
      if (p.j[p.i[cell * b] + r * b] / b == start + cell) return r;
    }
    return PetscInt(-1);
  };
  const auto block_count = [&](PetscInt cell) { return (p.i[cell * b + 1] - p.i[cell * b]) / b; };

  for (PetscInt cell = 0; cell < p.rows / b; cell++) {
    if (diagonal_block(cell, block_count(cell)) >= 0) n += static_cast<PetscCount>(block_count(cell) - 1) * b * b;
  }
  allocate(coo, n);
  for (PetscInt cell = 0; cell < p.rows / b; cell++) {
    const PetscInt    blocks = block_count(cell), diagonal = diagonal_block(cell, blocks);
    const PetscScalar share = PetscScalar(1) / static_cast<PetscScalar>(PetscMax(blocks, 1));

    for (PetscInt r = 0; r < blocks; r++) {
      if (r != diagonal) append_block(p, cell, r, false, 1, coo, &at);
      if (diagonal >= 0) append_block(p, cell, diagonal, false, share, coo, &at);
    }
  }
}

PetscErrorCode coo_make(const Problem &p, Order order, Coo *coo)
{
  PetscFunctionBeginUser;
  if (order != Order::csr && order != Order::shuffled) PetscCall(check_dense_blocks(p));
  switch (order) {
  case Order::csr:
    fill_csr(p, coo);
    break;
  case Order::shuffled:
    fill_shuffled(p, coo);
    break;
  case Order::block:
  case Order::blockcol:
    fill_blocks(p, order == Order::blockcol, coo);
    break;
  case Order::duplicates:
    fill_duplicates(p, coo);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

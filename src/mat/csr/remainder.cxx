/*
   The index arrays of a remainder on host and device, and the products around csr_row().
*/
#include "remainder.hpp"
#include "../../device/on_stream.hpp"
#include "../../device/handoff_word.hpp"
#include "../../metrics/metrics.hpp"
#include "ranges.hpp"
#include "remainder_share.hpp"
#include "whole_blocks.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../device/processors.hpp"
#endif
#include <algorithm>

namespace heptane
{

static bool any_long_row(const int begins[], std::size_t rows)
{
  for (std::size_t k = 0; k < rows; k++)
    if (begins[k + 1] - begins[k] > csr_long) return true;
  return false;
}

PetscErrorCode Remainder::Reset(const std::vector<int> &rows, const std::vector<int> &begins, const std::vector<int> &columns, int n)
{
  PetscFunctionBegin;
  row       = &rows;
  ptr       = &begins;
  col       = &columns;
  cols      = n;
  by_row    = IndexArrays();
  by_column = IndexArrays();
  mask.Free();
  base.Free();
  handoff.Free();
  searched_block = found_block = 1;
  by_row.row.Refer(rows);
  by_row.ptr.Refer(begins);
  by_row.col.Refer(columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If a row is long, or for all rows */
PetscErrorCode Remainder::MakePieces(bool all, IndexArrays *a)
{
  const std::size_t rows   = a->row.Size();
  const int        *begins = a->ptr.At(Where::host);
  std::vector<int>  piece, first, owner;
  unsigned         *ready;

  PetscFunctionBegin;
  if (a->first.ValidAt(Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  a->any_long = any_long_row(begins, rows);
  if (!a->any_long && !all) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k < rows; k++) {
    first.push_back((int)piece.size());
    for (int p = begins[k]; p < begins[k + 1]; p += csr_piece) {
      piece.push_back(p);
      owner.push_back((int)k);
    }
  }
  first.push_back((int)piece.size());
  piece.push_back(begins[rows]);
  a->sums.Resize(owner.size());
  a->ready.Resize(rows);
  PetscCall(a->piece_ptr.Assign(Where::device, piece));
  PetscCall(a->owner.Assign(Where::device, owner));
  PetscCall(a->sums.Make(Where::device));
  PetscCall(a->ready.Zeros(Where::device, &ready));
  PetscCall(a->first.Assign(Where::device, first)); /* set last: after an error it is still unset */
  PetscFunctionReturn(PETSC_SUCCESS);
}

CsrPieces Remainder::PiecesOf(const CsrRows &R, const IndexArrays &a) const
{
  CsrPieces P;

  P.list       = R;
  P.list.count = (int)a.owner.Size();
  P.list.ptr   = a.piece_ptr.At(Where::device);
  P.first      = a.first.At(Where::device);
  P.owner      = a.owner.At(Where::device);
  P.sums       = a.sums.At(Where::device);
  P.ready      = a.ready.At(Where::device);
  return P;
}

/* Device arrays are made at first use; pieces: also the pieces if a row is long, which products of a whole matrix do
   not need */
PetscErrorCode Remainder::Arrays(Where where, const Scalar *values, bool pieces, IndexArrays *a, CsrRows *R)
{
  PetscFunctionBegin;
  *R        = CsrRows();
  R->values = values;
  R->count  = (int)a->row.Size();
  if (!R->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(a->ptr.Read(where, &R->ptr));
  PetscCall(a->col.Read(where, &R->col));
  if (a->perm.Size()) PetscCall(a->perm.Read(where, &R->perm));
  PetscCall(a->row.Read(where, &R->row));
  if (where == Where::device && pieces && !a->pieces_known) PetscCall(MakePieces(false, a));
  if (where == Where::device && pieces) a->pieces_known = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Pieces(const Scalar *values, bool all, CsrPieces *P)
{
  CsrRows R = {};

  PetscFunctionBegin;
  *P = CsrPieces();
  PetscCall(Rows(Where::device, values, &R));
  if (R.count && all) PetscCall(MakePieces(true, &by_row));
  if (R.count && (all || by_row.any_long)) *P = PiecesOf(R, by_row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Rows(Where where, const Scalar *values, CsrRows *R)
{
  PetscFunctionBegin;
  PetscCall(Arrays(where, values, true, &by_row, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::ByRow(Where where, const Scalar *values, int rows, RemainderRows *R, int block)
{
  CsrRows list = {};

  PetscFunctionBegin;
  *R = RemainderRows();
  if (row->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (!mask.Size()) {
    const std::size_t          words = (rows + 31) / 32;
    std::vector<std::uint32_t> bits(words, 0);
    std::vector<int>           before(words);
    int                        below = 0;

    for (int r : *row) bits[r / 32] |= std::uint32_t(1) << r % 32;
    for (std::size_t w = 0; w < words; w++) {
      before[w] = below;
      below += count_bits(bits[w]);
    }
    longest = 0;
    for (std::size_t k = 0; k < row->size(); k++) longest = std::max(longest, (*ptr)[k + 1] - (*ptr)[k]);
    base.Take(std::move(before));
    mask.Take(std::move(bits));
  }
  if (searched_block != block) {
    searched_block = block;
    found_block    = in_whole_blocks(*row, *ptr, *col, block, [block](int c) { return c % block; }) ? block : 1;
  }
  PetscCall(Rows(where, values, &list));
  PetscCall(mask.Read(where, &R->mask));
  PetscCall(base.Read(where, &R->base));
  R->ptr     = list.ptr;
  R->col     = list.col;
  R->values  = list.values;
  R->longest = longest;
  R->block   = found_block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Sums(RemainderRows *R)
{
  const std::size_t rows  = row->size();
  const int         lanes = remainder_sum_lanes(rows, col->size());

  PetscFunctionBegin;
  R->sums = RemainderSums();
  if (!remainder_is_shared(*R) || !remainder_sums_pay(rows, lanes)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!handoff.ValidAt(Where::device)) PetscCall(handoff.Assign(Where::device, std::vector<std::uint64_t>(rows, handoff_empty)));
  R->sums = {handoff.At(Where::device), (int)rows, lanes};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By columns: with the rows' values, so that there is nothing to update when these change */
PetscErrorCode Remainder::Columns(Where where, const Scalar *values, CsrRows *R)
{
  PetscFunctionBegin;
  if (!by_column.ptr.Size()) {
    const std::size_t n = col->size();
    std::vector<int>  count(cols + 1, 0), tr_row, tr_ptr, tr_col(n), tr_perm(n);

    for (int c : *col) count[c + 1]++;
    for (int c = 0; c < cols; c++) {
      if (count[c + 1]) {
        tr_row.push_back(c);
        tr_ptr.push_back(count[c]);
      }
      count[c + 1] += count[c];
    }
    tr_ptr.push_back((int)n);
    for (std::size_t k = 0; k < row->size(); k++) {
      for (int p = (*ptr)[k]; p < (*ptr)[k + 1]; p++) {
        const int q = count[(*col)[p]]++;
        tr_col[q]   = (*row)[k];
        tr_perm[q]  = p;
      }
    }
    by_column.row.Take(std::move(tr_row));
    by_column.col.Take(std::move(tr_col));
    by_column.perm.Take(std::move(tr_perm));
    by_column.ptr.Take(std::move(tr_ptr));
  }
  PetscCall(Arrays(where, values, true, &by_column, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Add(Where where, const CsrRows &R, const IndexArrays &a, const Scalar *x, Scalar *z)
{
  PetscFunctionBegin;
  if (where == Where::host) csr_rows_add_host(R, x, z);
  else {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"remainder added", (sizeof(Scalar) + (R.perm ? 8. : 4.)) * col->size() + (8. + 2. * sizeof(Scalar)) * R.count};
    });
    PetscCall(LaunchOnStream([&](auto stream) {
      return a.any_long ? launch_csr_pieces_add(R, PiecesOf(R, a), x, z, stream) : launch_csr_rows_add(R, (int)col->size(), x, z, stream);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultAdd(Where where, const Scalar *values, const Scalar *x, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  PetscCall(Rows(where, values, &R));
  if (R.count) PetscCall(Add(where, R, by_row, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultTransposeAdd(Where where, const Scalar *values, const Scalar *x, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  if (row->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Columns(where, values, &R));
  PetscCall(Add(where, R, by_column, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MakeWhole(IndexArrays *a)
{
  WholeArrays *whole = &a->whole;

  PetscFunctionBegin;
  if (whole->group.ValidAt(Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  const int             *rows = a->row.At(Where::host), *begins = a->ptr.At(Where::host);
  const CsrCuts          c     = csr_cuts(std::vector<int>(rows, rows + a->row.Size()), std::vector<int>(begins, begins + a->ptr.Size()));
  const std::vector<int> group = csr_groups(c.ptr);

  whole->uneven = !c.long_row.empty() || csr_groups_uneven(c.ptr, group);
  if (!c.long_row.empty()) { /* else the list's own rows and beginnings do */
    unsigned *ready;
    PetscCall(whole->row.Assign(Where::device, c.row));
    PetscCall(whole->ptr.Assign(Where::device, c.ptr));
    PetscCall(whole->long_row.Assign(Where::device, c.long_row));
    PetscCall(whole->first.Assign(Where::device, c.first));
    PetscCall(whole->owner.Assign(Where::device, c.owner));
    whole->sums.Resize(c.owner.size());
    PetscCall(whole->sums.Make(Where::device));
    whole->ready.Resize(c.long_row.size());
    PetscCall(whole->ready.Zeros(Where::device, &ready));
  }
  std::vector<CsrGroup> list(group.size());
  for (std::size_t g = 0; g < group.size(); g++) list[g] = {group[g], c.ptr[(std::size_t)group[g]]};
#if PetscDefined(HAVE_CUDA)
  int n;
  PetscCallCUDA(processors(&n));
  if (csr_ranges_pay(group, c.ptr, a->col.At(Where::host), n)) {
    unsigned *taken;
    whole->taken.Resize((std::size_t)n + 1);
    PetscCall(whole->taken.Zeros(Where::device, &taken));
  }
#endif
  PetscCall(whole->group.Assign(Where::device, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A x (+ y) if the list R holds all entries of a matrix with `rows` rows */
PetscErrorCode Remainder::MultWhole(const CsrRows &R, IndexArrays *a, int rows, const Scalar *x, const Scalar *y, Scalar *z)
{
  PetscFunctionBegin;
  const bool add = y || R.count < rows; /* rows without entries are not in the list */
  if (add) PetscCall(StartWith(Where::device, y, z, (std::size_t)rows));
  if (!R.count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeWhole(a));
#if PetscDefined(HAVE_CUDA)
  WholeArrays *whole = &a->whole;
  CsrRows      all   = R;
  CsrPieces    cuts  = {};
  cudaStream_t stream;

  if (whole->sums.Size()) {
    all.count       = (int)whole->row.Size();
    all.row         = whole->row.At(Where::device);
    all.ptr         = whole->ptr.At(Where::device);
    cuts.list.row   = whole->long_row.At(Where::device);
    cuts.first      = whole->first.At(Where::device);
    cuts.owner      = whole->owner.At(Where::device);
    cuts.sums       = whole->sums.At(Where::device);
    cuts.ready      = whole->ready.At(Where::device);
    cuts.list.count = (int)whole->sums.Size();
  }
  const CsrGroupList groups = {whole->group.At(Where::device), (int)whole->group.Size() - 1, whole->uneven};
  const CsrRanges    ranges = {whole->taken.At(Where::device), (int)whole->taken.Size() - 1};
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(launch_csr_groups(all, groups, cuts, ranges, add, x, z, stream));
#else
  (void)x;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultAll(const Scalar *values, int rows, const Scalar *x, const Scalar *y, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  PetscCall(Arrays(Where::device, values, false, &by_row, &R));
  PetscCall(MultWhole(R, &by_row, rows, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R reads values in the order of its entries, if this is not the first product with them */
PetscErrorCode Remainder::InOrder(std::uint64_t version, IndexArrays *a, CsrRows *R)
{
  const Stamp now = Stamp::Of(version, R->values);

  PetscFunctionBegin;
  if (!R->perm || a->last_for != now) {
    a->last_for = now;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (a->ordered_for != now) {
    a->ordered_for.Clear(); /* in case of an error below */
    a->ordered.Resize(a->perm.Size());
    PetscCall(a->ordered.Make(Where::device));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values ordered by columns", (2. * sizeof(Scalar) + 4) * a->perm.Size()}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_csr_order(R->values, R->perm, a->perm.Size(), a->ordered.At(Where::device), stream); }));
    a->ordered_for = now;
  }
  R->values = a->ordered.At(Where::device);
  R->perm   = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultTransposeAll(const Scalar *values, std::uint64_t version, const Scalar *x, const Scalar *y, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  PetscCall(Columns(Where::device, values, &R));
  PetscCall(InOrder(version, &by_column, &R));
  PetscCall(MultWhole(R, &by_column, cols, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Remainder::ResetColumns(CsrColumns &&columns)
{
  cols      = columns.cols;
  by_column = IndexArrays();
  by_column.row.Take(std::move(columns.row));
  by_column.ptr.Take(std::move(columns.ptr));
  by_column.col.Take(std::move(columns.col));
  by_column.perm.Take(std::move(columns.perm));
}

PetscErrorCode StartWith(Where where, const Scalar *y, Scalar *z, std::size_t n)
{
  PetscFunctionBegin;
  if (y == z || !n) PetscFunctionReturn(PETSC_SUCCESS);
  if (where == Where::host) {
    if (y) PetscCall(PetscArraycpy(z, y, n));
    else PetscCall(PetscArrayzero(z, n));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (y) PetscCallCUDA(cudaMemcpyAsync(z, y, n * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
    else PetscCallCUDA(cudaMemsetAsync(z, 0, n * sizeof(Scalar), stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

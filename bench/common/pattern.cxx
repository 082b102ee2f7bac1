/*
   The matrices of the suite `matrices`: stencils, elasticity, banded, random, a power law of row lengths, a reservoir grid whose active cells
   alone are numbered. A cell's neighbours are found from its number, so that every rank makes its own rows.
*/
#include "problem.hpp"
#include "random.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench
{

namespace
{

// Block columns of one cell, ascending
using Columns = std::vector<PetscInt>;

// Cells within one step of cell (x,y,z), in `steps` directions at most
void stencil(PetscInt nx, PetscInt ny, PetscInt nz, int steps, PetscInt cell, Columns &columns)
{
  const PetscInt x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;

  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const PetscInt i = x + dx, j = y + dy, k = z + dz;

        if (std::abs(dx) + std::abs(dy) + std::abs(dz) > steps || i < 0 || i >= nx || j < 0 || j >= ny || k < 0 || k >= nz) continue;
        columns.push_back((k * ny + j) * nx + i);
      }
}

// `count` columns drawn from [first, first + range) inside [0, n), and the diagonal
void drawn(PetscInt seed, PetscInt n, PetscInt row, size_t count, PetscInt64 first, PetscInt64 range, Columns &columns)
{
  std::uint64_t draw = static_cast<std::uint64_t>(row) << 20;

  columns.push_back(row);
  while (columns.size() < count) {
    const PetscInt64 c = first + static_cast<PetscInt64>(mix(seed + 3, draw++) % static_cast<std::uint64_t>(range));
    if (c >= 0 && c < n && std::find(columns.begin(), columns.end(), static_cast<PetscInt>(c)) == columns.end()) columns.push_back(static_cast<PetscInt>(c));
  }
  std::sort(columns.begin(), columns.end());
}

// Row lengths by a power law with exponent 2.5, columns by a skewed law, scattered; and the diagonal
void power_law(PetscInt seed, PetscInt n, PetscInt row, Columns &columns)
{
  const double  u     = 0.5 + 0.5 * uniform(seed + 5, row);
  const auto    count = static_cast<int>(std::min({60000.0, n / 8.0 + 1, 3.45 * std::pow(std::max(u, 1e-12), -1 / 1.5)}));
  std::uint64_t draw  = static_cast<std::uint64_t>(row) << 20;

  for (int k = 0; k < count; k++) {
    const double w = 0.5 + 0.5 * uniform(seed + 7, draw++);
    columns.push_back(static_cast<PetscInt>(static_cast<std::uint64_t>(n * w * w * w) * 1000003ULL % static_cast<std::uint64_t>(n)));
  }
  columns.push_back(row);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

// About half of the cells of an n x n x 0.3 n grid in lenses, as those of a field that hold something
bool active(PetscInt n, PetscInt nz, PetscInt cell)
{
  const double x = static_cast<double>(cell % n) / n, y = static_cast<double>(cell / n % n) / n, z = static_cast<double>(cell / n / n) / nz;

  return std::sin(9 * x + 4 * z) + std::sin(11 * y - 3 * z) + 0.5 * std::sin(23 * (x + y)) + 0.4 * uniform(11, cell) > 0;
}

// The cells of the largest connected part, ascending: others would be systems of their own
std::vector<PetscInt> connected(PetscInt n, PetscInt nz)
{
  std::vector<char>     left(static_cast<size_t>(n) * n * nz);
  std::vector<PetscInt> part, largest;
  Columns               near;

  for (size_t c = 0; c < left.size(); c++) left[c] = active(n, nz, static_cast<PetscInt>(c));
  for (size_t c = 0; c < left.size(); c++) {
    if (!left[c]) continue;
    part.assign(1, static_cast<PetscInt>(c));
    left[c] = 0;
    for (size_t k = 0; k < part.size(); k++) {
      near.clear();
      stencil(n, n, nz, 1, part[k], near);
      for (PetscInt d : near) {
        if (left[d]) part.push_back(d);
        left[d] = 0;
      }
    }
    if (part.size() > largest.size()) largest.swap(part);
  }
  std::sort(largest.begin(), largest.end());
  return largest;
}

} // namespace

PetscErrorCode patterns_parse(const char *text, std::vector<Pattern> *patterns)
{
  static const char *const names[] = {"laplace5", "laplace7", "laplace27", "elasticity", "banded", "random", "powerlaw", "active"};

  PetscFunctionBeginUser;
  patterns->clear();
  for (const char *s = text; *s;) {
    char      name[16];
    long long n = 0, b = 0;
    int       used = 0, more = 0;
    bool      known = false;

    if (sscanf(s, "%15[a-z0-9]:%lld%n:%lld%n", name, &n, &used, &b, &more) < 2) used = 0;
    used = std::max(used, more);
    for (const char *k : names) known = known || (used && std::string(k) == name);
    PetscCheck(
      known && (s[used] == ',' || !s[used]) && n > 1 && b >= 0 && b <= 64 && (!more || std::string(name) == "active"), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "-matrices: cannot read \"%s\"; expected NAME:n,... (active also NAME:n:b) with names laplace5, laplace7, laplace27, elasticity, banded, random, powerlaw, active",
      s);
    Pattern q;
    q.name = name;
    PetscCall(PetscIntCast(n, &q.n));
    PetscCall(PetscIntCast(q.name == "elasticity" ? 3 : std::max(b, 1LL), &q.b));
    patterns->push_back(q);
    s += used;
    if (*s == ',') s++;
  }
  PetscCheck(!patterns->empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-matrices is empty; expected NAME:n,... such as laplace7:160,banded:2000000");
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

// Who is whose neighbour in the cells of one matrix
struct Cells {
  const Pattern        &q;
  PetscInt              seed, nz, count;
  std::vector<PetscInt> number, cell_at; // active: number of each cell or -1, and back

  Cells(const Pattern &pattern, PetscInt s) : q(pattern), seed(s), nz(std::max<PetscInt>(pattern.n * 3 / 10, 1)), count(pattern.n) {}
  PetscErrorCode make();
  void           neighbours(PetscInt cell, Columns &columns) const;
};

PetscErrorCode Cells::make()
{
  const PetscInt n = q.n;

  PetscFunctionBeginUser;
  if (q.name == "laplace5") PetscCall(PetscIntCast(static_cast<PetscInt64>(n) * n, &count));
  if (q.name == "laplace7" || q.name == "laplace27" || q.name == "elasticity") PetscCall(PetscIntCast(static_cast<PetscInt64>(n) * n * n, &count));
  if (q.name == "active") {
    number.assign(static_cast<size_t>(n) * n * nz, -1);
    cell_at = connected(n, nz);
    for (size_t k = 0; k < cell_at.size(); k++) number[cell_at[k]] = static_cast<PetscInt>(k);
    count = static_cast<PetscInt>(cell_at.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Cells::neighbours(PetscInt cell, Columns &columns) const
{
  const PetscInt n = q.n;

  columns.clear();
  if (q.name == "laplace5") stencil(n, n, 1, 1, cell, columns);
  else if (q.name == "laplace7") stencil(n, n, n, 1, cell, columns);
  else if (q.name == "laplace27" || q.name == "elasticity") stencil(n, n, n, 3, cell, columns);
  else if (q.name == "banded") drawn(seed, n, cell, std::min<size_t>(8 + mix(seed, cell) % 17, n), static_cast<PetscInt64>(cell) - 5000, 10001, columns);
  else if (q.name == "random") drawn(seed, n, cell, std::min<size_t>(16, n), 0, n, columns);
  else if (q.name == "powerlaw") power_law(seed, n, cell, columns);
  else {
    stencil(n, n, nz, 1, cell_at[cell], columns);
    for (PetscInt &c : columns) c = number[c];
    columns.erase(std::remove(columns.begin(), columns.end(), -1), columns.end());
  }
}

// Columns and values of the rows of p, whose sizes are set; the first of its cells is `first`
PetscErrorCode fill(const Cells &cells, PetscInt first, Values values, Problem *p)
{
  const PetscInt b = p->block, my_cells = p->rows / b;
  PetscInt64     nnz = 0;
  Columns        columns;

  PetscFunctionBeginUser;
  p->i.reset(new PetscInt[p->rows + 1]);
  p->i[0] = 0;
  for (PetscInt c = 0; c < my_cells; c++) {
    cells.neighbours(first + c, columns);
    for (PetscInt s = 0; s < b; s++) {
      nnz += static_cast<PetscInt64>(columns.size()) * b;
      PetscCall(PetscIntCast(nnz, &p->i[c * b + s + 1]));
    }
  }
  p->nnz = p->i[p->rows];
  p->j.reset(new PetscInt[p->nnz]);
  p->a.reset(new PetscScalar[p->nnz]);
  for (PetscInt c = 0; c < my_cells; c++) {
    cells.neighbours(first + c, columns);
    for (PetscInt s = 0; s < b; s++) {
      const PetscInt row = p->row_start + c * b + s;
      PetscInt       k = p->i[c * b + s], diagonal = -1;
      double         sum = 0;

      for (PetscInt column : columns)
        for (PetscInt t = 0; t < b; t++, k++) {
          p->j[k] = column * b + t;
          p->a[k] = problem_value(values, cells.seed, row, p->j[k], (static_cast<std::uint64_t>(row) << 32) + static_cast<std::uint64_t>(p->j[k]));
          if (p->j[k] == row) diagonal = k;
          if (p->j[k] != row || values == Values::general) sum += std::abs(p->a[k]);
        }
      if (diagonal >= 0) p->a[diagonal] = problem_diagonal(values, sum);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode problem_pattern(MPI_Comm comm, const Pattern &q, Values values, PetscInt seed, Problem *p)
{
  Cells      cells(q, seed);
  PetscInt   my_cells = PETSC_DECIDE, end;
  PetscInt64 nnz, total;
  char       shape[64];

  PetscFunctionBeginUser;
  PetscCall(cells.make());
  PetscCall(PetscSplitOwnership(comm, &my_cells, &cells.count));
  PetscCallMPI(MPI_Scan(&my_cells, &end, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscSNPrintf(shape, sizeof(shape), "%" PetscInt_FMT ":%" PetscInt_FMT, q.n, q.b));
  PetscCall(PetscIntCast(static_cast<PetscInt64>(cells.count) * q.b, &p->global_rows));
  p->name        = q.name;
  p->shape       = shape;
  p->block       = q.b;
  p->global_cols = p->global_rows;
  p->rows = p->cols = my_cells * q.b;
  p->row_start      = (end - my_cells) * q.b;
  PetscCall(fill(cells, end - my_cells, values, p));
  nnz = p->nnz;
  PetscCallMPI(MPI_Allreduce(&nnz, &total, 1, MPIU_INT64, MPI_SUM, comm));
  p->global_nnz = total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

/*
   The command line's list of problems, the general hepta generator, and loading of PETSc binary matrices.
*/
#include "problem.hpp"
#include "random.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace bench
{

PetscErrorCode grids_parse(const char *text, std::vector<Grid> *grids)
{
  PetscFunctionBeginUser;
  grids->clear();
  for (const char *s = text; *s;) {
    long long J, H, I, b, wells = 0;
    int       used = 0, more = 0, wrap = 0;

    const bool sizes = sscanf(s, "%lldx%lldx%lld:%lld%n", &J, &H, &I, &b, &used) == 4;
    if (sizes && sscanf(s + used, "+%lldw%n", &wells, &more) == 1 && more) used += more;
    if (sizes) sscanf(s + used, "+wrap%n", &wrap);
    used += wrap;
    PetscCheck(sizes && (s[used] == ',' || !s[used]), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-cases: cannot read \"%s\"; expected JxHxI:b[+Nw][+wrap][,JxHxI:b...], for example 128x128x128:1,64x64x64:8,100x100x100:1+2w (with two wells)",
               s);
    PetscCheck(
      J > 0 && H > 0 && I > 0 && b > 0 && b <= 64 && 1. * J * H * I * b <= PETSC_INT_MAX && wells >= 0 && wells <= J * H && !(wells && wrap), PETSC_COMM_WORLD,
      PETSC_ERR_USER_INPUT,
      "-cases: \"%s\": sizes must be positive, the block size at most 64, rows as many as PetscInt counts, wells at most the columns of cells and not with wrap",
      s);
    Grid g{};
    PetscCall(PetscIntCast(J, &g.J));
    PetscCall(PetscIntCast(H, &g.H));
    PetscCall(PetscIntCast(I, &g.I));
    PetscCall(PetscIntCast(b, &g.b));
    PetscCall(PetscIntCast(wells, &g.wells));
    g.wrap = wrap > 0;
    grids->push_back(g);
    s += used;
    if (*s == ',') s++;
  }
  PetscCheck(!grids->empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-cases is empty; expected JxHxI:b[,JxHxI:b...]");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode values_parse(const std::string &text, Values *values)
{
  PetscFunctionBeginUser;
  PetscCheck(text == "general" || text == "flow" || text == "spd", PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-values %s is unknown; expected general, flow or spd", text.c_str());
  *values = text == "general" ? Values::general : (text == "flow" ? Values::flow : Values::spd);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode problems_from_options(const char *gh_suite, const char *matrices_suite, ProblemList *list)
{
  char      text[4096] = "", patterns[4096] = "", suite[64] = "", values[16] = "", file[PETSC_MAX_PATH_LEN] = "", name[256] = "";
  PetscBool has_cases, has_patterns, has_suite, has_values, has_file, has_name, gh, matrices;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-cases", text, sizeof(text), &has_cases));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-matrices", patterns, sizeof(patterns), &has_patterns));
  has_suite = PETSC_FALSE;
  if (gh_suite) PetscCall(PetscOptionsGetString(nullptr, nullptr, "-suite", suite, sizeof(suite), &has_suite));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-file", file, sizeof(file), &has_file));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-file_name", name, sizeof(name), &has_name));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-file_block_size", &list->file_block, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-file_rhs", &list->file_rhs, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &list->seed, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-values", values, sizeof(values), &has_values));
  if (has_values) PetscCall(values_parse(values, &list->values));
  PetscCheck(has_cases + has_patterns + has_suite + has_file <= 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "give only one of -cases, -matrices, -suite and -file");
  PetscCall(PetscStrInList(suite, "gh,issue", ',', &gh));
  PetscCall(PetscStrcmp(suite, "matrices", &matrices));
  matrices = (PetscBool)(matrices && matrices_suite);
  PetscCheck(!has_suite || gh || matrices, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-suite %s is unknown; the suites are: gh%s", suite,
             matrices_suite ? ", matrices, thesis-gh, thesis-widths, thesis-scaling, thesis-laplace" : "");
  if (has_file) {
    const char *slash = strrchr(file, '/');

    list->file      = file;
    list->file_name = has_name ? name : (slash ? slash + 1 : file);
  } else if (has_patterns || matrices) {
    list->grids.clear();
    PetscCall(patterns_parse(matrices ? matrices_suite : patterns, &list->patterns));
  } else if (has_cases || has_suite || gh_suite) {
    PetscCall(grids_parse(has_cases ? text : (has_suite ? gh_suite : "32x32x32:1,24x24x24:3"), &list->grids));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

ProblemList problem_alone(const ProblemList &list, size_t index)
{
  ProblemList one = list;

  if (!list.file.empty()) return one;
  one.grids.clear();
  one.patterns.clear();
  if (index < list.grids.size()) one.grids = {list.grids[index]};
  else one.patterns = {list.patterns[index - list.grids.size()]};
  return one;
}

PetscErrorCode problem_make(MPI_Comm comm, const ProblemList &list, size_t index, Problem *p)
{
  PetscFunctionBeginUser;
  if (list.file.empty() && index < list.grids.size()) PetscCall(problem_general_hepta(comm, list.grids[index], list.values, list.seed, p));
  else if (list.file.empty()) PetscCall(problem_pattern(comm, list.patterns[index - list.grids.size()], list.values, list.seed, p));
  else PetscCall(problem_load(comm, list.file, list.file_name, list.file_block, list.file_rhs, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The columns of cells with a well, spread over the map by the golden ratio
static std::vector<bool> well_columns(const Grid &g)
{
  constexpr double  golden = 0.6180339887498949;
  std::vector<bool> well(static_cast<size_t>(g.J) * g.H, false);

  for (PetscInt w = 0; w < g.wells; w++) {
    auto column = static_cast<size_t>((w + 0.5) / g.wells * g.H) * g.J + static_cast<size_t>((w * golden - std::floor(w * golden)) * g.J);

    while (well[column]) column = (column + 1) % well.size();
    well[column] = true;
  }
  return well;
}

// Neighbours of cell (j,h,i) that exist, and those that a well couples it to, ascending; the count is returned
static int hepta_neighbours(const Grid &g, const std::vector<bool> &well, PetscInt cell, std::vector<PetscInt> &neighbour)
{
  const PetscInt line = g.J, plane = g.J * g.H;
  const PetscInt j = cell % line, h = (cell / line) % g.H, i = cell / plane;
  const bool     in_well = well[cell % plane];

  neighbour.clear();
  if (g.wrap) { // whatever lies one cell, line or plane away; lines or planes of one cell or line add nothing
    const PetscInt one = 1, none = 0, across = line > 1 ? line : none, down = plane > line ? plane : none;

    for (const PetscInt distance : {-down, -across, -one, one, across, down}) {
      if (distance == one) neighbour.push_back(cell);
      if (distance && cell + distance >= 0 && cell + distance < plane * g.I) neighbour.push_back(cell + distance);
    }
    return static_cast<int>(neighbour.size());
  }
  for (PetscInt k = in_well ? 0 : PetscMax(0, i - 1); k < i; k++) neighbour.push_back(cell + (k - i) * plane);
  if (h > 0) neighbour.push_back(cell - line);
  if (j > 0) neighbour.push_back(cell - 1);
  neighbour.push_back(cell);
  if (j < g.J - 1) neighbour.push_back(cell + 1);
  if (h < g.H - 1) neighbour.push_back(cell + line);
  for (PetscInt k = i + 1; k < (in_well ? g.I : PetscMin(g.I, i + 2)); k++) neighbour.push_back(cell + (k - i) * plane);
  return static_cast<int>(neighbour.size());
}

// What the diagonal exceeds the row's sum by, relative to it: the condition number with Jacobi is 2 / 0.004 or less
static constexpr double dominance = 0.004;

double problem_value(Values values, std::uint64_t seed, std::uint64_t row, std::uint64_t column, std::uint64_t entry)
{
  switch (values) {
  case Values::flow:
    return -0.1 - 0.9 * std::abs(uniform(seed, entry));
  case Values::spd:
    return -0.1 - 0.9 * std::abs(uniform(seed, mix(std::min(row, column), std::max(row, column))));
  default:
    return uniform(seed, entry);
  }
}

double problem_diagonal(Values values, double sum)
{
  return values == Values::general ? sum + 1 : (1 + dominance) * sum + dominance;
}

static void hepta_row(const Problem &p, Values values, PetscInt seed, PetscInt local_row, const std::vector<PetscInt> &neighbour, int count)
{
  const PetscInt row = p.row_start + local_row, b = p.block;
  PetscInt       k = p.i[local_row], diagonal = k;
  double         sum = 0;

  for (int r = 0; r < count; r++) {
    for (PetscInt s = 0; s < b; s++, k++) {
      p.j[k] = neighbour[r] * b + s;

      const double v = problem_value(values, seed, row, p.j[k], (static_cast<std::uint64_t>(row) * 7 + r) * b + s);

      p.a[k] = v;
      if (p.j[k] == row) diagonal = k;
      if (p.j[k] != row || values == Values::general) sum += std::abs(v);
    }
  }
  p.a[diagonal] = problem_diagonal(values, sum);
}

PetscErrorCode problem_general_hepta(MPI_Comm comm, const Grid &g, Values values, PetscInt seed, Problem *p)
{
  const char *const       names[] = {"gh", "gh-flow", "gh-spd"};
  PetscInt64              cells = static_cast<PetscInt64>(g.J) * g.H * g.I, total, nnz = 0;
  PetscInt                my_cells = PETSC_DECIDE, all_cells, end;
  const std::vector<bool> well     = well_columns(g);
  std::vector<PetscInt>   neighbour;
  char                    shape[96];

  PetscFunctionBeginUser;
  PetscCall(PetscIntCast(cells * g.b, &p->global_rows));
  PetscCall(PetscIntCast(cells, &all_cells));
  PetscCall(PetscSplitOwnership(comm, &my_cells, &all_cells));
  PetscCallMPI(MPI_Scan(&my_cells, &end, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscSNPrintf(shape, sizeof(shape), "%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT ":%" PetscInt_FMT, g.J, g.H, g.I, g.b));
  p->name        = names[static_cast<int>(values)];
  p->shape       = shape + (g.wells ? "+" + std::to_string(g.wells) + "w" : std::string()) + (g.wrap ? "+wrap" : "");
  p->block       = g.b;
  p->global_cols = p->global_rows;
  p->rows = p->cols = my_cells * g.b;
  p->row_start      = (end - my_cells) * g.b;
  p->i.reset(new PetscInt[p->rows + 1]);
  p->i[0] = 0;
  for (PetscInt c = 0; c < my_cells; c++) {
    const PetscInt row_nnz = hepta_neighbours(g, well, end - my_cells + c, neighbour) * g.b;

    for (PetscInt s = 0; s < g.b; s++) {
      nnz += row_nnz;
      PetscCall(PetscIntCast(nnz, &p->i[c * g.b + s + 1]));
    }
  }
  p->nnz = p->i[p->rows];
  p->j.reset(new PetscInt[p->nnz]);
  p->a.reset(new PetscScalar[p->nnz]);
  for (PetscInt c = 0; c < my_cells; c++) {
    const int count = hepta_neighbours(g, well, end - my_cells + c, neighbour);

    for (PetscInt s = 0; s < g.b; s++) hepta_row(*p, values, seed, c * g.b + s, neighbour, count);
  }
  PetscCallMPI(MPI_Allreduce(&nnz, &total, 1, MPIU_INT64, MPI_SUM, comm));
  p->global_nnz = total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_rows(Mat local, Problem *p)
{
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscScalar    *values;
  PetscBool       done;

  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "the loaded matrix does not give its rows");
  p->nnz = ia[n];
  p->i.reset(new PetscInt[n + 1]);
  p->j.reset(new PetscInt[p->nnz]);
  p->a.reset(new PetscScalar[p->nnz]);
  PetscCall(MatSeqAIJGetArray(local, &values));
  std::copy_n(ia, n + 1, p->i.get());
  std::copy_n(ja, p->nnz, p->j.get());
  std::copy_n(values, p->nnz, p->a.get());
  PetscCall(MatSeqAIJRestoreArray(local, &values));
  PetscCall(MatRestoreRowIJ(local, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode load_rhs(PetscViewer viewer, Mat A, Problem *p)
{
  Vec                b;
  PetscInt           rows;
  const PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, nullptr, &b));
  PetscCall(VecLoad(b, viewer));
  PetscCall(VecGetLocalSize(b, &rows));
  p->rhs.reset(new PetscScalar[rows]);
  PetscCall(VecGetArrayRead(b, &a));
  std::copy(a, a + rows, p->rhs.get());
  PetscCall(VecRestoreArrayRead(b, &a));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode problem_load(MPI_Comm comm, const std::string &file, const std::string &name, PetscInt block, PetscBool rhs, Problem *p)
{
  Mat         A, local;
  PetscViewer viewer;
  PetscInt    end, found;
  PetscInt64  nnz;
  PetscMPIInt ranks;
  char        shape[96];

  PetscFunctionBeginUser;
  PetscCall(PetscViewerBinaryOpen(comm, file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetType(A, MATAIJ));
  if (block > 0) PetscCall(MatSetBlockSize(A, block));
  PetscCall(MatLoad(A, viewer));
  if (rhs) PetscCall(load_rhs(viewer, A, p));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscOptionsClearValue(nullptr, "-vecload_block_size")); // of the file's .info, meant for a vector behind the matrix
  PetscCall(MatGetBlockSize(A, &found));
  PetscCall(MatGetSize(A, &p->global_rows, &p->global_cols));
  PetscCall(MatGetLocalSize(A, &p->rows, &p->cols));
  PetscCall(MatGetOwnershipRange(A, &p->row_start, &end));
  PetscCall(PetscSNPrintf(shape, sizeof(shape), "%" PetscInt_FMT "x%" PetscInt_FMT ":%" PetscInt_FMT, p->global_rows, p->global_cols, found));
  p->name  = name;
  p->shape = shape;
  p->block = found;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) {
    PetscCall(copy_rows(A, p));
  } else {
    PetscCall(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &local));
    PetscCall(copy_rows(local, p));
    PetscCall(MatDestroy(&local));
  }
  PetscCall(MatDestroy(&A));
  nnz = p->nnz;
  PetscCallMPI(MPI_Allreduce(&nnz, &p->global_nnz, 1, MPIU_INT64, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode problem_block_diagonals(const Problem &p, std::vector<PetscInt> *offsets)
{
  const PetscInt    cells = (p.global_cols + p.block - 1) / p.block, base = (p.global_rows + p.block - 1) / p.block;
  std::vector<bool> seen(static_cast<size_t>(cells) + base + 1, false);

  PetscFunctionBeginUser;
  for (PetscInt row = 0; row < p.rows; row++) {
    const PetscInt cell = (p.row_start + row) / p.block;

    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) seen[static_cast<size_t>(p.j[k] / p.block - cell + base)] = true;
  }
  offsets->clear();
  for (size_t d = 0; d < seen.size(); d++) {
    if (seen[d]) offsets->push_back(static_cast<PetscInt>(d) - base);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

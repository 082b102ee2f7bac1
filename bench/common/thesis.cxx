/*
   Sizes of the printed tables, see thesis.hpp. The grids have the wrapping couplings of the printed ones, so that the counts of nonzeros are those printed.
*/
#include "thesis.hpp"
#include <algorithm>
#include <iterator>

namespace bench
{

static const char *const suites[] = {"thesis-gh", "thesis-widths", "thesis-scaling", "thesis-laplace"};

// The ten configurations of the product and of BiCGStab, in the order printed
static const char gh_cases[] =
  "16x16x32:8+wrap,16x32x32:8+wrap,16x16x32:16+wrap,32x64x64:4+wrap,16x32x32:16+wrap,32x32x64:8+wrap,32x128x64:4+wrap,32x64x64:8+wrap,"
  "32x32x64:16+wrap,32x128x64:8+wrap";
static constexpr PetscInt laplace_edges[] = {100, 126, 159, 200, 252};
static constexpr PetscInt largest_width   = 512;
static constexpr double   device_max_nnz = 1e9, host_max_nnz = 8e6;
static constexpr PetscInt device_values = PetscInt{1} << 25, host_values = PetscInt{1} << 18; // of a block diagonal

bool thesis_suite(const std::string &suite)
{
  return std::find(std::begin(suites), std::end(suites), suite) != std::end(suites);
}

// Grids of 2^k cells, as near to cubes as can be, with `values` values in a block diagonal
static void width_grids(PetscInt values, std::vector<Grid> *grids)
{
  for (PetscInt b = 1; b <= largest_width; b *= 2) {
    int k = 0;

    while ((PetscInt64{b} * b << (k + 1)) <= values) k++;
    grids->push_back({PetscInt{1} << ((k + 2) / 3), PetscInt{1} << ((k + 1) / 3), PetscInt{1} << (k / 3), b, 0, true});
  }
}

// 2^18 to 2^25 rows in planes of 32 x 128 cells
static void scaling_grids(std::vector<Grid> *grids)
{
  for (PetscInt b : {4, 8}) {
    for (int k = 18; k <= 25; k++) grids->push_back({32, 128, (PetscInt{1} << k) / (32 * 128 * b), b, 0, true});
  }
}

static double grid_nnz(const Grid &g)
{
  double       blocks = static_cast<double>(g.J) * g.H * g.I;
  const double cells  = blocks;

  for (const double distance : {1.0, g.J > 1 ? static_cast<double>(g.J) : cells, g.H > 1 ? static_cast<double>(g.J) * g.H : cells})
    blocks += 2 * std::max(0.0, cells - distance);
  return blocks * g.b * g.b;
}

static double laplace_nnz(const Pattern &p)
{
  const double n = static_cast<double>(p.n);

  return 7 * n * n * n - 6 * n * n;
}

static PetscErrorCode no_other_problems(const std::string &suite)
{
  PetscFunctionBeginUser;
  for (const char *option : {"-cases", "-matrices", "-file", "-values"}) {
    PetscBool given;

    PetscCall(PetscOptionsHasName(nullptr, nullptr, option, &given));
    PetscCheck(!given, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-suite %s has problems of its own: leave out %s; -max_nnz limits their size", suite.c_str(),
               option);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode laplace_patterns(std::vector<Pattern> *patterns)
{
  PetscInt  edges[32], n = PETSC_STATIC_ARRAY_LENGTH(edges);
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-sizes", edges, &n, &given));
  if (!given) {
    n = static_cast<PetscInt>(std::size(laplace_edges));
    std::copy(std::begin(laplace_edges), std::end(laplace_edges), edges);
  }
  for (PetscInt k = 0; k < n; k++) {
    PetscCheck(edges[k] > 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-sizes: expected edges of cubes, for example 100,126");
    patterns->push_back({"laplace7", edges[k], 1});
  }
  PetscCheck(n > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-sizes: expected edges of cubes, for example 100,126");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Without the problems that are too large
template <typename T>
static PetscErrorCode limit(const std::string &suite, double max_nnz, double (*nnz)(const T &), std::vector<T> *problems)
{
  double least = PETSC_MAX_REAL;

  PetscFunctionBeginUser;
  for (const T &p : *problems) least = std::min(least, nnz(p));
  problems->erase(std::remove_if(problems->begin(), problems->end(), [&](const T &p) { return nnz(p) > max_nnz; }), problems->end());
  PetscCheck(!problems->empty(), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-max_nnz %g leaves no problem of -suite %s: give %.0f at least", max_nnz,
             suite.c_str(), least);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode thesis_problems(const std::string &suite, bool device, ProblemList *list)
{
  PetscReal max_nnz = device ? device_max_nnz : host_max_nnz;
  PetscInt  values  = device ? device_values : host_values;

  PetscFunctionBeginUser;
  PetscCall(no_other_problems(suite));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-max_nnz", &max_nnz, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-diagonal_values", &values, nullptr));
  PetscCheck(values >= largest_width * largest_width && !(values & (values - 1)), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-diagonal_values %" PetscInt_FMT ": expected a power of two, %" PetscInt_FMT " (one block of %" PetscInt_FMT " rows) at least", values,
             largest_width * largest_width, largest_width);
  list->grids.clear();
  list->patterns.clear();
  list->values = suite == "thesis-laplace" ? Values::spd : Values::general;
  if (suite == "thesis-gh") PetscCall(grids_parse(gh_cases, &list->grids));
  else if (suite == "thesis-widths") width_grids(values, &list->grids);
  else if (suite == "thesis-scaling") scaling_grids(&list->grids);
  else {
    PetscCall(laplace_patterns(&list->patterns));
    PetscCall(limit(suite, max_nnz, laplace_nnz, &list->patterns));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(limit(suite, max_nnz, grid_nnz, &list->grids));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

/*
   blocks: the set-up of point-block Jacobi after the matrix got new values, with any list of matrix types, on general hepta problems and on matrices of diagonal blocks
   alone, where it is the inversion of many small dense blocks and cuBLAS can be called beside it.
*/
static char help[] = "Times PCSetUp of -pc_type pbjacobi (or the type of -pc_type) after new values, and cuBLAS's batched inverses.\n\
  -mats a,b,...        matrix types; on -blocks also cublas-getri, cublas-matinv, cublas-getrf, cublas-geqrf, lapack-getrf, lapack-geqrf\n\
  -blocks Nxb,...      matrices of N diagonal blocks of b x b\n\
  -least_squares NxMxK N matrices of M rows and K columns, a list: HeptaneLeastSquares() beside cuBLAS's gels batched, or LAPACK's\n\
  -cases JxHxI:b,...   general hepta problems of J x H x I cells with b unknowns each\n\
  -suite gh            the sizes of the committed results\n\
  -suite model         what the GPU's own latencies and rates predict for inverses, LU and QR of 4 to 96 rows, beside what they take\n\
  -suite thesis-blocks blocks of 4 to 112 rows: Gauss-Jordan elimination, LU and QR, cuBLAS, LAPACK; -block_count n of each size (5000, 500 without a GPU), -block_rows b,...\n\
  -from FILE           with -suite model: predictions for the measurements in FILE, a result of -suite model -json, from its parameters; needs no GPU\n\
  -samples n           samples of each candidate (9); -sample_ms t: shortest sample (20)\n\
  -copy_mib n          size of the copy that measures the bandwidth (1024 on the device, 512 on the host)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/results.hpp"
#include "least_squares.hpp"
#include "model.hpp"
#include "target.hpp"
#include "thesis_blocks.hpp"
#include <cmath>
#include <cstdio>

using namespace bench;

static const char gh_suite[]     = "64x64x64:3,64x64x64:8";
static const char host_types[]   = "aij,bdiagh";
static const char device_types[] = "aijcusparse,bdiagh,cublas-getri,cublas-matinv";

struct Run final : Bench {
  std::vector<std::string>                   names;
  std::vector<std::pair<PetscInt, PetscInt>> sizes; // how many blocks, of how many rows
  std::vector<SystemSize>                    systems;
  ProblemList                                problems;
  bool                                       grids = false; // problems are run
  PetscBool                                  model = PETSC_FALSE, thesis = PETSC_FALSE;
  std::string                                from; // a file of results to predict
  Table                                      table{
    {"mat", "us", "min", "max", "GB/s", "% copy", "x first", "h2d B/call", "d2h B/call", "verified"}
  };

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

static PetscErrorCode report(Run &run, const Problem &p, const Target &t, const Timed &timed, double error, double first_us)
{
  const double us = timed.timing.us_median, copy = t.device ? run.device_copy : run.host_copy, calls = std::fmax(1, static_cast<double>(timed.counted));
  const double bytes = 2.0 * sizeof(PetscScalar) * p.global_rows * p.block; // every entry of the blocks read once, of the inverses written once
  Record       r     = problem_record("blocks", p, "pc_setup"), more;
  PCType       pc    = nullptr;

  PetscFunctionBeginUser;
  if (t.pc) PetscCall(PCGetType(t.pc, &pc));
  r.add("mat", t.name).add("pc", pc ? pc : "").add("device", t.device ? "cuda" : "host");
  more.add("h2d_bytes", timed.traffic.h2d_bytes).add("d2h_bytes", timed.traffic.d2h_bytes).add("counted_calls", timed.counted).add("max_error", error);
  PetscCall(results_write(run.comm, run.device, r, timed, {bytes, copy}, more));
  if (timed.error.empty()) {
    run.table.row({t.name, cell_us(us), cell_us(timed.timing.us_min), cell_us(timed.timing.us_max), cell("%.1f", 1e-3 * bytes / us),
                   cell("%.1f", 0.1 * bytes / us / copy), first_us > 0 ? cell("%.2f", first_us / us) : "-", cell("%.0f", timed.traffic.h2d_bytes / calls),
                   cell("%.0f", timed.traffic.d2h_bytes / calls), "true"});
  } else {
    run.table.row({t.name, "-", "-", "-", "-", "-", "-", "-", "-", "false", timed.error});
    if (timed.error.rfind("not applicable: ", 0) != 0) run.failed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(Run &run, Problem &p)
{
  Blocks              d;
  std::vector<Target> targets(run.names.size());
  std::vector<Timed>  timed(targets.size());
  std::vector<double> errors(targets.size(), 0);
  Mat                 base = nullptr;

  PetscFunctionBeginUser;
  PetscCall(progress(run.comm, p.name + " " + p.shape + ": " + std::to_string(p.global_nnz) + " nonzeros"));
  diagonal_blocks(p, &d);
  if (run.corrupt && d.count) {
    p.a[p.i[1] - 1] += 1;
    d.values[p.block - 1] += 1;
  }
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  for (size_t k = 0; k < targets.size(); k++) {
    targets[k].name = run.names[k];
    target_begin(run.comm, p, d, &base, &targets[k], &timed[k], &errors[k]);
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  run.table.title(p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows; copy " +
                  (run.device_copy > 0 ? cell("%.0f GB/s on the device, ", run.device_copy) : "") + cell("%.1f GB/s on the host", run.host_copy));
  for (size_t k = 0; k < targets.size(); k++) {
    if (timed[k].error.empty()) timed[k].error = target_check(d, &targets[k], &errors[k]);
    PetscCall(report(run, p, targets[k], timed[k], errors[k], timed[0].error.empty() ? timed[0].timing.us_median : 0));
  }
  for (size_t k = 0; k < targets.size(); k++)
    if (timed[k].error.empty()) PetscCall(target_destroy(&targets[k]));
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// "NxB,NxB,..."
static PetscErrorCode sizes_parse(const std::string &text, std::vector<std::pair<PetscInt, PetscInt>> *sizes)
{
  PetscFunctionBeginUser;
  for (const std::string &one : split_list(text)) {
    long count, b;

    PetscCheck(std::sscanf(one.c_str(), "%ldx%ld", &count, &b) == 2 && count > 0 && b > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-blocks %s: expected Nxb, both positive", one.c_str());
    std::pair<PetscInt, PetscInt> size;
    PetscCall(PetscIntCast(count, &size.first));
    PetscCall(PetscIntCast(b, &size.second));
    sizes->push_back(size);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::options()
{
  char      text[512] = "1000000x3,262144x8", suite[16];
  char      least[512];
  PetscBool blocks, cases, file, whole, squares;

  PetscFunctionBeginUser;
  PetscCall(matrix_types_from_options(device.count ? device_types : host_types, &names));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-blocks", text, sizeof(text), &blocks));
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-cases", &cases));
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-file", &file));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-suite", suite, sizeof(suite), &whole));
  if (whole) PetscCall(PetscStrcmp(suite, "model", &model));
  if (whole) PetscCall(PetscStrcmp(suite, "thesis-blocks", &thesis));
  if (thesis) {
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-seed", &problems.seed, nullptr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (model) {
    char      file[PETSC_MAX_PATH_LEN];
    PetscBool given;

    PetscCall(PetscOptionsGetString(nullptr, nullptr, "-from", file, sizeof(file), &given));
    if (given) from = file;
    PetscCheck(given || device.count, comm, PETSC_ERR_USER_INPUT,
               "-suite model measures a GPU, and there is none that can be used here; -from FILE takes measurements from a file");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(problems_from_options(gh_suite, nullptr, &problems));
  if (blocks || whole) PetscCall(sizes_parse(text, &sizes));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-least_squares", least, sizeof(least), &squares));
  if (squares) PetscCall(systems_parse(least, &systems));
  grids = cases || file || whole || !(blocks || squares);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::run()
{
  PetscFunctionBeginUser;
  if (model) {
    if (from.empty()) PetscCall(model_run(*this, problems.seed));
    else PetscCall(model_from(*this, from, 0.2));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (thesis) PetscCall(thesis_blocks_run(*this, problems.seed, &table));
  for (const auto &size : sizes) {
    Problem p;

    PetscCall(problem_blocks(comm, size.first, size.second, problems.seed, &p));
    PetscCall(run_problem(*this, p));
  }
  if (!systems.empty()) PetscCall(device_copy_rate(comm, device, &device_copy));
  for (const SystemSize &size : systems) PetscCall(least_squares_run(*this, size, problems.seed, &table));
  for (size_t k = 0; grids && k < problems.size(); k++) {
    Problem p;

    PetscCall(problem_make(comm, problems, k, &p));
    PetscCall(run_problem(*this, p));
  }
  PetscCall(table.print(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run run;

  return run.main(argc, argv, help);
}

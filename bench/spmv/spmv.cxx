/*
   spmv: products (and their sister operations) of any list of matrix types and of cuSPARSE, on general hepta problems
   or a loaded matrix; timed in turns in one process, checked against a reference, reported as JSON lines and a table.
*/
static char help[] = "Times MatMult of matrix types and of libraries called directly.\n\
  -mats a,b,...        matrix types, and cusparse-csr-alg1, cusparse-csr-alg2, cusparse-bsr, cusparse-bsr-generic, cusparse-sell,\n\
                       kokkos-csr, kokkos-bsr (Kokkos Kernels, where it was found when this was built)\n\
  -cases JxHxI:b,...   general hepta problems of J x H x I cells with b unknowns each\n\
  -suite gh            the sizes of the committed results: b = 1,2,3,4,5,8,16 at about 2M rows, 33k rows, 66k rows with b = 8\n\
  -suite matrices      laplace5, laplace7, laplace27, elasticity, banded, random, powerlaw, active with b = 1,2,3,4,5,8, of 10M to 60M nonzeros\n\
  -suite thesis-gh     the ten configurations of a printed table; thesis-widths: b = 1, 2, ... 512; thesis-scaling: 2^18 to 2^25 rows with b = 4 and 8;\n\
                       thesis-laplace: cubes of 100 to 252 cells; see bench/README.md\n\
  -max_nnz n           of a problem of these suites (1e9, 8e6 without a GPU); -diagonal_values n: of a block diagonal of thesis-widths\n\
  -matrices NAME:n,... some of them, at sizes of your own: edge of the grid in cells, else rows; active also NAME:n:b\n\
  -file F              a matrix in PETSc's binary format; -file_block_size b, -file_name NAME\n\
  -what a,b,...        matmult, multadd, multtranspose, getdiagonal, scale\n\
  -samples n           samples of each candidate (9); -sample_ms t: shortest sample (20)\n\
  -copy_mib n          size of the copy that measures the bandwidth (1024 on the device, 512 on the host)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/capture.hpp"
#include "../common/results.hpp"
#include "../common/thesis.hpp"
#include "candidate.hpp"
#include <petsctime.h>
#include <cmath>

using namespace bench;

// About 2M rows each, then the two sizes that fit in a GPU's cache
static const char gh_suite[] = "128x128x128:1,128x128x64:2,96x96x76:3,128x64x64:4,64x80x82:5,64x64x64:8,64x64x32:16,32x32x32:1,32x16x16:8";
// 10M to 60M nonzeros each
static const char matrices_suite[] =
  "laplace5:2000,laplace7:160,laplace27:128,elasticity:64,banded:2000000,random:2000000,powerlaw:3000000,active:214:1,active:195:2,active:164:3,active:140:4,active:125:5,active:95:8";
static const char host_types[]   = "aij,baij,sell,bdiagh,sellp";
static const char device_types[] = "aijcusparse,bdiagh,sellp,sellcuda,cusparse-csr-alg1,cusparse-csr-alg2,cusparse-bsr,cusparse-sell";
static const char thesis_types[] = "aijcusparse,cusparse-bsr,cusparse-sell,sellcuda,bdiagh,sellp";

static const struct {
  const char *option, *key;
  What        what;
} operations[] = {
  {"matmult",       "matmult",          What::matmult         },
  {"multadd",       "matmultadd",       What::matmultadd      },
  {"multtranspose", "matmulttranspose", What::matmulttranspose},
  {"getdiagonal",   "matgetdiagonal",   What::matgetdiagonal  },
  {"scale",         "matscale",         What::matscale        },
};

struct Run final : Bench {
  std::vector<std::string> names;
  std::vector<int>         whats; // places in operations[]
  ProblemList              problems;
  Table                    table{
    {"mat", "us", "min", "max", "GB/s", "% copy", "x first", "x aij", "set-up", "verified"}
  };

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

struct Entry {
  std::unique_ptr<Candidate> candidate;
  std::string                error; // why it takes no part
  double                     setup_seconds = 0;
};

PetscErrorCode Run::options()
{
  char what[256] = "matmult", suite[64] = "";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-suite", suite, sizeof(suite), nullptr));
  PetscCall(matrix_types_from_options(!device.count ? host_types : thesis_suite(suite) ? thesis_types : device_types, &names));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-what", what, sizeof(what), nullptr));
  for (const std::string &name : split_list(what)) {
    int found = -1;

    for (int k = 0; k < static_cast<int>(std::size(operations)); k++) {
      if (name == operations[k].option || name == operations[k].key) found = k;
    }
    PetscCheck(found >= 0, comm, PETSC_ERR_USER_INPUT, "-what %s is unknown; expected a list of matmult, multadd, multtranspose, getdiagonal, scale",
               name.c_str());
    whats.push_back(found);
  }
  PetscCall(problems_from_options(thesis_suite(suite) ? nullptr : gh_suite, matrices_suite, &problems));
  if (thesis_suite(suite)) PetscCall(thesis_problems(suite, device.count > 0, &problems));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A candidate that fails unexpectedly is left as it is, not destroyed: a half-made object is not worth a crash
static PetscErrorCode create_entries(const Run &run, const Problem &p, Mat *base, std::vector<Entry> *entries)
{
  PetscFunctionBeginUser;
  for (const std::string &name : run.names) {
    PetscLogDouble begin, end;
    Entry          e;

    PetscCall(PetscTime(&begin));
    {
      ErrorCapture capture;

      e.error = capture.message(candidate_new(name, &e.candidate));
      if (e.error.empty()) e.error = capture.message(e.candidate->create(run.comm, p, base));
      if (e.error.rfind(not_applicable, 0) == 0) PetscCall(e.candidate->destroy());
      else if (e.error.empty()) e.error = capture.message(e.candidate->call(What::matmult)); // types put work off until then
      PetscCall(device_synchronize(run.device));
    }
    PetscCall(PetscTime(&end));
    e.setup_seconds = end - begin;
    entries->push_back(std::move(e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// One call on a poisoned result, compared with the reference
static std::string check(Entry &e, const Reference &ref, What what, double *error)
{
  ErrorCapture capture;
  std::string  message = capture.message(e.candidate->poison(what));

  if (message.empty()) message = capture.message(e.candidate->call(what));
  if (message.empty()) message = capture.message(e.candidate->error(ref, what, error));
  if (message.empty() && !(*error <= tolerance))
    message = "wrong result: relative error " + cell("%.3g", *error) + (std::isfinite(*error) ? "" : " (not finite)");
  return message;
}

// One candidate's line of results, and of the table
static PetscErrorCode report_entry(Run &run, const Problem &p, int operation, const Entry &e, const Timed &t, size_t place, double error, double copy,
                                   double first_us, double base_us)
{
  const double us     = t.timing.us_median;
  const bool   device = e.candidate && e.candidate->on_device(), good = t.error.empty();
  double       bytes = 0;
  Record       r     = problem_record("spmv", p, operations[operation].key), more;

  PetscFunctionBeginUser;
  if (good) PetscCall(e.candidate->bytes(operations[operation].what, &bytes));
  r.add("mat", run.names[place]).add("device", device ? "cuda" : "host");
  more.add("setup_s", e.setup_seconds).add("setup_products", 1e6 * e.setup_seconds / us).add("max_error", error);
  PetscCall(results_write(run.comm, run.device, r, t, {bytes, copy}, more));
  if (good) {
    run.table.row({run.names[place], cell_us(us), cell_us(t.timing.us_min), cell_us(t.timing.us_max), cell("%.1f", 1e-3 * bytes / us),
                   cell("%.1f", 0.1 * bytes / us / copy), first_us > 0 ? cell("%.2f", first_us / us) : "-", base_us > 0 ? cell("%.2f", base_us / us) : "-",
                   cell("%.0f", 1e6 * e.setup_seconds / us), "true"});
  } else {
    run.table.row({run.names[place], "-", "-", "-", "-", "-", "-", "-", "-", "false", t.error});
    if (t.error.rfind(not_applicable, 0) != 0) run.failed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report(Run &run, const Problem &p, int operation, const std::vector<Entry> &entries, const std::vector<Timed> &timed,
                             const std::vector<double> &errors)
{
  double base_us = 0;
  size_t base    = entries.size();

  PetscFunctionBeginUser;
  // the base of the last ratio: PETSc's standard type on the device, else on the host
  for (const char *name : {"aij", "aijcusparse"}) {
    for (size_t k = 0; k < entries.size(); k++) {
      if (run.names[k] == name && timed[k].error.empty()) base = k;
    }
  }
  if (base < entries.size()) base_us = timed[base].timing.us_median;
  run.table.title(p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows, " + std::to_string(p.global_nnz) + " nonzeros, " +
                  operations[operation].key + "; copy " + (run.device_copy > 0 ? cell("%.0f GB/s on the device, ", run.device_copy) : "") +
                  cell("%.1f GB/s on the host", run.host_copy));
  for (size_t k = 0; k < entries.size(); k++) {
    const bool device = entries[k].candidate && entries[k].candidate->on_device();

    PetscCall(report_entry(run, p, operation, entries[k], timed[k], k, errors[k], device ? run.device_copy : run.host_copy,
                           timed[0].error.empty() ? timed[0].timing.us_median : 0, base_us));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_operation(Run &run, const Problem &p, int operation, const Reference &ref, std::vector<Entry> &entries)
{
  const What          what = operations[operation].what;
  std::vector<Timed>  timed(entries.size());
  std::vector<double> errors(entries.size(), std::nan(""));

  PetscFunctionBeginUser;
  for (size_t k = 0; k < entries.size(); k++) {
    Entry &e = entries[k];

    timed[k].error = e.error;
    if (e.error.empty() && !e.candidate->supports(what)) timed[k].error = std::string(not_applicable) + "only matmult is called directly";
    if (timed[k].error.empty()) timed[k].error = check(e, ref, what, &errors[k]);
    timed[k].call = [&e, what] { return e.candidate->call(what); };
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  for (size_t k = 0; k < entries.size(); k++) { // and once more, after all those calls
    double after = 0;

    if (!timed[k].error.empty()) continue;
    timed[k].error = check(entries[k], ref, what, &after);
    if (!(after <= errors[k])) errors[k] = after;
  }
  PetscCall(report(run, p, operation, entries, timed, errors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(Run &run, size_t index)
{
  Problem                p;
  std::vector<Reference> references(run.whats.size());
  std::vector<Entry>     entries;
  Mat                    base = nullptr;

  PetscFunctionBeginUser;
  PetscCall(problem_make(run.comm, run.problems, index, &p));
  PetscCall(progress(run.comm, p.name + " " + p.shape + ": " + std::to_string(p.global_nnz) + " nonzeros; reference"));
  for (size_t w = 0; w < run.whats.size(); w++) PetscCall(reference_compute(run.comm, p, operations[run.whats[w]].what, &references[w]));
  if (run.corrupt && p.nnz) p.a[p.nnz / 2] += 1;
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  PetscCall(create_entries(run, p, &base, &entries));
  PetscCall(progress(run.comm, p.name + " " + p.shape + ": timing"));
  for (size_t w = 0; w < run.whats.size(); w++) PetscCall(run_operation(run, p, run.whats[w], references[w], entries));
  for (Entry &e : entries) {
    if (e.error.empty()) PetscCall(e.candidate->destroy());
  }
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::run()
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < problems.size(); k++) PetscCall(run_problem(*this, k));
  PetscCall(table.print(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run run;

  return run.main(argc, argv, help);
}

/*
   update: the value updates of a Newton step, MatSetValuesCOO from device (or host) values into matrices of several
   types, timed in turns in one process; what crosses between host and device during the timed calls is counted.
*/
static char help[] = "Times MatSetPreallocationCOO and MatSetValuesCOO of matrix types.\n\
  -mats a,b,...        matrix types\n\
  -cases JxHxI:b,...   general hepta problems of J x H x I cells with b unknowns each\n\
  -suite gh            about 2M rows with b = 8, 3 and 1\n\
  -file F              a matrix in PETSc's binary format; -file_block_size b, -file_name NAME\n\
  -order a,b,...       order of the entries: csr, block, blockcol, shuffled, duplicates\n\
  -memtype auto        where the values lie: host, device, or where the type keeps its vectors\n\
  -setup_samples n     times MatSetPreallocationCOO is run (3)\n\
  -samples n           samples of each candidate (9); -sample_ms t: shortest sample (20)\n\
  -copy_mib n          size of the copy that measures the bandwidth (1024 on the device, 512 on the host)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/capture.hpp"
#include "../common/results.hpp"
#include "target.hpp"
#include <cmath>

using namespace bench;

static const char gh_suite[]     = "64x64x64:8,96x96x76:3,128x128x128:1";
static const char host_types[]   = "aij,bdiagh";
static const char device_types[] = "aijcusparse,bdiagh";

struct Run final : Bench {
  std::vector<std::string> types, orders;
  std::string              memtype       = "auto";
  PetscInt                 setup_samples = 3;
  ProblemList              problems;
  Table                    table{
    {"mat", "what", "us", "min", "max", "x first", "h2d B/call", "d2h B/call", "verified"}
  };

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

// What every line about one problem in one order shares
struct Context {
  const Problem   &p;
  const Reference &ref;
  std::string      order;
  PetscInt64       entries; // of all ranks
};

PetscErrorCode Run::options()
{
  char      order[256] = "csr", where[16] = "auto";
  PetscBool known;
  Order     parsed;

  PetscFunctionBeginUser;
  PetscCall(matrix_types_from_options(device.count ? device_types : host_types, &types));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-order", order, sizeof(order), nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-memtype", where, sizeof(where), nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-setup_samples", &setup_samples, nullptr));
  PetscCall(PetscStrInList(where, "auto,host,device", ',', &known));
  PetscCheck(known, comm, PETSC_ERR_USER_INPUT, "-memtype %s is unknown; expected auto, host or device", where);
  PetscCheck(setup_samples > 0, comm, PETSC_ERR_USER_INPUT, "-setup_samples must be positive");
  memtype = where;
  orders  = split_list(order);
  for (const std::string &name : orders) PetscCall(order_parse(name, &parsed));
  PetscCall(problems_from_options(gh_suite, nullptr, &problems));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool device_values(const Run &run, const Target &t)
{
  return run.memtype == "device" || (run.memtype == "auto" && t.device);
}

// One line of results, and of the table
static PetscErrorCode report(Run &run, const Context &c, const Target &t, const Timed &timed, const char *what, const char *insert, double error,
                             double first_us)
{
  const bool   good = timed.error.empty(), device = t.device;
  const double us = timed.timing.us_median, copy = device ? run.device_copy : run.host_copy;
  const double calls = timed.counted > 0 ? static_cast<double>(timed.counted) : 1;
  // every value read once and written once; maps, if a type needs them, are its own cost
  const double bytes = static_cast<double>(sizeof(PetscScalar)) * (static_cast<double>(c.entries) + static_cast<double>(c.p.global_nnz));
  Record       r     = problem_record("update", c.p, what), more;

  PetscFunctionBeginUser;
  r.add("mat", t.type).add("order", c.order).add("insert", insert).add("memtype", device_values(run, t) ? "device" : "host");
  r.add("entries", c.entries).add("device", device ? "cuda" : "host");
  more.add("h2d_bytes", timed.traffic.h2d_bytes)
    .add("d2h_bytes", timed.traffic.d2h_bytes)
    .add("h2d_copies", timed.traffic.h2d_copies)
    .add("d2h_copies", timed.traffic.d2h_copies);
  more.add("counted_calls", timed.counted).add("max_error", error);
  PetscCall(results_write(run.comm, run.device, r, timed, {bytes, copy}, more));
  if (good) {
    run.table.row({t.type, std::string(what) + (*insert ? " " : "") + insert, cell_us(us), cell_us(timed.timing.us_min), cell_us(timed.timing.us_max),
                   first_us > 0 ? cell("%.2f", first_us / us) : "-", cell("%.0f", timed.traffic.h2d_bytes / calls),
                   cell("%.0f", timed.traffic.d2h_bytes / calls), "true"});
  } else {
    // a type that failed at its set-up is shown there and not again
    if (t.error.empty() || !*insert)
      run.table.row({t.type, std::string(what) + (*insert ? " " : "") + insert, "-", "-", "-", "-", "-", "-", "false", timed.error});
    run.failed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_all(Run &run, const Context &c, const std::vector<Target> &targets, const std::vector<Timed> &timed, const char *what,
                                 const char *insert, const std::vector<double> &errors)
{
  const double first_us = timed[0].error.empty() ? timed[0].timing.us_median : 0;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < targets.size(); k++) PetscCall(report(run, c, targets[k], timed[k], what, insert, errors[k], first_us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// MatSetPreallocationCOO of all types in turns; the matrices of the last turn stay
static PetscErrorCode run_setup(Run &run, const Context &c, const Coo &coo, std::vector<Target> &targets)
{
  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < run.setup_samples; s++) {
    for (Target &t : targets) {
      if (!t.error.empty()) continue;
      ErrorCapture capture;
      t.error = capture.message(target_setup(run.comm, c.p, coo, run.device, &t));
      if (t.error.empty() && s == run.setup_samples - 1) t.error = capture.message(target_vectors(&t));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A value that was added to `additions` times may have been rounded as often
static std::string verdict(const std::string &message, double error, double additions)
{
  if (!message.empty()) return message;
  return error <= tolerance + additions * PETSC_MACHINE_EPSILON
           ? ""
           : "wrong values: relative error of the product " + cell("%.3g", error) + (std::isfinite(error) ? "" : " (not finite)");
}

// Checks the product of what the timed calls left behind, what INSERT and ADD mean, and that all types then agree
static PetscErrorCode check_updates(Run &run, const Context &c, std::vector<Target> &targets, std::vector<Timed> &timed, std::vector<double> &errors)
{
  Reference first; // the first type's product, with the terms' sizes of the problem

  PetscFunctionBeginUser;
  for (size_t k = 0; k < targets.size(); k++) {
    const double additions = targets[k].sum;
    double       after = 0, meaning = 0, difference = 0;

    if (!timed[k].error.empty()) continue;
    ErrorCapture capture;
    std::string  message = capture.message(target_error(run.comm, c.ref, &targets[k], &after));
    if (message.empty()) message = capture.message(target_semantics(run.comm, c.ref, &targets[k], &meaning));
    if (message.empty()) message = capture.message(target_difference(run.comm, c.ref, &targets[k], &first, &difference));
    errors[k]      = PetscMax(PetscMax(after, meaning), 0.5 * difference); // two right answers differ by twice the tolerance at most
    timed[k].error = verdict(message, errors[k], additions);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Times one kind of update, alone or followed by the product that would show work put off
static PetscErrorCode run_updates(Run &run, const Context &c, std::vector<Target> &targets, InsertMode mode, bool product)
{
  std::vector<Timed>  timed(targets.size());
  std::vector<double> errors(targets.size(), std::nan(""));

  PetscFunctionBeginUser;
  for (size_t k = 0; k < targets.size(); k++) {
    Target *t = &targets[k];

    timed[k].error = t->error;
    timed[k].call  = [t, mode, product]() -> PetscErrorCode {
      PetscFunctionBeginUser;
      PetscCall(target_update(t, mode));
      if (product) PetscCall(target_product(t));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    if (!timed[k].error.empty()) continue;
    ErrorCapture capture;
    timed[k].error = capture.message(target_update(t, INSERT_VALUES)); // ADD starts from known values
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, timed));
  PetscCall(check_updates(run, c, targets, timed, errors));
  PetscCall(report_all(run, c, targets, timed, product ? "update+matmult" : "update", mode == ADD_VALUES ? "add" : "insert", errors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The set-up's lines come after a first checked update: a pattern is right when the values land where they belong
static PetscErrorCode report_setup(Run &run, const Context &c, std::vector<Target> &targets)
{
  std::vector<Timed>  timed(targets.size());
  std::vector<double> errors(targets.size(), std::nan(""));

  PetscFunctionBeginUser;
  for (size_t k = 0; k < targets.size(); k++) {
    Target &t = targets[k];

    if (t.error.empty()) {
      ErrorCapture capture;
      std::string  message = capture.message(target_update(&t, INSERT_VALUES));
      if (message.empty()) message = capture.message(target_error(run.comm, c.ref, &t, &errors[k]));
      t.error         = verdict(message, errors[k], 1);
      timed[k].timing = timing_of(t.setup_seconds, 1);
    }
    timed[k].error = t.error;
  }
  PetscCall(report_all(run, c, targets, timed, "coo_setup", "", errors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_order(Run &run, const Problem &p, const Reference &ref, const std::string &name)
{
  Coo                 coo;
  Order               order;
  PetscInt64          entries;
  PetscScalar        *on_device = nullptr;
  std::vector<Target> targets;

  PetscFunctionBeginUser;
  PetscCall(order_parse(name, &order));
  PetscCall(coo_make(p, order, &coo));
  if (run.corrupt && coo.n) coo.v[coo.n / 2] += 1;
  entries = coo.n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &entries, 1, MPIU_INT64, MPI_SUM, run.comm));
  const Context c{p, ref, name, entries};
  for (const std::string &type : run.types) {
    targets.emplace_back();
    targets.back().type = type;
  }
  run.table.title(p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows, " + std::to_string(p.global_nnz) + " nonzeros, order " + name + ", " +
                  std::to_string(entries) + " entries");
  PetscCall(progress(run.comm, p.name + " " + p.shape + ", order " + name + ": set-up"));
  PetscCall(run_setup(run, c, coo, targets));
  coo.i.reset();
  coo.j.reset();
  for (Target &t : targets) {
    if (t.error.empty() && device_values(run, t) && !on_device) PetscCall(device_upload(coo.v.get(), coo.n, &on_device));
    t.values = device_values(run, t) ? on_device : coo.v.get();
  }
  PetscCall(report_setup(run, c, targets));
  PetscCall(progress(run.comm, p.name + " " + p.shape + ", order " + name + ": updates"));
  PetscCall(run_updates(run, c, targets, INSERT_VALUES, false));
  PetscCall(run_updates(run, c, targets, ADD_VALUES, false));
  PetscCall(run_updates(run, c, targets, INSERT_VALUES, true));
  for (Target &t : targets) {
    if (t.error.empty()) PetscCall(target_destroy(&t));
  }
  if (on_device) PetscCall(device_free(&on_device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(Run &run, size_t index)
{
  Problem   p;
  Reference ref;

  PetscFunctionBeginUser;
  PetscCall(problem_make(run.comm, run.problems, index, &p));
  PetscCall(reference_compute(run.comm, p, What::matmult, &ref));
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  for (const std::string &order : run.orders) PetscCall(run_order(run, p, ref, order));
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

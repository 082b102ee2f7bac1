/*
   operations: everything but products that solvers and applications do to a matrix, for several types, timed in turns in one process and
   checked against plain AIJ on the host. A case slower than its limit fails the run unless it stands in the list of exceptions.
*/
static char help[] = "Times operations on matrices of several types.\n\
  -mats a,b,...        matrix types; ratios are to the first (aijcusparse,bdiagh,sellp, on the host aij,bdiagh,sellp)\n\
  -n n                 edge of the grid with one unknown a cell (64 on the device, 24 on the host); grids with 3 and 8 unknowns and the\n\
                       power-law matrix have about as many rows\n\
  -cases JxHxI:b,...   general hepta problems; -matrices NAME:n,...; -file F, -file_block_size b, -file_name NAME: instead\n\
  -what a,b,...        some of the operations (all; on a GPU not gamg_setup, gamg_solve, in which cuSPARSE may wait for ever)\n\
  -limit r             what a ratio may be (1.1)\n\
  -samples n           samples of each candidate (9, of heavy operations a third, of GAMG a ninth); -sample_ms t: shortest sample (20)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/capture.hpp"
#include "../common/results.hpp"
#include "operation.hpp"
#include <cmath>
#include <cstring>
#include <limits>

using namespace bench;

struct Run final : Bench {
  std::vector<std::string> types;
  std::vector<Operation>   chosen;
  ProblemList              problems;
  PetscReal                limit = 1.1;
  std::vector<std::string> slow; // what exceeded the limit
  Table                    table{
    {"what", "mat", "us", "min", "max", "x first", "min x first", "h2d B/call", "d2h B/call", "verified"}
  };

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

static PetscErrorCode default_problems(const DeviceInfo &device, ProblemList *list)
{
  PetscInt n = device.count ? 64 : 24;
  char     text[256];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCheck(n >= 4, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-n must be at least 4");
  const PetscInt three = PetscMax(2 * n / 3, 2), eight = n / 2;
  PetscCall(PetscSNPrintf(text, sizeof(text),
                          "%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT ":1,%" PetscInt_FMT "x%" PetscInt_FMT "x%" PetscInt_FMT ":3,%" PetscInt_FMT
                          "x%" PetscInt_FMT "x%" PetscInt_FMT ":8",
                          n, n, n, three, three, three, eight, eight, eight));
  PetscCall(grids_parse(text, &list->grids));
  PetscCall(PetscSNPrintf(text, sizeof(text), "powerlaw:%" PetscInt_FMT, n * n * n));
  PetscCall(patterns_parse(text, &list->patterns));
  list->values = Values::spd;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool of_gamg(const Operation &o)
{
  return !strncmp(o.name, "gamg", 4);
}

PetscErrorCode Run::options()
{
  char        what[1024] = "";
  PetscBool   some;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(ranks == 1, comm, PETSC_ERR_USER_INPUT, "operations runs on one rank");
  PetscCall(matrix_types_from_options(device.count ? "aijcusparse,bdiagh,sellp" : "aij,bdiagh,sellp", &types));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-limit", &limit, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-what", what, sizeof(what), &some));
  for (const Operation &o : some ? std::vector<Operation>() : operations()) {
    if (!device.count || !of_gamg(o)) chosen.push_back(o);
  }
  for (const std::string &name : some ? split_list(what) : std::vector<std::string>()) {
    const size_t before = chosen.size();

    for (const Operation &o : operations()) {
      if (name == o.name) chosen.push_back(o);
    }
    PetscCheck(chosen.size() > before, comm, PETSC_ERR_USER_INPUT, "-what %s is unknown", name.c_str());
  }
  PetscCall(default_problems(device, &problems));
  PetscCall(problems_from_options(nullptr, nullptr, &problems));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The residual of y where the operation solves A y = x, relative to x; all on the host
static PetscErrorCode residual(State *plain, State *s, double *error)
{
  Vec                y, r;
  PetscReal          norm, scale;
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(plain->y, &y));
  PetscCall(VecDuplicate(plain->y, &r));
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(s->y, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = from[i];
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(s->y, &from));
  PetscCall(MatMult(plain->original, y, r));
  PetscCall(VecAYPX(r, -1.0, plain->x));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(plain->x, NORM_2, &scale));
  *error = 1e-6 * norm / scale; // to be at most 1e-12 times 1e6: the solve's tolerance is 1e-8, of the preconditioned residual
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode largest_difference(Vec a, Vec b, double *error)
{
  const PetscScalar *x, *y;
  PetscInt           n, m;
  double             difference = 0, size = std::numeric_limits<double>::min();

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetLocalSize(b, &m));
  PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The answer has %" PetscInt_FMT " entries instead of %" PetscInt_FMT, n, m);
  PetscCall(VecGetArrayRead(a, &x));
  PetscCall(VecGetArrayRead(b, &y));
  for (PetscInt i = 0; i < n; i++) {
    const double d = PetscAbsScalar(x[i] - y[i]);

    difference = std::isfinite(d) ? PetscMax(difference, d) : std::numeric_limits<double>::infinity();
    size       = PetscMax(size, static_cast<double>(PetscAbsScalar(y[i])));
  }
  PetscCall(VecRestoreArrayRead(a, &x));
  PetscCall(VecRestoreArrayRead(b, &y));
  *error = difference / size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The operation once, from the problem's values
static PetscErrorCode once(State *s, const Operation &o, Vec *answer)
{
  PetscFunctionBeginUser;
  PetscCall(s->reset());
  if (o.prepare) PetscCall((*o.prepare)(s));
  PetscCall((*o.call)(s));
  PetscCall((*o.answer)(s, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode verify(State *plain, Vec expected, State *s, const Operation &o, double *error)
{
  Vec answer = nullptr;

  PetscFunctionBeginUser;
  PetscCall(once(s, o, &answer));
  if (expected) PetscCall(largest_difference(answer, expected, error));
  else PetscCall(residual(plain, s, error));
  PetscCall(VecDestroy(&answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Whether what crosses between host and device in one call is as large as a vector
static bool moves_vectors(const Problem &p, const Timed &timed)
{
  const double calls = timed.counted > 0 ? static_cast<double>(timed.counted) : 1;

  return timed.traffic.h2d_bytes + timed.traffic.d2h_bytes >= calls * sizeof(PetscScalar) * static_cast<double>(p.rows);
}

static PetscErrorCode report(Run &run, const Problem &p, const Operation &o, const State &s, const Timed &timed, double error, const Timed &first)
{
  const bool   good = timed.error.empty(), device = s.device;
  const bool   compared = good && first.error.empty();
  const double us = timed.timing.us_median, ratio = compared ? us / first.timing.us_median : std::nan("");
  const double calls = timed.counted > 0 ? static_cast<double>(timed.counted) : 1;
  // a disturbance of the machine lengthens the median, seldom the shortest sample too
  const bool       slow = compared && ratio > run.limit && timed.timing.us_min > run.limit * first.timing.us_min;
  const Exception *e    = slow ? exception_for(o.name, s.type, device, p.name) : nullptr;
  Record           r    = problem_record("operations", p, o.name), more;

  PetscFunctionBeginUser;
  r.add("mat", s.type).add("device", device ? "cuda" : "host").add("baseline", run.types[0]);
  more.add("ratio", ratio).add("h2d_bytes", timed.traffic.h2d_bytes / calls).add("d2h_bytes", timed.traffic.d2h_bytes / calls);
  more.add("h2d_copies", timed.traffic.h2d_copies / calls).add("d2h_copies", timed.traffic.d2h_copies / calls).add("max_error", error);
  if (s.ksp) {
    PetscInt its;

    PetscCall(KSPGetIterationNumber(s.ksp, &its));
    more.add("iterations", static_cast<PetscInt64>(its));
  }
  PetscCall(results_write(run.comm, run.device, r, timed, {std::nan(""), device ? run.device_copy : run.host_copy}, more));
  run.table.row({o.name, s.type, good ? cell_us(us) : "-", cell_us(timed.timing.us_min), cell_us(timed.timing.us_max), cell("%.2f", ratio),
                 cell("%.2f", compared ? timed.timing.us_min / first.timing.us_min : std::nan("")), cell("%.0f", timed.traffic.h2d_bytes / calls),
                 cell("%.0f", timed.traffic.d2h_bytes / calls),
                 good ? (slow ? (e ? std::string("true, slower: ") + e->reason : "true, SLOWER than the limit") : "true") : "false: " + timed.error});
  if (!good) run.failed = true;
  if (slow && !e) {
    run.slow.push_back(p.name + " " + p.shape + " " + o.name + " " + s.type + " " + cell("%.2f", ratio));
    run.failed = true;
  }
  if (good && moves_vectors(p, timed) && !moves_vectors(p, first)) {
    run.slow.push_back(p.name + " " + p.shape + " " + o.name + " " + s.type + " copies between host and device, " + run.types[0] + " does not");
    if (!strcmp(o.name, "gamg_solve") || !strncmp(o.name, "solve_", 6)) run.failed = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_operation(Run &run, const Problem &p, State *plain, std::vector<State> &states, const Operation &o)
{
  std::vector<Timed>  timed(states.size());
  std::vector<double> errors(states.size(), std::nan(""));
  TimerOptions        timer    = run.timer;
  Vec                 expected = nullptr;

  PetscFunctionBeginUser;
  PetscCall(once(plain, o, &expected));
  if (run.corrupt && expected) PetscCall(VecScale(expected, 1.01));
  if (o.heavy) timer.samples = PetscMax(timer.samples / (of_gamg(o) ? 9 : 3), 1);
  for (size_t k = 0; k < states.size(); k++) {
    State *s = &states[k];

    timed[k].error = s->error;
    timed[k].call  = [s, call = o.call]() { return (*call)(s); };
    if (!s->error.empty()) continue;
    ErrorCapture capture;
    timed[k].error = capture.message(verify(plain, expected, s, o, &errors[k]));
    if (timed[k].error.empty() && !(errors[k] <= 1e-9)) timed[k].error = "wrong: relative error " + cell("%.3g", errors[k]);
  }
  PetscCall(time_interleaved(run.comm, run.device, timer, timed));
  for (size_t k = 0; k < states.size(); k++) PetscCall(report(run, p, o, states[k], timed[k], errors[k], timed[0]));
  for (State &s : states) PetscCall(s.release());
  PetscCall(plain->release());
  PetscCall(VecDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(Run &run, size_t index)
{
  Problem            p;
  State              plain;
  std::vector<State> states(run.types.size());
  Mat                base = nullptr;
  PetscBool          symmetric;

  PetscFunctionBeginUser;
  PetscCall(problem_make(run.comm, run.problems, index, &p));
  run.table.title(p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows, " + std::to_string(p.global_nnz) + " nonzeros");
  plain.type = MATAIJ;
  PetscCall(plain.make(run.comm, p, &base));
  PetscCall(MatIsSymmetric(plain.original, 0.0, &symmetric));
  for (size_t k = 0; k < states.size(); k++) {
    ErrorCapture capture;

    states[k].type  = run.types[k];
    states[k].error = capture.message(states[k].make(run.comm, p, &base));
  }
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  for (const Operation &o : run.chosen) {
    if (o.symmetric && !symmetric) continue;
    PetscCall(progress(run.comm, p.name + " " + p.shape + ": " + o.name));
    PetscCall(run_operation(run, p, &plain, states, o));
  }
  for (State &s : states) PetscCall(s.destroy());
  PetscCall(plain.destroy());
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::run()
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < problems.size(); k++) PetscCall(run_problem(*this, k));
  PetscCall(table.print(comm));
  if (!slow.empty()) PetscCall(PetscPrintf(comm, "slower than %g times %s, or with copies:\n", static_cast<double>(limit), types[0].c_str()));
  for (const std::string &line : slow) PetscCall(PetscPrintf(comm, "  %s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run run;

  return run.main(argc, argv, help);
}

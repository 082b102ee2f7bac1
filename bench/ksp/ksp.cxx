/*
   ksp: iterations and whole solves of any list of solvers, matrix types and preconditioners, through KSPSolve; timed in turns in one
   process, the answers checked, reported as JSON lines and two tables.
*/
static char help[] = "Times KSPSolve of solvers, matrix types and preconditioners.\n\
  -suite a,b,...       cg, bcgs, blocks, bicg, aijcusparse, solve20, all (default: these), wells, energy, thesis-gh, thesis-widths, thesis-scaling,\n\
                       thesis-laplace: see bench/README.md\n\
  -max_nnz n           of a problem of the suites thesis-* (1e9, 8e6 without a GPU); -diagonal_values n: of a block diagonal of thesis-widths\n\
  -sizes n,n,...       edges of the cubes of the suites; -cases JxHxI:b,...: the problems of the suite blocks\n\
  -modes a,b,...       modes of the fused solvers: auto (default), twin, kernels, graph, persistent\n\
  -candidates a,b,...  KSP[+variant...]:MAT:PC, for example cg+single_reduction:aijcusparse:jacobi,fusedcg+graph:bdiagh:jacobi; with\n\
  -cases JxHxI:b,...   general hepta problems of J x H x I cells with b unknowns each (JxHxI:b+2w: with two wells); -values spd (default), flow, general\n\
  -matrices NAME:n,... the problems of spmv's suite matrices\n\
  -file F              a matrix in PETSc's binary format; -file_block_size b, -file_name NAME; -file_rhs: with the right-hand side behind it\n\
  -what a,b            iteration (default), solve, time_to_solution (set-up and solve to -rtol, 1e-6, of a matrix with new values)\n\
  -iterations k        length of the timed solves (default: 64, above 2.5M rows 16)\n\
  -iteration_by X      difference (default): a solve of 2k iterations less one of k, over k; total: a solve of k iterations over k\n\
  -solve_iterations k  of a whole solve (20)\n\
  -samples n           samples of each candidate (9); -sample_ms t: shortest sample (20)\n\
  -copy_mib n          size of the copy that measures the bandwidth (1024 on the device, 512 on the host)\n\
  -energy              joules of each candidate, from the counters of GPU and processor; -energy_seconds s: how long each is measured (2)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/capture.hpp"
#include "../common/matrices.hpp"
#include "report.hpp"
#include <list>

using namespace bench;

struct Run final : Bench {
  PetscInt         iterations = 0, solve_iterations = 20;
  PetscBool        total = PETSC_FALSE; // -iteration_by total
  PetscReal        rtol  = 1e-6;        // of time_to_solution
  std::vector<Job> jobs;
  EnergyRun        energy;
  Report           report;
  int              made = 0; // solvers, in all jobs: options stay in PETSc's table, so that no two solvers may have one prefix

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

PetscErrorCode Run::options()
{
  char way[16] = "difference";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-iteration_by", way, sizeof(way), nullptr));
  PetscCall(PetscStrcmp(way, "total", &total));
  PetscCheck(total || std::string(way) == "difference", comm, PETSC_ERR_USER_INPUT, "-iteration_by %s is unknown; expected difference or total", way);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-iterations", &iterations, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-solve_iterations", &solve_iterations, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-rtol", &rtol, nullptr));
  PetscCheck(rtol > 0 && rtol < 1, comm, PETSC_ERR_USER_INPUT, "-rtol must lie between 0 and 1");
  PetscCheck(iterations >= 0 && solve_iterations > 0, comm, PETSC_ERR_USER_INPUT, "-iterations and -solve_iterations must be positive");
  PetscCall(energy_options(&energy));
  PetscCall(jobs_from_options(device.count > 0, &jobs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Matrices that several candidates share are made once. What fails is left as it is, not destroyed: a half-made object is not worth a crash
static PetscErrorCode create_all(Run &run, const Problem &p, const Job &job, std::list<Matrix> *matrices, std::vector<Solver> *solvers)
{
  Mat base = nullptr;

  PetscFunctionBeginUser;
  solvers->resize(job.candidates.size());
  for (size_t k = 0; k < solvers->size(); k++) {
    const Spec &spec   = job.candidates[k];
    Matrix     *matrix = nullptr;

    for (Matrix &m : *matrices) {
      if (m.type == spec.mat) matrix = &m;
    }
    if (!matrix) {
      ErrorCapture capture;

      matrices->emplace_back();
      matrix        = &matrices->back();
      matrix->type  = spec.mat;
      matrix->error = capture.message(matrix_create(run.comm, p, spec.mat, &base, matrix));
    }
    ErrorCapture capture;
    Solver      &s = (*solvers)[k];

    s.spec   = spec;
    s.matrix = matrix;
    s.error  = matrix->error.empty() ? capture.message(solver_create(run.comm, spec, matrix, run.made++, &s)) : matrix->error;
  }
  PetscCall(MatDestroy(&base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(const Run &run, const Problem &p, PetscReal rtol, std::vector<Solver> *solvers)
{
  PetscFunctionBeginUser;
  for (Solver &s : *solvers) {
    if (!s.error.empty()) continue;
    ErrorCapture capture;
    s.error = capture.message(solver_check(run.comm, p, rtol, run.corrupt ? 1.0 : 0.0, &s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves of `iterations` iterations, timed back to back; PETSc's count of them goes to `done`
static Timed fixed_solves(Solver *s, PetscInt iterations, PetscInt *done)
{
  Timed t;

  t.error = s->error;
  t.call  = [s, done]() -> PetscErrorCode {
    PetscFunctionBeginUser;
    PetscCall(solver_solve_fixed(s));
    if (done) *done = s->done;
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  t.before_sample = [s, iterations]() -> PetscErrorCode {
    PetscFunctionBeginUser;
    PetscCall(solver_fix(s, iterations));
    if (s->spec.fused()) PetscCall(solver_solve_fixed(s)); // its first solve after a change may have more to do
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  return t;
}

// An iteration is what a solve of 2k iterations takes longer than one of k, all candidates in turns: what both have drops out
static PetscErrorCode time_iteration(const Run &run, PetscInt k, std::vector<Solver> *solvers, std::vector<Timed> *timed)
{
  const size_t          n = solvers->size();
  std::vector<Timed>    both;
  std::vector<PetscInt> done(2 * n, 0);

  PetscFunctionBeginUser;
  for (size_t c = 0; c < n; c++) {
    if (!run.total) both.push_back(fixed_solves(&(*solvers)[c], k, &done[2 * c]));
    both.push_back(fixed_solves(&(*solvers)[c], run.total ? k : 2 * k, &done[2 * c + 1]));
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, both));
  timed->assign(n, Timed());
  for (size_t c = 0; c < n; c++) {
    const Timed *shorter = run.total ? nullptr : &both[2 * c], &longer = run.total ? both[c] : both[2 * c + 1];
    Timed       &t = (*timed)[c];

    t.error = shorter && !shorter->error.empty() ? shorter->error : longer.error;
    if (!t.error.empty()) continue;
    for (size_t s = 0; s < longer.seconds.size(); s++)
      t.seconds.push_back((longer.seconds[s] - (shorter ? shorter->seconds[s] : 0)) / (done[2 * c + 1] - done[2 * c]));
    t.timing = timing_of(t.seconds, longer.timing.calls);
    if (t.timing.us_median <= 0) t.error = "the noise of this machine is larger than an iteration: more -sample_ms, more -iterations, or -iteration_by total";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A whole solve, not the first; `changed`: the matrix got new values before it, so that the solve sets up its preconditioner
static PetscErrorCode time_solve(const Run &run, PetscInt iterations, bool changed, std::vector<Solver> *solvers, std::vector<Timed> *timed)
{
  PetscFunctionBeginUser;
  timed->assign(solvers->size(), Timed());
  for (size_t c = 0; c < solvers->size(); c++) {
    Solver *s = &(*solvers)[c];
    Timed  &t = (*timed)[c];

    t = fixed_solves(s, iterations, nullptr);
    if (changed) t.before_call = [s] { return solver_change_values(s); };
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, *timed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Set-up and solve of a matrix with new values, in turns with the set-up alone
static PetscErrorCode time_solution(const Run &run, std::vector<Solver> *solvers, std::vector<Timed> *timed)
{
  const size_t       n = solvers->size();
  std::vector<Timed> both(2 * n);

  PetscFunctionBeginUser;
  for (size_t c = 0; c < n; c++) {
    Solver *s = &(*solvers)[c];

    for (int k = 0; k < 2; k++) {
      both[2 * c + k].error         = s->error;
      both[2 * c + k].before_sample = [s, &run] { return solver_to(s, run.rtol); };
      both[2 * c + k].before_call   = [s] { return solver_change_values(s); };
    }
    both[2 * c].call     = [s] { return solver_setup(s); };
    both[2 * c + 1].call = [s] { return solver_solve(s); }; // it sets up
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, both));
  timed->clear();
  for (size_t c = 0; c < n; c++) {
    (*solvers)[c].setup_us = both[2 * c].timing.us_median;
    if (both[2 * c + 1].error.empty()) both[2 * c + 1].error = both[2 * c].error;
    timed->push_back(both[2 * c + 1]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Result {
  const char                *what;
  PetscInt                   iterations;
  std::vector<Timed>         timed;
  std::vector<EnergyPerCall> energy{};
};

// Of an iteration: solves of k, over k; of solves: these, with what comes before each
static PetscErrorCode measure_energy(Run *run, std::vector<Solver> *solvers, Result *r)
{
  PetscFunctionBeginUser;
  r->energy.assign(solvers->size(), EnergyPerCall());
  if (run->energy.wanted) PetscCall(progress(run->comm, std::string("energy: ") + r->what));
  for (size_t c = 0; c < solvers->size() && run->energy.wanted; c++) {
    const bool   iteration = std::string(r->what) == "ksp_iteration";
    const Timed  solves    = fixed_solves(&(*solvers)[c], r->iterations, nullptr);
    const Timed &candidate = iteration ? solves : r->timed[c];

    if (!r->timed[c].error.empty()) continue;
    PetscCall(energy_measure(run->device, &run->energy, candidate, iteration ? static_cast<double>(r->iterations) : 1, &r->energy[c]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_job(Run &run, const Job &job)
{
  Problem             p;
  std::list<Matrix>   matrices;
  std::vector<Solver> solvers;
  std::vector<Result> results;

  PetscFunctionBeginUser;
  PetscCall(problem_make(run.comm, job.problem, 0, &p));
  const PetscInt    k     = run.iterations ? run.iterations : (p.global_rows > 2500000 ? 16 : 64);
  const std::string title = p.name + " " + p.shape;

  PetscCall(progress(run.comm, title + ": " + std::to_string(p.global_nnz) + " nonzeros; matrices"));
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  PetscCall(create_all(run, p, job, &matrices, &solvers));
  PetscCall(progress(run.comm, title + ": checking"));
  const PetscReal rtol = job.solution ? run.rtol : 0;

  PetscCall(check_all(run, p, rtol, &solvers));
  PetscCall(progress(run.comm, title + ": timing " + std::to_string(solvers.size()) + " candidates"));
  if (job.iteration) {
    results.push_back({"ksp_iteration", k, {}}); // of the shorter solves
    PetscCall(time_iteration(run, k, &solvers, &results.back().timed));
  }
  if (job.solve) {
    results.push_back({"ksp_solve", run.solve_iterations, {}});
    PetscCall(time_solve(run, run.solve_iterations, true, &solvers, &results.back().timed));
    results.push_back({"ksp_solve_unchanged", run.solve_iterations, {}});
    PetscCall(time_solve(run, run.solve_iterations, false, &solvers, &results.back().timed));
  }
  if (job.unchanged) {
    results.push_back({"ksp_solve_unchanged", job.unchanged, {}});
    PetscCall(time_solve(run, job.unchanged, false, &solvers, &results.back().timed));
  }
  if (job.solution) {
    results.push_back({"time_to_solution", 0, {}});
    PetscCall(time_solution(run, &solvers, &results.back().timed));
  }
  for (Result &r : results) PetscCall(measure_energy(&run, &solvers, &r));
  PetscCall(check_all(run, p, rtol, &solvers)); // and once more, after all those solves
  const double copy_gbs[2] = {run.device_copy, run.host_copy};

  for (Result &r : results) {
    for (size_t c = 0; c < solvers.size(); c++) {
      if (r.timed[c].error.empty()) r.timed[c].error = solvers[c].error;
    }
    PetscCall(report_results(run.comm, run.device, p, r.what, r.iterations, run.rtol, solvers, r.timed, copy_gbs, run.energy, r.energy, &run.report));
  }
  for (Solver &s : solvers) {
    if (s.error.empty()) PetscCall(solver_destroy(&s));
  }
  for (Matrix &m : matrices) {
    if (m.error.empty()) PetscCall(matrix_destroy(&m));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::run()
{
  PetscFunctionBeginUser;
  PetscCall(energy_idle(comm, device, &energy));
  for (const Job &job : jobs) PetscCall(run_job(*this, job));
  PetscCall(report.all.print(comm));
  PetscCall(PetscPrintf(comm, "\n== Fused solvers against the best of PETSc's own\n"));
  PetscCall(report.best.print(comm));
  if (energy.wanted) {
    PetscCall(PetscPrintf(comm, "\n== Energy, millijoules of one iteration or solve; net: less what idling takes\n"));
    PetscCall(report.energy.print(comm));
  }
  PetscCall(progress(comm, "done"));
  failed = report.failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run run;

  return run.main(argc, argv, help);
}

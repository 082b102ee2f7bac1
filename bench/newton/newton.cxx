/*
   newton: the linear algebra of a Newton step as a whole - new values on the device, set-up of the preconditioner, a solve to a loose tolerance - with any list of solvers,
   matrix types and preconditioners in turns; the whole and its parts, the answers checked.
*/
static char help[] = "Times MatSetValuesCOO + PCSetUp + KSPSolve, as every Newton step does them.\n\
  -candidates a,b,...  KSP[+variant...]:MAT:PC, the first is what the others are compared with\n\
  -suite gh            b = 3 with 0.79M and 3.0M rows, b = 8 with 2.1M rows\n\
  -cases JxHxI:b,...   general hepta problems of J x H x I cells with b unknowns each; -values general (default), flow, spd\n\
  -matrices NAME:n,... the problems of spmv's suite matrices\n\
  -file F              a matrix in PETSc's binary format; -file_block_size b, -file_name NAME\n\
  -rtol r              relative tolerance of the solve (1e-3)\n\
  -order O             order of the values: csr (default), block, blockcol, shuffled, duplicates\n\
  -set_values          new values by MatSetValues, a row at a time, from the host\n\
  -samples n           samples of each candidate (9); -sample_ms t: shortest sample of whole steps (20)\n\
  -copy_mib n          size of the copy that measures the bandwidth (1024 on the device, 512 on the host)\n\
  -json FILE           append one JSON object a result\n\n";

#include "../common/bench.hpp"
#include "../common/capture.hpp"
#include "../common/results.hpp"
#include "step.hpp"
#include <list>

using namespace bench;

static const char gh_suite[]          = "64x64x64:3,100x100x100:3,64x64x64:8";
static const char host_candidates[]   = "bcgs:aij:pbjacobi,bcgs:aij:jacobi,bcgs:aij:bjacobi,fusedbcgs:bdiagh:pbjacobi";
static const char device_candidates[] = "bcgs:aijcusparse:pbjacobi,bcgs:aijcusparse:jacobi,bcgs:aijcusparse:bjacobi,fusedbcgs:bdiagh:pbjacobi";

struct Run final : Bench {
  std::vector<Spec> specs;
  ProblemList       problems;
  PetscReal         rtol  = 1e-3;
  Order             order = Order::csr;
  PetscBool         rows  = PETSC_FALSE; // -set_values
  Table             table{
    {"ksp", "mat", "pc", "values us", "set-up us", "solve us", "step us", "min", "max", "its", "residual", "x first", "x best", "verified"}
  };

  PetscErrorCode options() override;
  PetscErrorCode run() override;
};

PetscErrorCode Run::options()
{
  char candidates[4096], way[32] = "csr";

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(candidates, device.count ? device_candidates : host_candidates, sizeof(candidates)));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-candidates", candidates, sizeof(candidates), nullptr));
  PetscCall(specs_parse(candidates, &specs));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-rtol", &rtol, nullptr));
  PetscCheck(rtol > 0 && rtol < 1, comm, PETSC_ERR_USER_INPUT, "-rtol %g: expected a relative tolerance between 0 and 1", static_cast<double>(rtol));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-order", way, sizeof(way), nullptr));
  PetscCall(order_parse(way, &order));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-set_values", &rows, nullptr));
  PetscCheck(!rows || order == Order::csr, comm, PETSC_ERR_USER_INPUT, "-set_values sets whole rows and requires -order csr");
  PetscCall(problems_from_options(gh_suite, nullptr, &problems));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The values of both steps, on the host and, once a type takes them there, on the device
struct NewValues {
  Coo                coo; // its values are host[0]
  PetscCount         n = 0;
  Array<PetscScalar> host[2];
  PetscScalar       *device[2] = {nullptr, nullptr};
};

static PetscErrorCode take_values(bool rows, NewValues *v, System *s)
{
  const bool there = s->device && !rows;

  PetscFunctionBeginUser;
  if (rows) s->rows = &v->coo;
  for (int k = 0; k < 2; k++) {
    if (there && !v->device[k]) PetscCall(device_upload(v->host[k].get(), v->n, &v->device[k]));
    s->values[k] = there ? v->device[k] : v->host[k].get();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Matrices that several candidates share are made once. What fails is left as it is, not destroyed: a half-made object is not worth a crash
static PetscErrorCode create_all(const Run &run, const Problem &p, NewValues *values, std::list<System> *systems, std::vector<Stepper> *steppers)
{
  Coo &coo = values->coo;

  PetscFunctionBeginUser;
  PetscCall(coo_make(p, run.order, &coo));
  values->n       = coo.n;
  values->host[0] = std::move(coo.v);
  values->host[1].reset(new PetscScalar[coo.n]);
  for (PetscCount k = 0; k < coo.n; k++) values->host[1][k] = 2 * values->host[0][k];
  steppers->resize(run.specs.size());
  for (size_t k = 0; k < steppers->size(); k++) {
    Stepper &s      = (*steppers)[k];
    System  *system = nullptr;

    s.spec = run.specs[k];
    for (System &known : *systems) {
      if (known.type == s.spec.mat) system = &known;
    }
    ErrorCapture capture;
    if (!system) {
      systems->emplace_back();
      system        = &systems->back();
      system->type  = s.spec.mat;
      system->error = capture.message(system_create(run.comm, p, s.spec.mat, coo, system));
      if (system->error.empty()) system->error = capture.message(take_values(run.rows, values, system));
    }
    s.system = system;
    s.error  = system->error.empty() ? capture.message(stepper_create(run.comm, static_cast<int>(k), run.rtol, &s)) : system->error;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_all(const Run &run, const Problem &p, std::vector<Stepper> *steppers)
{
  std::vector<PetscScalar> first;

  PetscFunctionBeginUser;
  for (Stepper &s : *steppers) {
    if (!s.error.empty()) continue;
    ErrorCapture capture;
    s.error = capture.message(stepper_check(run.comm, p, run.corrupt ? 1.0 : 0.0, run.rtol, &first, &s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Whole steps back to back, as a code does them, then steps whose parts are timed alone; all candidates in turns
static PetscErrorCode time_all(const Run &run, std::vector<Stepper> *steppers, std::vector<Timed> *timed)
{
  PetscFunctionBeginUser;
  timed->assign(steppers->size(), Timed());
  for (size_t k = 0; k < steppers->size(); k++) {
    Stepper *s = &(*steppers)[k];

    (*timed)[k].error = s->error;
    (*timed)[k].call  = [s] { return stepper_step(s); };
  }
  PetscCall(time_interleaved(run.comm, run.device, run.timer, *timed));
  for (PetscInt n = 0; n < run.timer.samples; n++) {
    for (size_t k = 0; k < steppers->size(); k++) {
      Timed &t = (*timed)[k];

      if (!t.error.empty()) continue;
      ErrorCapture capture;
      t.error = capture.message(stepper_step_timed(run.comm, run.device, &(*steppers)[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool of_petsc(const Spec &s)
{
  return !s.fused() && s.mat.find("bdiagh") == std::string::npos && s.mat.find("sellp") == std::string::npos;
}

static std::string ratio(int base, size_t k, const std::vector<Timed> &timed)
{
  return base < 0 || !timed[base].error.empty() ? "-" : cell("%.2f", timed[base].timing.us_median / timed[k].timing.us_median);
}

// The whole and its parts, a line each
static PetscErrorCode write_lines(const Run &run, const Problem &p, const Stepper &s, const Timed &whole, const Timing phases[])
{
  static const char *const names[] = {"update", "pc_setup", "ksp_solve", "newton_step"};

  PetscFunctionBeginUser;
  for (int k = 0; k <= phase_count; k++) {
    Record line = problem_record("newton", p, names[k]), more;
    Timed  t    = whole;

    if (k < phase_count) t.timing = phases[k];
    line.add("mat", s.spec.mat).add("ksp", s.spec.ksp).add("pc", s.spec.pc).add("device", s.system->device ? "cuda" : "host");
    more.add("rtol", static_cast<double>(run.rtol)).add("iterations", static_cast<PetscInt64>(s.iterations)).add("residual", s.residual);
    more.add("difference", s.difference);
    if (k == phase_count) { // while the whole steps ran
      more.add("h2d_bytes", whole.traffic.h2d_bytes).add("d2h_bytes", whole.traffic.d2h_bytes).add("counted_calls", whole.counted);
    }
    PetscCall(results_write(run.comm, run.device, line, t, {NAN, s.system->device ? run.device_copy : run.host_copy}, more));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report(Run &run, const Problem &p, const std::vector<Stepper> &steppers, const std::vector<Timed> &timed)
{
  int best = -1;

  PetscFunctionBeginUser;
  run.table.title(p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows, " + std::to_string(p.global_nnz) + " nonzeros, rtol " +
                  cell("%g", static_cast<double>(run.rtol)));
  for (size_t k = 0; k < steppers.size(); k++) {
    if (timed[k].error.empty() && of_petsc(steppers[k].spec) && (best < 0 || timed[k].timing.us_median < timed[best].timing.us_median))
      best = static_cast<int>(k);
  }
  for (size_t k = 0; k < steppers.size(); k++) {
    const Stepper &s = steppers[k];
    const Timed   &t = timed[k];
    Timing         phases[phase_count];

    if (t.error.empty()) {
      for (int n = 0; n < phase_count; n++) phases[n] = timing_of(s.seconds[n], 1);
    }
    PetscCall(write_lines(run, p, s, t, phases));
    if (!t.error.empty()) {
      run.table.row({s.spec.ksp, s.spec.mat, s.spec.pc, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "false", t.error});
      run.failed = true;
      continue;
    }
    run.table.row({s.spec.ksp, s.spec.mat, s.spec.pc, cell_us(phases[phase_values].us_median), cell_us(phases[phase_setup].us_median),
                   cell_us(phases[phase_solve].us_median), cell_us(t.timing.us_median), cell_us(t.timing.us_min), cell_us(t.timing.us_max),
                   std::to_string(s.iterations), cell("%.1e", s.residual), ratio(0, k, timed), ratio(best, k, timed), "true"});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run_problem(Run &run, size_t index)
{
  Problem              p;
  NewValues            values;
  std::list<System>    systems;
  std::vector<Stepper> steppers;
  std::vector<Timed>   timed;

  PetscFunctionBeginUser;
  PetscCall(problem_make(run.comm, run.problems, index, &p));
  const std::string title = p.name + " " + p.shape;

  PetscCall(progress(run.comm, title + ": " + std::to_string(p.global_nnz) + " nonzeros; matrices"));
  PetscCall(create_all(run, p, &values, &systems, &steppers));
  PetscCall(progress(run.comm, title + ": checking"));
  PetscCall(check_all(run, p, &steppers));
  PetscCall(progress(run.comm, title + ": timing"));
  PetscCall(device_copy_rate(run.comm, run.device, &run.device_copy));
  PetscCall(time_all(run, &steppers, &timed));
  PetscCall(check_all(run, p, &steppers)); // and once more, after all those steps
  for (size_t k = 0; k < steppers.size(); k++) {
    if (timed[k].error.empty()) timed[k].error = steppers[k].error;
  }
  PetscCall(report(run, p, steppers, timed));
  for (Stepper &s : steppers) {
    if (s.error.empty()) PetscCall(stepper_destroy(&s));
  }
  for (System &s : systems) {
    if (s.error.empty()) PetscCall(system_destroy(&s));
  }
  for (PetscScalar *&d : values.device) {
    if (d) PetscCall(device_free(&d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run::run()
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < problems.size(); k++) PetscCall(run_problem(*this, k));
  PetscCall(table.print(comm));
  PetscCall(progress(comm, "done"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run run;

  return run.main(argc, argv, help);
}

/*
   Who is compared with whom, and how it is printed.
*/
#include "report.hpp"

namespace bench
{

// The fastest of PETSc's methods in the family and with the preconditioner of s: with matrix types of PETSc, or with the type of s, whoever
// wrote that
static int fastest(const Solver &s, const std::vector<Solver> &solvers, const std::vector<Timed> &timed, bool same_mat)
{
  int found = -1;

  for (int k = 0; k < static_cast<int>(solvers.size()); k++) {
    const Spec &c = solvers[k].spec;

    if (c.fused() || !timed[k].error.empty() || c.family() != s.spec.family() || c.pc != s.spec.pc) continue;
    if (same_mat ? c.mat != s.spec.mat : c.mat.find("bdiagh") != std::string::npos) continue;
    if (found < 0 || timed[k].timing.us_median < timed[found].timing.us_median) found = k;
  }
  return found;
}

static std::string ratio(int base, size_t k, const std::vector<Timed> &timed)
{
  return base < 0 ? "-" : cell("%.2f", timed[base].timing.us_median / timed[k].timing.us_median);
}

static std::string name(const Solver &s)
{
  return s.spec.ksp + " " + s.spec.mat;
}

static PetscErrorCode write_line(MPI_Comm comm, const DeviceInfo &device, const Problem &p, const char *what, PetscInt timed_iterations, PetscReal rtol,
                                 const Solver &s, const Timed &t, const double copy_gbs[2], const Record &energy)
{
  const bool   iteration = std::string(what) == "ksp_iteration", on_device = s.matrix->device;
  const double rows = static_cast<double>(p.global_rows), times = iteration ? 1 : timed_iterations ? static_cast<double>(timed_iterations) : NAN;
  Record       r = problem_record("ksp", p, what), more;

  PetscFunctionBeginUser;
  r.add("mat", s.spec.mat).add("ksp", s.spec.ksp).add("pc", s.spec.pc).add("mode", s.view.mode).add("device", on_device ? "cuda" : "host");
  more.add("launches", times * s.view.launches).add("waits", times * s.view.waits).add("timed_iterations", static_cast<PetscInt64>(timed_iterations));
  more.add("iterations", static_cast<PetscInt64>(s.iterations)).add("residual", s.residual);
  if (!iteration && !timed_iterations) more.add("setup_us", s.setup_us).add("rtol", static_cast<double>(rtol));
  if (!s.view.precision.empty()) more.add("precision", s.view.precision).add("updates", static_cast<PetscInt64>(s.view.updates));
  more.add(energy);
  PetscCall(results_write(comm, device, r, t, {times * s.view.bytes_per_row * rows, copy_gbs[on_device ? 0 : 1]}, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::vector<std::string> energy_cells(const Solver &s, const EnergyPerCall &e)
{
  const auto mj = [](double joules) { return cell("%.4g", 1e3 * joules); };

  return {s.spec.ksp,
          s.spec.mat,
          s.spec.pc,
          s.view.mode.empty() ? "-" : s.view.mode,
          cell_us(e.us),
          cell_us(e.busy_us),
          mj(e.gpu_joules),
          mj(e.gpu_net),
          cell("%.0f", e.gpu_watts),
          mj(e.cpu_joules),
          mj(e.cpu_net),
          cell("%.0f", e.cpu_watts),
          mj(e.joules)};
}

PetscErrorCode report_results(MPI_Comm comm, const DeviceInfo &device, const Problem &p, const char *what, PetscInt timed_iterations, PetscReal rtol,
                              const std::vector<Solver> &solvers, const std::vector<Timed> &timed, const double copy_gbs[2], const EnergyRun &energy_run,
                              const std::vector<EnergyPerCall> &energy, Report *report)
{
  const std::string title = p.name + " " + p.shape + ", " + std::to_string(p.global_rows) + " rows, " + what +
                            (what == std::string("ksp_iteration") ? ""
                             : timed_iterations                   ? " of " + std::to_string(timed_iterations) + " iterations"
                                                                  : " to " + cell("%g", static_cast<double>(rtol)));
  bool titled = false;

  PetscFunctionBeginUser;
  report->all.title(title);
  report->energy.title(title);
  for (size_t k = 0; k < solvers.size(); k++) {
    const Solver &s = solvers[k];
    const Timed  &t = timed[k];

    PetscCall(write_line(comm, device, p, what, timed_iterations, rtol, s, t, copy_gbs, energy_record(energy_run, energy[k])));
    if (!t.error.empty()) {
      report->all.row({s.spec.ksp, s.spec.mat, s.spec.pc, "-", "-", "-", "-", "-", "-", "-", "-", "false", t.error});
      report->failed = true;
      continue;
    }
    const int best = fastest(s, solvers, timed, false), same = fastest(s, solvers, timed, true);

    report->all.row({s.spec.ksp, s.spec.mat, s.spec.pc, s.view.mode.empty() ? "-" : s.view.mode, cell_us(t.timing.us_median), cell_us(t.timing.us_min),
                     cell_us(t.timing.us_max), cell("%.2f", s.view.launches), cell("%.2f", s.view.waits), std::to_string(s.iterations), ratio(best, k, timed),
                     "true"});
    if (energy_run.wanted) report->energy.row(energy_cells(s, energy[k]));
    if (!s.spec.fused()) continue;
    if (!titled) report->best.title(title);
    titled = true;
    report->best.row({s.spec.ksp, s.spec.mat, s.spec.pc, s.view.mode, cell_us(t.timing.us_median), best < 0 ? "-" : name(solvers[best]),
                      best < 0 ? "-" : cell_us(timed[best].timing.us_median), ratio(best, k, timed), same < 0 ? "-" : name(solvers[same]),
                      ratio(same, k, timed)});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

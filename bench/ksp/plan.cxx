/*
   The suites as lists, and the command line's own candidates.
*/
#include "plan_thesis.hpp"
#include "../common/matrices.hpp"
#include "../common/thesis.hpp"
#include <algorithm>

namespace bench
{

// Edges of the cubes with one unknown a cell. On the host a suite is for trying things out, so it stays small
static const std::vector<PetscInt> device_edges = {16, 32, 64, 100, 160, 256}, energy_edges = {64, 100, 160}, host_edges = {16, 32};
static const char                  device_blocks[] = "64x64x64:3,32x32x32:8,64x64x64:8", host_blocks[] = "16x16x16:3,12x12x12:8";
static const char *const           suite_names[]  = {"cg", "bcgs", "blocks", "bicg", "aijcusparse", "solve20"};
static const char                  device_wells[] = "64x64x64:1,64x64x64:1+2w,100x100x100:1,100x100x100:1+2w,60x220x85:1,60x220x85:1+2w",
                  host_wells[]                    = "12x12x12:1,12x12x12:1+2w";
static constexpr PetscInt solve_edge              = 64;

// PETSc's own types that a fused solver is measured against: rows as they are, and rows in slices
struct Types {
  std::string rows, slices;
};

// Every pair of a method and a matrix type, matrix types outside
static void cross(const std::vector<std::string> &ksps, const std::vector<std::string> &mats, const char *pc, std::vector<Spec> *list)
{
  for (const std::string &mat : mats) {
    for (const std::string &ksp : ksps) list->push_back({ksp, mat, pc});
  }
}

// A fused method in each of the modes asked for; `auto` is what a user gets, and goes without a variant
static std::vector<std::string> in_modes(const std::string &ksp, const std::vector<std::string> &modes)
{
  std::vector<std::string> list;

  for (const std::string &mode : modes) list.push_back(mode == "auto" ? ksp : ksp + "+" + mode);
  return list;
}

static void cg_candidates(const Types &t, const std::vector<std::string> &modes, std::vector<Spec> *list)
{
  cross({"cg", "cg+single_reduction", "pipecg", "groppcg"}, {t.rows, t.slices}, "jacobi", list);
  cross({"cg"}, {"bdiagh"}, "jacobi", list);
  cross({"fusedcg"}, {t.rows}, "jacobi", list);
  cross(in_modes("fusedcg", modes), {"bdiagh"}, "jacobi", list);
}

static void bcgs_candidates(const Types &t, const std::vector<std::string> &modes, std::vector<Spec> *list)
{
  cross({"bcgs", "fbcgs", "pipebcgs"}, {t.rows, t.slices}, "jacobi", list);
  cross({"bcgs"}, {"bdiagh"}, "jacobi", list);
  cross({"fusedbcgs"}, {t.rows}, "jacobi", list);
  cross(in_modes("fusedbcgs", modes), {"bdiagh"}, "jacobi", list);
}

// The slices of PETSc have no point-block Jacobi; with Jacobi they are shown beside it
static void block_candidates(const Types &t, const std::vector<std::string> &modes, std::vector<Spec> *list)
{
  cross({"bcgs", "fbcgs", "pipebcgs"}, {t.rows}, "pbjacobi", list);
  cross({"bcgs"}, {"bdiagh"}, "pbjacobi", list);
  cross(in_modes("fusedbcgs", modes), {"bdiagh"}, "pbjacobi", list);
  cross({"bcgs"}, {t.rows, t.slices, "bdiagh"}, "jacobi", list);
  cross({"fusedbcgs"}, {"bdiagh"}, "jacobi", list);
}

static void bicg_candidates(const Types &t, const std::vector<std::string> &modes, std::vector<Spec> *list)
{
  cross({"bicg"}, {t.rows, "bdiagh"}, "jacobi", list);
  cross({"fusedbicg"}, {t.rows}, "jacobi", list);
  cross(in_modes("fusedbicg", modes), {"bdiagh"}, "jacobi", list);
}

static ProblemList cube(PetscInt edge, Values values, PetscInt seed)
{
  ProblemList p;

  p.grids = {
    {edge, edge, edge, 1}
  };
  p.values = values;
  p.seed   = seed;
  return p;
}

static bool same_problem(const ProblemList &a, const ProblemList &b)
{
  if (!a.file.empty() || !b.file.empty() || a.grids.empty() || b.grids.empty()) return false;
  const Grid &x = a.grids[0], &y = b.grids[0];

  return x.J == y.J && x.H == y.H && x.I == y.I && x.b == y.b && x.wells == y.wells && x.wrap == y.wrap && a.values == b.values;
}

static void add(const Job &job, std::vector<Job> *jobs)
{
  const auto found = std::find_if(jobs->begin(), jobs->end(), [&](const Job &j) { return same_problem(j.problem, job.problem); });

  if (found == jobs->end()) {
    jobs->push_back(job);
    return;
  }
  for (const Spec &s : job.candidates) {
    if (std::find(found->candidates.begin(), found->candidates.end(), s) == found->candidates.end()) found->candidates.push_back(s);
  }
  found->iteration = found->iteration || job.iteration;
  found->solve     = found->solve || job.solve;
}

static PetscErrorCode add_suite(const std::string &suite, bool device, const std::vector<PetscInt> &edges, const std::vector<std::string> &modes,
                                const ProblemList &blocks, std::vector<Job> *jobs)
{
  const Types       types = device ? Types{"aijcusparse", "sellcuda"} : Types{"aij", "sell"};
  std::vector<Spec> cg, bcgs, bicg, block;

  PetscFunctionBeginUser;
  cg_candidates(types, modes, &cg);
  bcgs_candidates(types, modes, &bcgs);
  bicg_candidates(types, modes, &bicg);
  block_candidates(types, modes, &block);
  if (suite == "aijcusparse") { // fused vectors beside PETSc's own product
    const auto other = [&](const Spec &s) { return s.mat != types.rows; };

    cg.erase(std::remove_if(cg.begin(), cg.end(), other), cg.end());
    bcgs.erase(std::remove_if(bcgs.begin(), bcgs.end(), other), bcgs.end());
  }
  for (const PetscInt edge : edges) {
    if (suite == "cg" || suite == "aijcusparse") add({cube(edge, Values::spd, blocks.seed), cg, true, false}, jobs);
    if (suite == "bcgs" || suite == "aijcusparse") add({cube(edge, Values::flow, blocks.seed), bcgs, true, false}, jobs);
    if (suite == "bicg" && edge <= 100) add({cube(edge, Values::flow, blocks.seed), bicg, true, false}, jobs);
  }
  if (suite == "solve20") {
    const PetscInt edge = device ? solve_edge : *std::max_element(edges.begin(), edges.end());

    add({cube(edge, Values::spd, blocks.seed), cg, false, true}, jobs);
    add({cube(edge, Values::flow, blocks.seed), bcgs, false, true}, jobs);
  }
  if (suite == "blocks") {
    for (const Grid &g : blocks.grids) {
      ProblemList p = blocks;

      p.grids  = {g};
      p.values = Values::flow;
      add({p, block, true, false}, jobs);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Grids without and with wells; not one of `all`
static PetscErrorCode add_wells(bool device, const std::vector<std::string> &modes, PetscInt seed, std::vector<Job> *jobs)
{
  std::vector<Grid> grids;

  PetscFunctionBeginUser;
  PetscCall(grids_parse(device ? device_wells : host_wells, &grids));
  for (const Grid &g : grids)
    for (Values values : {Values::spd, Values::flow}) {
      const std::string method = values == Values::spd ? "cg" : "bcgs";
      Job               job;

      job.problem.grids  = {g};
      job.problem.values = values;
      job.problem.seed   = seed;
      cross({method}, {device ? "aijcusparse" : "aij"}, "jacobi", &job.candidates);
      cross(in_modes("fused" + method, modes), {"bdiagh"}, "jacobi", &job.candidates);
      job.iteration = true;
      add(job, jobs);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A fused method in each mode, waited for by polling and blocking, with a look at the scalars in every iteration and in every tenth; PETSc's own beside them; not one of `all`
static void add_energy(bool device, const std::vector<PetscInt> &edges, PetscInt seed, std::vector<Job> *jobs)
{
  const std::string rows = device ? "aijcusparse" : "aij";

  for (const PetscInt edge : edges)
    for (Values values : {Values::spd, Values::flow}) {
      const std::string method = values == Values::spd ? "cg" : "bcgs", fused = "fused" + method;
      Job               job;

      job.problem = cube(edge, values, seed);
      cross({method}, {rows, "bdiagh"}, "jacobi", &job.candidates);
      if (values == Values::spd) cross({"cg+single_reduction"}, {rows}, "jacobi", &job.candidates);
      cross({fused + "+twin"}, {"bdiagh"}, "jacobi", &job.candidates);
      for (const char *mode : {"+kernels", "+graph", "+persistent"}) {
        if (!device && mode != std::string("+kernels")) continue;
        for (const char *wait : {"+ksp_fused_wait=polling", "+ksp_fused_wait=blocking"}) cross({fused + mode + wait}, {"bdiagh"}, "jacobi", &job.candidates);
      }
      for (const char *interval : {"1", "10"}) cross({fused + "+kernels+ksp_fused_check_interval=" + interval}, {"bdiagh"}, "jacobi", &job.candidates);
      job.iteration = true;
      add(job, jobs);
    }
}

static PetscErrorCode edges_from_options(std::vector<PetscInt> *edges, PetscBool *set)
{
  PetscInt sizes[32], n = PETSC_STATIC_ARRAY_LENGTH(sizes);

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-sizes", sizes, &n, set));
  if (*set) edges->assign(sizes, sizes + n);
  PetscCheck(!edges->empty() && *std::min_element(edges->begin(), edges->end()) > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-sizes: expected edges of cubes, for example 32,64,100");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode modes_from_options(std::vector<std::string> *modes)
{
  char text[256] = "auto";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-modes", text, sizeof(text), nullptr));
  *modes = split_list(text);
  for (const std::string &mode : *modes) {
    PetscBool known;

    PetscCall(PetscStrInList(mode.c_str(), "auto,twin,kernels,graph,persistent", ',', &known));
    PetscCheck(known, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-modes %s is unknown; expected a list of auto, twin, kernels, graph, persistent", mode.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Candidates and problems as the command line has them
static PetscErrorCode custom_jobs(const char *candidates, const ProblemList &problems, std::vector<Job> *jobs)
{
  char what[64] = "iteration";
  Job  job;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-what", what, sizeof(what), nullptr));
  for (const std::string &name : split_list(what)) {
    PetscCheck(name == "iteration" || name == "solve" || name == "time_to_solution", PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-what %s is unknown; expected a list of iteration, solve, time_to_solution", name.c_str());
    if (name == "iteration") job.iteration = true;
    else if (name == "solve") job.solve = true;
    else job.solution = true;
  }
  PetscCall(specs_parse(candidates, &job.candidates));
  for (size_t k = 0; k < problems.size(); k++) {
    job.problem = problem_alone(problems, k);
    jobs->push_back(job);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode jobs_from_options(bool device, std::vector<Job> *jobs)
{
  char                     candidates[4096] = "", suite[128] = "all";
  std::vector<PetscInt>    edges = device ? device_edges : host_edges;
  std::vector<std::string> modes, suites;
  ProblemList              problems;
  PetscBool                custom, has_suite, has_file, has_matrices, sized;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-candidates", candidates, sizeof(candidates), &custom));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-suite", suite, sizeof(suite), &has_suite));
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-file", &has_file));
  PetscCheck(!custom || !has_suite, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "give either -candidates or -suite");
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-matrices", &has_matrices));
  PetscCheck(custom || !(has_file || has_matrices), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-file and -matrices need -candidates KSP:MAT:PC,...: suites have problems of their own");
  problems.values = Values::spd; // every method converges there
  PetscCall(grids_parse(custom ? "32x32x32:1" : (device ? device_blocks : host_blocks), &problems.grids));
  PetscCall(problems_from_options(nullptr, nullptr, &problems));
  if (custom) {
    PetscCall(custom_jobs(candidates, problems, jobs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(edges_from_options(&edges, &sized));
  PetscCall(modes_from_options(&modes));
  suites = split_list(suite);
  if (std::find(suites.begin(), suites.end(), "all") != suites.end()) suites.assign(std::begin(suite_names), std::end(suite_names));
  for (const std::string &name : suites) {
    if (name == "wells") {
      PetscCall(add_wells(device, modes, problems.seed, jobs));
      continue;
    }
    if (name == "energy") {
      add_energy(device, sized ? edges : device ? energy_edges : host_edges, problems.seed, jobs);
      continue;
    }
    if (thesis_suite(name)) {
      PetscCall(add_thesis(name, device, problems.seed, jobs));
      continue;
    }
    PetscCheck(
      std::find(std::begin(suite_names), std::end(suite_names), name) != std::end(suite_names), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
      "-suite %s is unknown; the suites are: cg, bcgs, blocks, bicg, aijcusparse, solve20, all, wells, energy, thesis-gh, thesis-widths, thesis-scaling, thesis-laplace",
      name.c_str());
    PetscCall(add_suite(name, device, edges, modes, problems, jobs));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

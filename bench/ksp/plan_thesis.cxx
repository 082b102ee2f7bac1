/*
   Candidates of the suites thesis-*, see plan_thesis.hpp.
*/
#include "plan_thesis.hpp"
#include "../common/thesis.hpp"

namespace bench
{

static constexpr PetscInt printed_iterations = 5;

// PETSc has no type for BSR on a GPU; on the host it is `baij`
static std::vector<Spec> bcgs_candidates(bool device, bool all_formats)
{
  std::vector<std::string> mats = {device ? "aijcusparse" : "aij"};
  std::vector<Spec>        list;

  if (all_formats && !device) mats.emplace_back("baij");
  if (all_formats) mats.insert(mats.end(), {device ? "sellcuda" : "sell", "sellp"});
  mats.emplace_back("bdiagh");
  for (const std::string &mat : mats) list.push_back({"bcgs", mat, "none"});
  list.push_back({"fusedbcgs", "bdiagh", "none"});
  return list;
}

// Each method as PETSc has it, fused with the same matrix type, fused with `bdiagh`
static std::vector<Spec> laplace_candidates(bool device)
{
  const std::string rows = device ? "aijcusparse" : "aij";
  std::vector<Spec> list;

  for (const char *pc : {"none", "jacobi"}) {
    for (const std::string method : {"cg", "bicg", "bcgs"}) {
      list.push_back({method, rows, pc});
      list.push_back({"fused" + method, rows, pc});
      list.push_back({"fused" + method, "bdiagh", pc});
    }
  }
  return list;
}

PetscErrorCode add_thesis(const std::string &suite, bool device, PetscInt seed, std::vector<Job> *jobs)
{
  const bool  laplace = suite == "thesis-laplace";
  ProblemList problems;

  PetscFunctionBeginUser;
  PetscCall(thesis_problems(suite, device, &problems));
  problems.seed = seed;
  for (size_t k = 0; k < problems.size(); k++) {
    Job job;

    job.problem    = problem_alone(problems, k);
    job.candidates = laplace ? laplace_candidates(device) : bcgs_candidates(device, suite != "thesis-scaling");
    job.iteration  = laplace;
    job.unchanged  = laplace ? 0 : printed_iterations;
    jobs->push_back(job);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

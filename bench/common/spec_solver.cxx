/*
   The solver that a candidate's names stand for.
*/
#include "spec_solver.hpp"

namespace bench
{

PetscErrorCode spec_solver(MPI_Comm comm, const Spec &spec, int number, Mat A, KSP *ksp)
{
  const std::string                                prefix = "candidate" + std::to_string(number) + "_";
  std::vector<std::pair<std::string, std::string>> options;
  PC                                               pc;

  PetscFunctionBeginUser;
  PetscCall(spec_variants(spec, &options));
  PetscCall(KSPCreate(comm, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix.c_str()));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, spec.type().c_str()));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, spec.pc.c_str()));
  for (const auto &o : options) PetscCall(PetscOptionsSetValue(nullptr, ("-" + prefix + o.first.substr(1)).c_str(), o.second.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

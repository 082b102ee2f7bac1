/*
   The list of estimates, see estimate.hpp.
*/
#include "estimate.hpp"
#include <petscsys.h>
#include <map>
#include <string>

namespace heptane
{

static std::map<std::string, ProductEstimator> &Estimators()
{
  static std::map<std::string, ProductEstimator> all;
  return all;
}

PetscErrorCode RegisterProductEstimator(const char type[], ProductEstimator estimator)
{
  PetscFunctionBegin;
  Estimators()[type] = estimator;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EstimateProduct(const char type[], const Csr &A, PetscInt block, ProductEstimate *estimate)
{
  const auto found = Estimators().find(type);

  PetscFunctionBegin;
  PetscCheck(found != Estimators().end(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "No estimate for the matrix type %s is registered", type);
  *estimate = found->second(A, block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

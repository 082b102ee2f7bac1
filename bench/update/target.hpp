/*
   One matrix type whose values are replaced through MatSetValuesCOO, with what is needed to check its product.
*/
#pragma once
#include "../common/matrices.hpp"
#include "../common/reference.hpp"
#include "../common/timer.hpp"
#include "../common/coo.hpp"

namespace bench
{

struct Target {
  std::string         type;
  std::string         error; // why it takes no part
  Mat                 A = nullptr;
  Vec                 x = nullptr, y = nullptr;
  PetscBool           device = PETSC_FALSE; // keeps its vectors, and so takes its values, on the device
  const PetscScalar  *values = nullptr;     // in the memory where the type takes them
  double              sum    = 0;           // the matrix holds `sum` times the problem's values
  std::vector<double> setup_seconds;
};

// A fresh empty matrix, and the seconds that MatSetPreallocationCOO takes on copies of the coordinates
PetscErrorCode target_setup(MPI_Comm comm, const Problem &p, const Coo &coo, const DeviceInfo &device, Target *t);
PetscErrorCode target_vectors(Target *t);
PetscErrorCode target_update(Target *t, InsertMode mode);
PetscErrorCode target_product(Target *t);

// Product on a poisoned vector against the reference; the result stays in t->y
PetscErrorCode target_error(MPI_Comm comm, const Reference &ref, Target *t, double *error);

// Damages the values, then INSERT_VALUES must restore them and ADD_VALUES must double them; the larger error of the two
PetscErrorCode target_semantics(MPI_Comm comm, const Reference &ref, Target *t, double *error);

// Compares t->y with the product of the first type that came here, which is kept in `first`
PetscErrorCode target_difference(MPI_Comm comm, const Reference &ref, Target *t, Reference *first, double *difference);
PetscErrorCode target_destroy(Target *t);

} // namespace bench

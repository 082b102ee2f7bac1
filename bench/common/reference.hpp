/*
   The independent answer that every timed operation is checked against: plain loops in double precision over the
   problem's CSR arrays, with the size of each row's terms, so that the error is judged row by row.
*/
#pragma once
#include "problem.hpp"
#include <petscvec.h>

namespace bench
{

enum class What { matmult, matmultadd, matmulttranspose, matgetdiagonal, matscale };

struct Reference {
  std::vector<double> value; // this rank's part of the result
  std::vector<double> scale; // sum of the absolute values of the terms of that entry
};

// Allowed |computed - reference| over scale: rounding of the longest row times a wide margin, far below any wrong entry
inline constexpr double tolerance = sizeof(PetscReal) == 8 ? 1e-12 : 1e-5;

// The vectors of every check: entry i of x (read by the matrix), of the vector added to a product, of a right-hand side
double         x_value(PetscInt global_index);
double         added_value(PetscInt global_index);
double         rhs_value(PetscInt global_index);
PetscErrorCode fill_x(Vec x);
PetscErrorCode fill_added(Vec z);
PetscErrorCode fill_rhs(const Problem &p, Vec b);

// NaN everywhere, in the host's and in the device's copy, so that a row that a product does not write cannot pass
PetscErrorCode poison(Vec v);

PetscErrorCode reference_compute(MPI_Comm comm, const Problem &p, What what, Reference *ref);

// |b - A x| / |b| in double precision for the right-hand side of fill_rhs, x a solver's answer; `damage` is added to the first entry of b.
// Every rank gets all of x for it.
PetscErrorCode reference_residual(MPI_Comm comm, const Problem &p, Vec x, double damage, double *relative);

// error = max over all rows and ranks of |result - factor * value| / (factor * scale); NaN anywhere gives infinity
PetscErrorCode reference_error(MPI_Comm comm, const Reference &ref, double factor, const PetscScalar result[], double *error);

} // namespace bench

/*
   Predicted bytes of a product if the matrix used another format, for advice. Formats register an estimate under the
   name of their type; the advice looks it up by name.
*/
#pragma once

#include "csr.hpp"

namespace heptane
{

/* Bytes of one product, vectors included: in the format, and in compressed rows with 32-bit indices */
struct ProductEstimate {
  double format = 0, rows = 0;
};

/* block: that of MatSetBlockSize(), 1 if none */
using ProductEstimator = ProductEstimate (*)(const Csr &A, PetscInt block);

PetscErrorCode RegisterProductEstimator(const char type[], ProductEstimator);
/* An error if no format of that name is registered */
PetscErrorCode EstimateProduct(const char type[], const Csr &A, PetscInt block, ProductEstimate *estimate);

} // namespace heptane

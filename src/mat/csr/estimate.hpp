/*
   What a product with a pattern would move in a format that the matrix does not have, for advice: formats register an estimate under their type's name, others ask by name.
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
/* An error where no format of that name has registered */
PetscErrorCode EstimateProduct(const char type[], const Csr &A, PetscInt block, ProductEstimate *estimate);

} // namespace heptane

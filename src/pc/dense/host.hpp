/*
   The host executors of the batched dense operations.
*/
#pragma once

#include "gauss_jordan.hpp"

namespace heptane
{

/* Adds the defects of the pivots of block number `cell` to the report */
void dense_record_failure(const Pivots &pivots, int block, std::size_t cell, DenseReport *report);
/* inverse: see dense_inverse_ld(). Inverses of singular blocks are not finite. */
void dense_invert_host(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report);
/* y = inverse x, or y = inverse^T x */
void dense_apply_host(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y);

} // namespace heptane

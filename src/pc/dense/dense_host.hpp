/*
   The host executors of the batched dense operations.
*/
#pragma once

#include "gauss_jordan.hpp"

namespace heptane
{

/* Adds what the pivots of block number `cell` tell */
void dense_note(const Pivots &pivots, int block, std::size_t cell, DenseReport *report);
/* inverse: see dense_inverse_ld(). Blocks that are singular leave values that are not finite. */
void dense_invert_host(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report);
/* y = inverse x, or y = inverse^T x */
void dense_apply_host(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y);

} // namespace heptane

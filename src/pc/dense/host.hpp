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

/* The same with inverses stored as Single */
void dense_apply_host(std::size_t rows, int block, const Single *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y);
/* dense_round_row() of every row; returns the number of rows that exceed the range of Single */
unsigned long long dense_round_host(std::size_t rows, int block, const Scalar *from, std::size_t from_ld, Single *to, std::size_t to_ld);

} // namespace heptane

/*
   Many square dense blocks of one size, in the storage of a matrix format or of a caller, and the report of their
   inversion. Uses no PETSc objects.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <cstdint>

namespace heptane
{

/* Entry (i, s) of block c is values[c * cell_step + i * row_step + s * column_step]; offset[c], if set, replaces c *
   cell_step */
struct DenseBlocks {
  std::size_t         count     = 0;
  int                 block     = 1;
  const Scalar       *values    = nullptr;
  std::size_t         cell_step = 1, row_step = 1, column_step = 1;
  const std::int64_t *offset = nullptr; /* [count], begin of each block; even numbers if block > 1 is even */

  std::size_t              rows() const { return count * block; }
  HEPTANE_HD const Scalar *begin(std::size_t c) const { return values + (offset ? static_cast<std::size_t>(offset[c]) : c * cell_step); }
  HEPTANE_HD Scalar        at(std::size_t c, int i, int s) const { return begin(c)[i * row_step + s * column_step]; }
  /* (i, s) of block c at values[s * ld + c * block + i] */
  static DenseBlocks value_columns(std::size_t count, int block, const Scalar *values, std::size_t ld)
  {
    return {count, block, values, static_cast<std::size_t>(block), 1, ld};
  }
  /* (i, s) of block c at values[offset[c] + s * ld + i] */
  static DenseBlocks columns_at(const std::int64_t *offset, std::size_t count, int block, const Scalar *values, std::size_t ld)
  {
    return {count, block, values, 0, 1, ld, offset};
  }
  static DenseBlocks row_major(std::size_t count, int block, const Scalar *values) /* block after block */
  {
    return {count, block, values, static_cast<std::size_t>(block) * block, static_cast<std::size_t>(block), 1};
  }
};

/* Inverses are stored in value columns: entry (i, s) of the inverse of block c is inverse[s * ld + c * block + i] */
inline std::size_t dense_inverse_ld(std::size_t rows)
{
  return (rows + 31) / 32 * 32; /* whole 128-byte lines of doubles for each warp */
}

/* Largest block that is inverted in registers of one thread, of one warp, and of one thread block, which is the largest
   that is supported */
constexpr int dense_thread_block = 8, dense_warp_block = 32, dense_largest_block = 112;

/* Defects found in the blocks. A row is c * block + step of the elimination; the smallest one is kept. */
struct DenseReport {
  static constexpr unsigned long long none     = ~0ull;
  unsigned long long                  zero_row = none, nonfinite_row = none, small_row = none;
  /* blocks with a zero pivot; otherwise with a pivot that is not finite; otherwise nearly singular */
  unsigned long long zeros = 0, nonfinite = 0, smalls = 0;
};

} // namespace heptane

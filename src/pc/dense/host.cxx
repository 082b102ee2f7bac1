/*
   The host executors of the batched dense operations: loops around the arithmetic of gauss_jordan.hpp and rows.hpp.
*/
#include "host.hpp"
#include "../../device/host_clones.hpp"
#include "../../device/with_block.hpp"
#include "gauss_jordan.hpp"
#include "rows.hpp"
#include "tuning.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

void dense_record_failure(const Pivots &pivots, int block, std::size_t cell, DenseReport *report)
{
  const unsigned long long first = cell * block;

  if (pivots.zero >= 0) {
    if (!report->zeros++) report->zero_row = first + pivots.zero;
  } else if (pivots.nonfinite >= 0) {
    if (!report->nonfinite++) report->nonfinite_row = first + pivots.nonfinite;
  } else if (pivots.nearly_singular(block)) {
    if (!report->smalls++) report->small_row = first + pivots.small;
  }
}

namespace kernels
{

/* As one thread does it */
template <int B>
HEPTANE_HOST_CLONES void invert_small(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  for (std::size_t c = 0; c < A.count; c++) {
    Scalar   a[B][B];
    unsigned order;

    for (int i = 0; i < B; i++)
      for (int s = 0; s < B; s++) a[i][s] = A.at(c, i, s);
    dense_record_failure(gauss_jordan<B>(a, order), B, c, report);
    for (int i = 0; i < B; i++)
      for (int s = 0; s < B; s++) inverse[((order >> 4 * s) & 15u) * ld + c * B + i] = a[i][s];
  }
}

/* As the lanes of a warp, or the threads of a block, one row after another */
HEPTANE_HOST_CLONES void invert_large(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  const int           b = A.block;
  std::vector<Scalar> a((std::size_t)b * b), r(b), scale(b);
  std::vector<int>    step(b), row(b); /* step in which a row is the pivot; row that is the pivot in a step */

  for (std::size_t c = 0; c < A.count; c++) {
    Pivots pivots(b);

    for (int i = 0; i < b; i++) {
      step[i] = -1;
      for (int s = 0; s < b; s++) a[(std::size_t)i * b + s] = A.at(c, i, s);
    }
    for (int k = 0; k < b; k++) {
      if (b <= dense_warp_block) {
        unsigned key = 0;

        for (int i = 0; i < b; i++)
          if (step[i] < 0) key = std::max(key, pivot_key(a[(std::size_t)i * b], i));
        row[k] = lane_of_key(key);
      } else {
        unsigned long long key = 0;

        for (int i = 0; i < b; i++)
          if (step[i] < 0) key = std::max(key, pivot_key_long(a[(std::size_t)i * b], i));
        row[k] = row_of_key(key);
      }
      std::copy_n(&a[(std::size_t)row[k] * b], b, r.begin());
      pivots.see(k, r[0]);
      const Scalar d = Scalar(1) / r[0];
      for (int i = 0; i < b; i++) row_step<0>(&a[(std::size_t)i * b], r.data(), i == row[k], d, b);
      step[row[k]]  = k;
      scale[row[k]] = d;
    }
    dense_record_failure(pivots, b, c, report);
    for (int i = 0; i < b; i++)
      for (int s = 0; s < b; s++) inverse[row[s] * ld + c * b + step[i]] = a[(std::size_t)i * b + s] * scale[i];
  }
}

template <int B, bool TRANSPOSE>
HEPTANE_HOST_CLONES void apply(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, const Scalar *x, Scalar *y)
{
  if constexpr (B > 0 && !TRANSPOSE) { /* dense_row() for all rows of a block: the value columns are read as concurrent streams */
    for (std::size_t first = 0; first < rows; first += B) {
      Scalar sum[B] = {};

      for (int s = 0; s < B; s++)
        for (int i = 0; i < B; i++) sum[i] += inverse[s * ld + first + i] * x[first + s];
      for (int i = 0; i < B; i++) y[first + i] = sum[i];
    }
  } else {
    for (std::size_t row = 0; row < rows; row++) y[row] = dense_row<B, TRANSPOSE>(inverse, ld, block, x, row);
  }
}

} // namespace kernels

void dense_invert_host(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  *report = DenseReport();
  with_block(A.block, [&](auto B) {
    if constexpr (B() > 0 && B() <= dense_thread_block) kernels::invert_small<B()>(A, inverse, ld, report);
    else kernels::invert_large(A, inverse, ld, report);
  });
}

void dense_apply_host(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y)
{
  with_block(block, [&](auto B) {
    if (transpose) kernels::apply<B(), true>(rows, block, inverse, ld, x, y);
    else kernels::apply<B(), false>(rows, block, inverse, ld, x, y);
  });
}

} // namespace heptane

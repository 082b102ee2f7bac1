/*
   Inverse of a dense block in place, by Gauss-Jordan elimination with partial pivoting, for host and device. Either one
   thread inverts a block: every index is a compile-time constant, so the block stays in registers. Or one lane
   processes a row (row_step): columns shift by one per step, so that a rolled loop needs no variable index. Uses no
   PETSc objects and no launch syntax.
*/
#pragma once

#include "blocks.hpp"
#include <cmath>
#include <cstring>
#include <limits>

namespace heptane
{

/* Variables, because device code cannot call host functions */
constexpr PetscReal dense_epsilon = std::numeric_limits<PetscReal>::epsilon(), dense_largest = std::numeric_limits<PetscReal>::max();

/* Statistics of the pivots of a block, updated in each step of the elimination */
struct Pivots {
  PetscReal least = dense_largest, most = 0;
  PetscReal tiny;                                 /* a smaller pivot is zero: PETSc has a threshold for blocks of one row only */
  int       zero = -1, nonfinite = -1, small = 0; /* step of the first zero pivot, of the first pivot that is not finite, of the smallest pivot */

  HEPTANE_HD explicit Pivots(int block) : tiny(block == 1 ? dense_epsilon : PetscReal(0)) {}
  HEPTANE_HD void see(int step, Scalar pivot)
  {
    const PetscReal size = std::fabs(pivot);

    if ((size == 0 || size < tiny) && zero < 0) zero = step;
    if (!(size <= dense_largest) && nonfinite < 0) nonfinite = step;
    if (size < least) {
      least = size;
      small = step;
    }
    if (size > most) most = size;
  }
  /* Singular to working precision: the smallest pivot is at rounding level of the largest */
  HEPTANE_HD bool nearly_singular(int block) const { return least <= block * dense_epsilon * most; }
};

/*
   Replaces a by its inverse with permuted columns: column s of a is column (order >> 4 s) & 15 of the inverse. The row
   and the column of a step are removed at the front and appended at the end. Every step therefore has the same indices,
   and the loop need not be unrolled; after B steps all rows and columns are in place. UNROLL: unrolled steps.
*/
template <int B, int UNROLL = B>
HEPTANE_HD Pivots gauss_jordan(Scalar (&a)[B][B], unsigned &order)
{
  static_assert(B <= dense_thread_block, "the order has four bits a column");
  Pivots pivots(B);

  order = 0x76543210u & (~0u >> (32 - 4 * B));
#if defined(__CUDA_ARCH__)
  #pragma unroll UNROLL
#endif
  for (int k = 0; k < B; k++) {
    Scalar    r[B];
    int       p    = 0;
    PetscReal most = std::fabs(a[0][0]);

    HEPTANE_UNROLL
    for (int i = 1; i < B; i++) {
      const PetscReal size = std::fabs(a[i][0]);
      if (i < B - k && size > most) { /* the rows after these have been pivots */
        most = size;
        p    = i;
      }
    }
    if (p) {
      const unsigned swapped = (order ^ (order >> 4 * p)) & 15u;
      order ^= swapped | (swapped << 4 * p);
      HEPTANE_UNROLL
      for (int i = 1; i < B; i++)
        if (i == p) {
          HEPTANE_UNROLL
          for (int s = 0; s < B; s++) {
            const Scalar t = a[0][s];
            a[0][s]        = a[i][s];
            a[i][s]        = t;
          }
        }
    }
    order = order >> 4 | (order & 15u) << 4 * (B - 1);
    pivots.see(k, a[0][0]);
    const Scalar d = Scalar(1) / a[0][0];
    HEPTANE_UNROLL
    for (int s = 1; s < B; s++) r[s] = a[0][s] * d;
    HEPTANE_UNROLL
    for (int i = 1; i < B; i++) {
      const Scalar m = a[i][0];
      HEPTANE_UNROLL
      for (int s = 1; s < B; s++) a[i - 1][s - 1] = a[i][s] - m * r[s];
      a[i - 1][B - 1] = Scalar(0) - m * d; /* this form is one operation in every compilation */
    }
    HEPTANE_UNROLL
    for (int s = 1; s < B; s++) a[B - 1][s - 1] = r[s];
    a[B - 1][B - 1] = d;
  }
  return pivots;
}

/*
   Key of a row in the search for the pivot: the unused row with the largest key is chosen. Magnitudes are compared to
   2^-14; ties select the lower lane. NaN has the largest key, so that it is reported. A used row has the key 0.
*/
HEPTANE_HD unsigned pivot_key(Scalar value, int lane)
{
  const double       size = std::fabs(value);
  unsigned long long bits;

  memcpy(&bits, &size, sizeof(bits));
  return (static_cast<unsigned>(bits >> 32) & 0x7fffffc0u) | 32u | static_cast<unsigned>(31 - lane);
}
HEPTANE_HD int lane_of_key(unsigned key)
{
  return 31 - static_cast<int>(key & 31u);
}

/* The same for blocks with more rows than a warp has lanes: magnitudes are compared to 2^-44 */
HEPTANE_HD unsigned long long pivot_key_long(Scalar value, int row)
{
  const double       size = std::fabs(value);
  unsigned long long bits;

  memcpy(&bits, &size, sizeof(bits));
  return (bits & 0x7fffffffffffff00ull) | 128u | static_cast<unsigned>(127 - row);
}
HEPTANE_HD int row_of_key(unsigned long long key)
{
  return 127 - static_cast<int>(key & 127u);
}

/*
   One elimination step for one row. r: the pivot row; d = 1 / r[0]; pivot_row: a is the pivot row, which is scaled by
   its d after the last step. a[0] belongs to the column of this step: it is removed, the other entries shift down by
   one, and the new entry is appended. After b steps all are in place: the pivot row of step k is row k of the inverse,
   and the column of its entry s has the number of the pivot row of step s. B: block size, or 0 if b is given.
*/
template <int B>
HEPTANE_HD void row_step(Scalar *a, const Scalar *r, bool pivot_row, Scalar d, int b = B)
{
  const int    n = B > 0 ? B : b;
  const Scalar m = pivot_row ? Scalar(0) : -a[0] * d;

  HEPTANE_UNROLL
  for (int s = 1; s < n; s++) a[s - 1] = a[s] + m * r[s];
  a[n - 1] = pivot_row ? Scalar(1) : m;
}

} // namespace heptane

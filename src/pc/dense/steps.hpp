/*
   A step of LU for a row and of Householder QR for a column, for host and device. As in row_step(), the entries shift
   by one per step, so that a rolled loop needs no variable index into registers.
*/
#pragma once

#include "blocks.hpp"
#include <cmath>

namespace heptane
{

/* The reflection 1 - tau v v^T, v = (1, scale rest), that maps (alpha, rest) to (beta, 0); squares: sum of squares of
   rest, unscaled, so that entries beyond 1e150 (double precision) overflow */
struct DenseReflection {
  Scalar beta, tau, scale;
};
HEPTANE_HD DenseReflection dense_reflection(Scalar alpha, Scalar squares)
{
  if (squares == 0) return {alpha, 0, 0};
  const Scalar norm = static_cast<Scalar>(sqrt(alpha * alpha + squares));
  const Scalar beta = alpha > 0 ? -norm : norm;
  return {beta, (beta - alpha) / beta, Scalar(1) / (alpha - beta)};
}

/* Applies the reflection h of column c to column a, both from the row of the step on. Returns the first entry, which
   belongs to R; the other entries shift by one, and a zero is appended. N: length, or 0 if n is given */
template <int N>
HEPTANE_HD Scalar reflect_column(Scalar *a, const Scalar *c, const DenseReflection &h, int n = N)
{
  const int length = N > 0 ? N : n;
  Scalar    even = 0, odd = 0;

  HEPTANE_UNROLL
  for (int i = 1; i < length; i++) (i % 2 ? odd : even) += c[i] * a[i];
  const Scalar w = h.tau * (a[0] + h.scale * (even + odd)), first = a[0] - w, v = w * h.scale;
  HEPTANE_UNROLL
  for (int i = 1; i < length; i++) a[i - 1] = a[i] - v * c[i];
  a[length - 1] = 0;
  return first;
}

/* A step of LU for one row. r: the pivot row with zeros in the columns of earlier steps; d = 1 / r[0]; used: the row is
   the pivot of this or of an earlier step. a[0] belongs to the column of the step and is appended as its entry of L or
   of U. After one step per column all entries are in place. N: columns, or 0 if n is given */
template <int N>
HEPTANE_HD void lu_row_step(Scalar *a, const Scalar *r, bool used, Scalar d, int n = N)
{
  const int    length = N > 0 ? N : n;
  const Scalar m = used ? Scalar(0) : a[0] * d, last = used ? a[0] : m;

  HEPTANE_UNROLL
  for (int s = 1; s < length; s++) a[s - 1] = a[s] - m * r[s];
  a[length - 1] = last;
}

} // namespace heptane

/*
   A step of LU for a row and of Householder QR for a column, for host and device. As in row_step() the entries move one place a step, so that a loop that is not unrolled needs no
   index into registers.
*/
#pragma once

#include "blocks.hpp"
#include <cmath>

namespace heptane
{

/* The reflection 1 - tau v v^T, v = (1, scale rest), that takes (alpha, rest), rest of this sum of squares, to (beta, 0). Sums of squares are not scaled: entries beyond 1e150 (double
   precision) overflow */
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

/* The reflection h of column c applied to column a, both from the row of the step on. The first entry, which is one of R, is returned; the others move up one place, and a zero
   enters at the end. N: length, or 0 and n */
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

/* A step of LU for one row: r the pivot's row with zeros in the columns of the steps before, d = 1 / r[0]; used: the row is the pivot of this step or of one before. a[0] belongs to
   the column of the step and goes to the end, as its entry of L or of U: after as many steps as columns all are back. N: columns, or 0 and n */
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

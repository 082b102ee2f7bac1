/*
   A matrix for tests of products: cells in a line, full blocks, and the inverses of its diagonal blocks.
*/
#pragma once

#include "fused_vectors.hpp"

namespace heptane
{

/* Cells of b rows in a line, each with full blocks to itself and its neighbours */
struct Line {
  static constexpr int no_diagonal = -1;
  int                  n, b;

  int    rows() const { return n; }
  int    tile() const { return 2 * b; }
  int    diagonal() const { return 0; }
  Scalar entry(int i, int j) const
  {
    const int apart = j / b - i / b;

    return apart < -1 || apart > 1 ? Scalar(0) : i == j ? Scalar(4 + b + i % 3) : Scalar(0.1) * Scalar(1 + (3 * i + j) % 7);
  }
  /* skip: the diagonal blocks are left out */
  Scalar row(const Scalar *x, int i, bool skip) const
  {
    const int first = std::max(0, (i / b - 1) * b), last = std::min(n, (i / b + 2) * b);
    Scalar    y = 0;

    for (int j = first; j < last; j++)
      if (!skip || j / b != i / b) y += entry(i, j) * x[j];
    return y;
  }
  void multiply(const Scalar *x, int first, int last, int skip, Scalar *y) const
  {
    for (int i = first; i < last; i++) y[i] = row(x, i, skip == diagonal());
  }
};

/* Inverses of the diagonal blocks by Gauss-Jordan elimination, as FusedPc has them; of points where b is 1 */
inline Vector inverses(const Line &A)
{
  const std::size_t n = A.n;
  Vector            inverse(A.b * n);

  for (int c = 0; c < A.n; c += A.b) {
    std::vector<double> D(A.b * A.b), I(A.b * A.b);
    for (int i = 0; i < A.b; i++)
      for (int j = 0; j < A.b; j++) D[i * A.b + j] = A.entry(c + i, c + j), I[i * A.b + j] = i == j;
    for (int k = 0; k < A.b; k++) {
      const double pivot = D[k * A.b + k];
      for (int j = 0; j < A.b; j++) D[k * A.b + j] /= pivot, I[k * A.b + j] /= pivot;
      for (int i = 0; i < A.b; i++) {
        const double f = D[i * A.b + k];
        for (int j = 0; j < A.b && i != k; j++) D[i * A.b + j] -= f * D[k * A.b + j], I[i * A.b + j] -= f * I[k * A.b + j];
      }
    }
    for (int i = 0; i < A.b; i++)
      for (int s = 0; s < A.b; s++) inverse[s * n + c + i] = Scalar(I[i * A.b + s]);
  }
  return inverse;
}

} // namespace heptane

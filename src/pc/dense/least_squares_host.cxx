/*
   Least squares on the host: the algorithm of least_squares.cu, one block after another.
*/
#include "host.hpp"
#include "least_squares.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

void dense_least_squares_host(const DenseSystems &A, DenseReport *report)
{
  const int           m = A.rows, n = A.columns;
  std::vector<Scalar> columns((std::size_t)m * (n + 1)), c(m), R((std::size_t)n * n),
    y(m); /* the right-hand side is one more column; row k of R begins at R[k * n] */

  *report = DenseReport();
  for (std::size_t cell = 0; cell < A.count; cell++) {
    Scalar *b = A.b + cell * m;
    Pivots  pivots(n);

    std::copy_n(A.values + cell * m * n, (std::size_t)m * n, columns.begin());
    std::copy_n(b, m, columns.end() - m);
    for (int k = 0; k < n; k++) {
      const int length  = m - k;
      Scalar    squares = 0;

      std::copy_n(&columns[(std::size_t)k * m], length, c.begin());
      for (int i = 1; i < length; i++) squares += c[i] * c[i];
      const DenseReflection h = dense_reflection(c[0], squares);
      pivots.see(k, h.beta);
      R[(std::size_t)k * n + k] = h.beta;
      for (int s = k + 1; s <= n; s++) {
        const Scalar first = reflect_column<0>(&columns[(std::size_t)s * m], c.data(), h, length);

        if (s < n) R[(std::size_t)k * n + s] = first;
        else y[k] = first;
      }
    }
    std::copy_n(columns.end() - m, m - n, y.begin() + n);
    for (int k = n - 1; k >= 0; k--) {
      y[k] /= R[(std::size_t)k * n + k];
      for (int i = 0; i < k; i++) y[i] -= R[(std::size_t)i * n + k] * y[k];
    }
    std::copy_n(y.begin(), m, b);
    dense_record_failure(pivots, n, cell, report);
  }
}

} // namespace heptane

/*
   LU and QR factors of dense blocks and solves with them on the host, one block after another: the algorithms of
   factor.cu and factor_warp.cu.
*/
#include "factor.hpp"
#include "gauss_jordan.hpp"
#include "host.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace
{

/* a[i * b + s]; step[i]: row of the factor that row i becomes */
Pivots factor_lu(Scalar *a, int b, bool pivoting, std::vector<int> &step)
{
  Pivots pivots(b);

  std::fill(step.begin(), step.end(), -1);
  for (int k = 0; k < b; k++) {
    unsigned long long key = 0;

    for (int i = 0; i < b; i++)
      if (step[i] < 0) key = std::max(key, pivot_key_long(a[i * b + k], i));
    const int    p = pivoting ? row_of_key(key) : k;
    const Scalar d = Scalar(1) / a[p * b + k];

    pivots.see(k, a[p * b + k]);
    step[p] = k;
    for (int i = 0; i < b; i++)
      if (step[i] < 0) {
        const Scalar m = a[i * b + k] * d;

        for (int s = k + 1; s < b; s++) a[i * b + s] -= m * a[p * b + s];
        a[i * b + k] = m;
      }
  }
  return pivots;
}

/* As the lanes of a warp, one row after another */
Pivots factor_lu_rows(Scalar *a, int b, bool pivoting, std::vector<int> &step)
{
  Pivots              pivots(b);
  std::vector<Scalar> r(b);

  std::fill(step.begin(), step.end(), -1);
  for (int k = 0; k < b; k++) {
    unsigned key = 0;

    for (int i = 0; i < b; i++)
      if (step[i] < 0) key = std::max(key, pivot_key(a[i * b], i));
    const int p = pivoting ? lane_of_key(key) : k;

    for (int s = 0; s < b; s++) r[s] = s < b - k ? a[p * b + s] : Scalar(0);
    step[p] = k;
    pivots.see(k, r[0]);
    for (int i = 0; i < b; i++) lu_row_step<0>(a + i * b, r.data(), step[i] >= 0, Scalar(1) / r[0], b);
  }
  return pivots;
}

/* As the lanes of a warp, one column after another */
Pivots factor_qr_columns(Scalar *a, int b, Scalar *tau)
{
  Pivots              pivots(b);
  std::vector<Scalar> columns(b * b), c(b);

  for (int i = 0; i < b; i++)
    for (int s = 0; s < b; s++) columns[s * b + i] = a[i * b + s];
  for (int k = 0; k < b; k++) {
    const int length  = b - k;
    Scalar    squares = 0;

    std::copy_n(&columns[k * b], length, c.begin());
    for (int i = 1; i < length; i++) squares += c[i] * c[i];
    const DenseReflection h = dense_reflection(c[0], squares);
    pivots.see(k, h.beta);
    tau[k]       = h.tau;
    a[k * b + k] = h.beta;
    for (int i = 1; i < length; i++) a[(k + i) * b + k] = c[i] * h.scale;
    for (int s = k + 1; s < b; s++) a[k * b + s] = reflect_column<0>(&columns[s * b], c.data(), h, length);
  }
  return pivots;
}

Pivots factor_qr(Scalar *a, int b, Scalar *tau)
{
  Pivots pivots(b);

  for (int k = 0; k < b; k++) {
    Scalar squares = 0;

    for (int i = k + 1; i < b; i++) squares += a[i * b + k] * a[i * b + k];
    const DenseReflection h = dense_reflection(a[k * b + k], squares);
    for (int i = k + 1; i < b; i++) a[i * b + k] *= h.scale;
    for (int s = k + 1; s < b; s++) {
      Scalar dot = a[k * b + s];

      for (int i = k + 1; i < b; i++) dot += a[i * b + k] * a[i * b + s];
      a[k * b + s] -= h.tau * dot;
      for (int i = k + 1; i < b; i++) a[i * b + s] -= h.tau * dot * a[i * b + k];
    }
    a[k * b + k] = h.beta;
    tau[k]       = h.tau;
    pivots.see(k, h.beta);
  }
  return pivots;
}

/* Triangular solves in place. transposed: with the transpose of the triangle; unit: ones on the diagonal */
void solve_lower(const DenseFactors &F, std::size_t c, bool transposed, bool unit, Scalar *x)
{
  for (int k = 0; k < F.block; k++) {
    if (!unit) x[k] /= F.at(c, k, k);
    for (int i = k + 1; i < F.block; i++) x[i] -= (transposed ? F.at(c, k, i) : F.at(c, i, k)) * x[k];
  }
}
void solve_upper(const DenseFactors &F, std::size_t c, bool transposed, bool unit, Scalar *x)
{
  for (int k = F.block - 1; k >= 0; k--) {
    if (!unit) x[k] /= F.at(c, k, k);
    for (int i = 0; i < k; i++) x[i] -= (transposed ? F.at(c, k, i) : F.at(c, i, k)) * x[k];
  }
}

void reflect(const DenseFactors &F, std::size_t c, int k, Scalar *x)
{
  Scalar dot = 0;

  for (int i = k; i < F.block; i++) dot += F.reflector(c, i, k) * x[i];
  dot *= F.tau[c * F.block + k];
  for (int i = k; i < F.block; i++) x[i] -= dot * F.reflector(c, i, k);
}

} // namespace

void dense_factor_host(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report)
{
  const int           b    = A.block;
  const bool          warp = b <= dense_warp_block;
  std::vector<Scalar> a((std::size_t)b * b);
  std::vector<int>    step(b);

  *report = DenseReport();
  for (std::size_t c = 0; c < A.count; c++) {
    for (int i = 0; i < b; i++)
      for (int s = 0; s < b; s++) a[i * b + s] = A.at(c, i, s);
    if (F.method == DenseMethod::lu) {
      dense_record_failure(warp ? factor_lu_rows(a.data(), b, pivoting, step) : factor_lu(a.data(), b, pivoting, step), b, c, report);
      for (int i = 0; i < b; i++) F.pivot[c * b + step[i]] = i;
    } else {
      dense_record_failure(warp ? factor_qr_columns(a.data(), b, F.tau + c * b) : factor_qr(a.data(), b, F.tau + c * b), b, c, report);
      for (int i = 0; i < b; i++) step[i] = i;
    }
    for (int i = 0; i < b; i++)
      for (int s = 0; s < b; s++) F.values[s * F.ld + c * b + step[i]] = a[i * b + s];
  }
}

void dense_solve_host(const DenseFactors &F, bool transpose, const Scalar *from, Scalar *to)
{
  const int           b = F.block;
  std::vector<Scalar> x(b);

  for (std::size_t c = 0; c < F.count; c++, from += b, to += b) {
    const int *pivot = F.method == DenseMethod::lu ? F.pivot + c * b : nullptr;

    for (int i = 0; i < b; i++) x[i] = from[pivot && !transpose ? pivot[i] : i];
    if (pivot) {
      solve_lower(F, c, transpose, !transpose, x.data());
      solve_upper(F, c, transpose, transpose, x.data());
    } else if (!transpose) {
      for (int k = 0; k < b; k++) reflect(F, c, k, x.data());
      solve_upper(F, c, false, false, x.data());
    } else {
      solve_lower(F, c, true, false, x.data());
      for (int k = b - 1; k >= 0; k--) reflect(F, c, k, x.data());
    }
    for (int i = 0; i < b; i++) to[pivot && transpose ? pivot[i] : i] = x[i];
  }
}

} // namespace heptane

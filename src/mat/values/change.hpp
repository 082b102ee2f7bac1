/*
   Changes of values of any format: scaling by rows and columns of a list of compressed rows, values at given places,
   sums of two arrays, sums of squares. The arithmetic for host and device; launchers return the CUDA error, do not
   synchronise, and take the stream as an argument.
*/
#pragma once

#include "../csr/rows.hpp"

namespace heptane
{

/* v l r in the order of PETSc's two sweeps. A zero stays zero: in a place without entry, l and r belong to an entry
   elsewhere and may not be finite */
HEPTANE_HD Scalar scaled(Scalar v, Scalar l, Scalar r)
{
  return v == Scalar(0) ? v : v * l * r;
}

/* l(i), 1 if l is null */
HEPTANE_HD Scalar factor(const Scalar *l, std::size_t i)
{
  return l ? l[i] : Scalar(1);
}

/* Row k of the list: values(i, j) *= l(i) r(j); the entries of lane `lane` of `lanes` */
HEPTANE_HD void csr_scale_row(const CsrRows &A, Scalar *values, const Scalar *l, const Scalar *r, int k, int lane, int lanes)
{
  const Scalar left = factor(l, static_cast<std::size_t>(A.row[k]));

  for (int p = A.ptr[k] + lane; p < A.ptr[k + 1]; p += lanes) values[p] = scaled(values[p], left, factor(r, static_cast<std::size_t>(A.col[p])));
}

#if defined(PETSC_HAVE_CUDA)
cudaError_t launch_csr_scale(const CsrRows &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream);
/* y += a x */
cudaError_t launch_axpy(Scalar *y, std::size_t n, Scalar a, const Scalar *x, cudaStream_t stream);
/* d[k] = values[place[k]], 0 if place[k] is negative. Index: int or std::int64_t */
template <class Index>
cudaError_t launch_take(const Scalar *values, std::size_t n, const Index *place, Scalar *d, cudaStream_t stream);
/* values[place[k]] = d[k], or += with add; d null: value */
template <class Index>
cudaError_t launch_put(Scalar *values, std::size_t n, const Index *place, const Scalar *d, Scalar value, bool add, cudaStream_t stream);
/* sums[k], k < change_sums, whose sum is that of the squares of the values */
constexpr int change_sums = 256;
cudaError_t   launch_squares(const Scalar *values, std::size_t n, Scalar *sums, cudaStream_t stream);
#endif

} // namespace heptane

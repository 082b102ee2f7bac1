/*
   Kernels of COO assembly on a flat array of values on the device: place a caller's values, add repeated ones, gather
   values to send; also scale. Launchers return the CUDA error, do not synchronise, and take the stream as an argument.
   Only with CUDA.
*/
#pragma once

#include "rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

cudaError_t launch_scale(Scalar *values, std::size_t n, Scalar a, cudaStream_t stream);

/* values[(c * width + s) * stride + q] = (or +=) source[start[c * stride + q] + s * step], for c < columns, q < stride,
   s < width, if start >= 0. pairs: step is 1, width and every start are even */
template <class Index>
cudaError_t launch_coo_groups(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *start, std::size_t step, bool pairs,
                              const CooSource &source, bool add, cudaStream_t stream);
/* values[first + q] = (or +=) source[perm[q]], for q < count with perm[q] >= 0 */
template <class Index>
cudaError_t launch_coo_single(Scalar *values, std::size_t first, std::size_t count, const Index *perm, const CooSource &source, bool add, cudaStream_t stream);
/* values[(c * width + s) * stride + q] = (or +=) sum of source[run[p] + s * step], begin[g] <= p < begin[g + 1], in
   ascending p, for g = c * stride + q, c < columns, q < stride, s < width, if group g has runs */
template <class Index>
cudaError_t launch_coo_sums(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *begin, const Index *run, std::size_t step,
                            const CooSource &source, bool add, cudaStream_t stream);
/* out[q] = v[perm[q]] (0 if v is null): the data for other processes */
template <class Index>
cudaError_t launch_gather(const Scalar *v, const Index *perm, std::size_t count, Scalar *out, cudaStream_t stream);

} // namespace heptane

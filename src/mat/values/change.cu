/*
   Kernels that change values of any format.
*/
#include "change.hpp"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256; /* guess: every kernel here is one pass, bound by bandwidth */

/*
   Computes  csr_scale_row() of every row of the list
   Threads   a warp per row, adjacent lanes process adjacent entries
   Bytes     per entry 2 sizeof(Scalar) + 4, r gathered; per row 12 + sizeof(Scalar)
   Order     none
*/
__global__ void __launch_bounds__(threads) csr_scale_kernel(CsrRows A, Scalar *values, const Scalar *__restrict__ l, const Scalar *__restrict__ r)
{
  const std::size_t k = (blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / 32;

  if (k < static_cast<std::size_t>(A.count)) csr_scale_row(A, values, l, r, static_cast<int>(k), threadIdx.x % 32, 32);
}

constexpr int axpy_values = 4; /* per thread: eight loads in flight; guess */

/*
   Computes  y += a x
   Threads   one per axpy_values values, which are `threads` apart
   Bytes     3 sizeof(Scalar) per value
   Order     none
*/
__global__ void __launch_bounds__(threads) axpy_kernel(Scalar *y, std::size_t n, Scalar a, const Scalar *x)
{
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(threads * axpy_values) + threadIdx.x;
  Scalar            u[axpy_values], v[axpy_values];

#pragma unroll
  for (int j = 0; j < axpy_values; j++) {
    const std::size_t k = first + j * threads;
    if (k < n) {
      u[j] = x[k];
      v[j] = y[k];
    }
  }
#pragma unroll
  for (int j = 0; j < axpy_values; j++) {
    const std::size_t k = first + j * threads;
    if (k < n) y[k] = v[j] + a * u[j];
  }
}

/*
   Computes  values[place[k]] = (or +=) d[k], or a constant
   Threads   one per place; no place occurs twice
   Bytes     per place sizeof(Index) + sizeof(Scalar), adding and d one more each
   Order     none
*/
template <bool ADD, class Index>
__global__ void __launch_bounds__(threads) put_kernel(Scalar *values, std::size_t n, const Index *place, const Scalar *d, Scalar value)
{
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (k >= n) return;
  const Scalar v = d ? d[k] : value;
  if (ADD) values[place[k]] += v;
  else values[place[k]] = v;
}

/*
   Computes  d[k] = values[place[k]], 0 if place[k] is negative
   Threads   one per place
   Bytes     per place sizeof(Index) + 2 sizeof(Scalar)
   Order     none
*/
template <class Index>
__global__ void __launch_bounds__(threads) take_kernel(const Scalar *values, std::size_t n, const Index *place, Scalar *d)
{
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (k < n) d[k] = place[k] < 0 ? Scalar(0) : values[place[k]];
}

/*
   Computes  sums[block] = sum of the squares of the values that the block's threads take
   Threads   change_sums blocks; value k to thread k modulo all threads
   Bytes     sizeof(Scalar) per value
   Order     deterministic: each thread ascending, threads by a fixed tree
*/
__global__ void __launch_bounds__(threads) squares_kernel(const Scalar *values, std::size_t n, Scalar *sums)
{
  __shared__ Scalar part[threads];
  Scalar            sum = 0;

  for (std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; k < n; k += static_cast<std::size_t>(threads) * change_sums)
    sum += values[k] * values[k];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

} // namespace

cudaError_t launch_csr_scale(const CsrRows &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  csr_scale_kernel<<<blocks_for(static_cast<std::size_t>(A.count) * 32, threads), threads, 0, stream>>>(A, values, l, r);
  return cudaGetLastError();
}

cudaError_t launch_axpy(Scalar *y, std::size_t n, Scalar a, const Scalar *x, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  axpy_kernel<<<blocks_for(n, threads * axpy_values), threads, 0, stream>>>(y, n, a, x);
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_put(Scalar *values, std::size_t n, const Index *place, const Scalar *d, Scalar value, bool add, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  if (add) put_kernel<true><<<blocks_for(n, threads), threads, 0, stream>>>(values, n, place, d, value);
  else put_kernel<false><<<blocks_for(n, threads), threads, 0, stream>>>(values, n, place, d, value);
  return cudaGetLastError();
}
template cudaError_t launch_put<int>(Scalar *, std::size_t, const int *, const Scalar *, Scalar, bool, cudaStream_t);
template cudaError_t launch_put<std::int64_t>(Scalar *, std::size_t, const std::int64_t *, const Scalar *, Scalar, bool, cudaStream_t);

template <class Index>
cudaError_t launch_take(const Scalar *values, std::size_t n, const Index *place, Scalar *d, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  take_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(values, n, place, d);
  return cudaGetLastError();
}
template cudaError_t launch_take<int>(const Scalar *, std::size_t, const int *, Scalar *, cudaStream_t);
template cudaError_t launch_take<std::int64_t>(const Scalar *, std::size_t, const std::int64_t *, Scalar *, cudaStream_t);

cudaError_t launch_squares(const Scalar *values, std::size_t n, Scalar *sums, cudaStream_t stream)
{
  squares_kernel<<<change_sums, threads, 0, stream>>>(values, n, sums);
  return cudaGetLastError();
}

} // namespace heptane

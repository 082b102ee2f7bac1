/*
   Kernels on flat value arrays: scaling, and a caller's values put into their places.
*/
#include "values.hpp"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256; /* guess: every kernel here is one pass, bound by bandwidth */

/*
   Computes  values *= a
   Threads   one a value
   Bytes     2 sizeof(Scalar) a value
   Order     none
*/
__global__ void __launch_bounds__(threads) scale_kernel(Scalar *values, std::size_t n, Scalar a)
{
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (k < n) values[k] *= a;
}

/*
   Computes  coo_group() of every place of every group
   Threads   one a group; neighbouring threads fill neighbouring places of each value column; blockIdx.y counts the columns of groups
   Bytes     a group sizeof(Index) + width * 2 sizeof(Scalar) (3 when adding)
   Order     deterministic: one entry a place
*/
template <class Index>
__global__ void __launch_bounds__(threads) coo_groups_kernel(Scalar *values, std::size_t stride, int width, const Index *start, std::size_t step, CooSource source, bool add)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q >= stride) return;
  const Index first = load_once(start + blockIdx.y * stride + q);
  if (first < 0) return;
  Scalar *v = values + blockIdx.y * stride * width + q;
  for (int s = 0; s < width; s++) coo_group(v, s, stride, first, step, source, add);
}

/*
   Computes  coo_single() of every place
   Threads   one a place
   Bytes     a place sizeof(Index) + 2 sizeof(Scalar) (3 when adding)
   Order     deterministic: one entry a place
*/
template <class Index>
__global__ void __launch_bounds__(threads) coo_single_kernel(Scalar *values, std::size_t first, std::size_t count, const Index *perm, CooSource source, bool add)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q < count) coo_single(values, first, q, perm, source, add);
}

/*
   Computes  coo_sum() of every place that has entries
   Threads   one a place
   Bytes     a place 2 sizeof(Index) + sizeof(Scalar) (2 when adding), an entry sizeof(Index) + sizeof(Scalar)
   Order     deterministic: the entries of a place in the caller's order
*/
template <class Index>
__global__ void __launch_bounds__(threads) coo_sums_kernel(Scalar *values, std::size_t count, const Index *slot, const Index *begin, const Index *perm, CooSource source, bool add)
{
  const std::size_t t = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (t < count) coo_sum(values, t, slot, begin, perm, source, add);
}

/*
   Computes  out[q] = v[perm[q]]
   Threads   one an entry
   Bytes     sizeof(Index) + 2 sizeof(Scalar) an entry
   Order     none
*/
template <class Index>
__global__ void __launch_bounds__(threads) gather_kernel(const Scalar *v, const Index *perm, std::size_t count, Scalar *out)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q < count) out[q] = v ? v[perm[q]] : Scalar(0);
}

} // namespace

cudaError_t launch_scale(Scalar *values, std::size_t n, Scalar a, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  scale_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(values, n, a);
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_groups(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *start, std::size_t step, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!columns || !stride) return cudaSuccess;
  coo_groups_kernel<<<dim3(blocks_for(stride, threads), static_cast<unsigned>(columns)), threads, 0, stream>>>(values, stride, width, start, step, source, add);
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_single(Scalar *values, std::size_t first, std::size_t count, const Index *perm, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  coo_single_kernel<<<blocks_for(count, threads), threads, 0, stream>>>(values, first, count, perm, source, add);
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_sums(Scalar *values, std::size_t count, const Index *slot, const Index *begin, const Index *perm, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  coo_sums_kernel<<<blocks_for(count, threads), threads, 0, stream>>>(values, count, slot, begin, perm, source, add);
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_gather(const Scalar *v, const Index *perm, std::size_t count, Scalar *out, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  gather_kernel<<<blocks_for(count, threads), threads, 0, stream>>>(v, perm, count, out);
  return cudaGetLastError();
}

#define HEPTANE_INSTANTIATE(Index) \
  template cudaError_t launch_coo_groups<Index>(Scalar *, std::size_t, std::size_t, int, const Index *, std::size_t, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_coo_single<Index>(Scalar *, std::size_t, std::size_t, const Index *, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_coo_sums<Index>(Scalar *, std::size_t, const Index *, const Index *, const Index *, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_gather<Index>(const Scalar *, const Index *, std::size_t, Scalar *, cudaStream_t);
HEPTANE_INSTANTIATE(int)
HEPTANE_INSTANTIATE(std::int64_t)

} // namespace heptane

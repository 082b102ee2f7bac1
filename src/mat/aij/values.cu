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
template <bool ADD, class Index, class Source>
__global__ void __launch_bounds__(threads) coo_groups_kernel(Scalar *values, std::size_t stride, int width, const Index *start, std::size_t step, Source source)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q >= stride) return;
  const Index first = load_once(start + blockIdx.y * stride + q);
  if (first < 0) return;
  Scalar *v = values + blockIdx.y * stride * width + q;
  for (int s = 0; s < width; s++) coo_group<ADD>(v, s, stride, first, step, source);
}

/* Two neighbouring values in one load */
struct alignas(2 * sizeof(Scalar)) ScalarPair {
  Scalar x, y;
};

/*
   Computes  as coo_groups_kernel, where the entries of a group follow each other, width is even and so is every start
   Threads   as there; each loads its entries in pairs, half the loads of a run that no neighbour shares
   Bytes     as there
   Order     deterministic: one entry a place
*/
template <bool ADD, class Index>
__global__ void __launch_bounds__(threads) coo_groups_pairs_kernel(Scalar *values, std::size_t stride, int width, const Index *start, const Scalar *source)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q >= stride) return;
  const Index first = load_once(start + blockIdx.y * stride + q);
  if (first < 0) return;
  Scalar           *v = values + blockIdx.y * stride * width + q;
  const ScalarPair *c = reinterpret_cast<const ScalarPair *>(source + first);
#pragma unroll 4
  for (int s = 0; s < width; s += 2, c++) {
    const ScalarPair p = *c;
    v[s * stride]       = ADD ? v[s * stride] + p.x : p.x;
    v[(s + 1) * stride] = ADD ? v[(s + 1) * stride] + p.y : p.y;
  }
}

/*
   Computes  coo_single() of every place
   Threads   one a place
   Bytes     a place sizeof(Index) + 2 sizeof(Scalar) (3 when adding)
   Order     deterministic: one entry a place
*/
template <bool ADD, class Index, class Source>
__global__ void __launch_bounds__(threads) coo_single_kernel(Scalar *values, std::size_t first, std::size_t count, const Index *perm, Source source)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q < count) coo_single<ADD>(values, first, q, perm, source);
}

/*
   Computes  coo_sum() of every place that has entries
   Threads   one a place
   Bytes     a place 2 sizeof(Index) + sizeof(Scalar) (2 when adding), an entry sizeof(Index) + sizeof(Scalar)
   Order     deterministic: the entries of a place in the caller's order
*/
template <bool ADD, class Index, class Source>
__global__ void __launch_bounds__(threads) coo_sums_kernel(Scalar *values, std::size_t count, const Index *slot, const Index *begin, const Index *perm, Source source)
{
  const std::size_t t = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (t < count) coo_sum<ADD>(values, t, slot, begin, perm, source);
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
cudaError_t launch_coo_groups(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *start, std::size_t step, bool pairs, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!columns || !stride) return cudaSuccess;
  const dim3 grid(blocks_for(stride, threads), static_cast<unsigned>(columns));
  if (pairs && source.plain() && reinterpret_cast<std::uintptr_t>(source.v) % sizeof(ScalarPair) == 0) {
    if (add) coo_groups_pairs_kernel<true><<<grid, threads, 0, stream>>>(values, stride, width, start, source.v);
    else coo_groups_pairs_kernel<false><<<grid, threads, 0, stream>>>(values, stride, width, start, source.v);
  } else with_coo_source(source, add, [&](auto ADD, auto s) { coo_groups_kernel<ADD()><<<grid, threads, 0, stream>>>(values, stride, width, start, step, s); });
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_single(Scalar *values, std::size_t first, std::size_t count, const Index *perm, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  with_coo_source(source, add, [&](auto ADD, auto s) { coo_single_kernel<ADD()><<<blocks_for(count, threads), threads, 0, stream>>>(values, first, count, perm, s); });
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_sums(Scalar *values, std::size_t count, const Index *slot, const Index *begin, const Index *perm, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  with_coo_source(source, add, [&](auto ADD, auto s) { coo_sums_kernel<ADD()><<<blocks_for(count, threads), threads, 0, stream>>>(values, count, slot, begin, perm, s); });
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
  template cudaError_t launch_coo_groups<Index>(Scalar *, std::size_t, std::size_t, int, const Index *, std::size_t, bool, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_coo_single<Index>(Scalar *, std::size_t, std::size_t, const Index *, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_coo_sums<Index>(Scalar *, std::size_t, const Index *, const Index *, const Index *, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_gather<Index>(const Scalar *, const Index *, std::size_t, Scalar *, cudaStream_t);
HEPTANE_INSTANTIATE(int)
HEPTANE_INSTANTIATE(std::int64_t)

} // namespace heptane

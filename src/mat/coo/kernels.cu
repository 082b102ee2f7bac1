/*
   Kernels on flat value arrays: scaling, and a caller's values put into their places.
*/
#include "kernels.hpp"
#include "../../device/launch.hpp"
#include "../../device/pack.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int         threads         = 256;  /* guess: every kernel here is one pass, bound by bandwidth */
constexpr std::size_t coo_long_column = 2048; /* groups; below, blocks of one column would be partly empty */
constexpr int         sum_places      = 4;    /* places of a group that a thread sums together: 32 bytes of consecutive entries; guess */

/*
   Computes  values *= a
   Threads   one per value
   Bytes     2 sizeof(Scalar) per value
   Order     none
*/
__global__ void __launch_bounds__(threads) scale_kernel(Scalar *values, std::size_t n, Scalar a)
{
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (k < n) values[k] *= a;
}

/* The group of a thread, below columns * stride: column c, place q. Short columns, as slices have them, are
   consecutive; long ones use whole blocks */
__device__ __forceinline__ bool thread_group(unsigned columns, std::size_t stride, std::size_t &c, std::size_t &q)
{
  if (stride < coo_long_column) {
    const std::size_t g = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
    c                   = g / stride;
    q                   = g - c * stride;
    return c < columns;
  }
  c = blockIdx.x % columns;
  q = blockIdx.x / columns * static_cast<std::size_t>(threads) + threadIdx.x;
  return q < stride;
}

/* Thread blocks that thread_group() expects */
unsigned group_blocks(std::size_t columns, std::size_t stride)
{
  return stride < coo_long_column ? blocks_for(columns * stride, threads) : blocks_for(stride, threads) * static_cast<unsigned>(columns);
}

/*
   Computes  coo_group() of every place of every group
   Threads   one per group; adjacent threads fill adjacent places of each value column; adjacent blocks process the
             columns of groups of the same rows, so that the entries of a row are read at the same time, in any order of
             the list
   Bytes     per group sizeof(Index) + width * 2 sizeof(Scalar) (3 when adding)
   Order     deterministic: one entry per place
*/
template <bool ADD, class Index, class Source>
__global__ void __launch_bounds__(threads)
  coo_groups_kernel(Scalar *values, unsigned columns, std::size_t stride, int width, const Index *start, std::size_t step, Source source)
{
  std::size_t c, q;
  if (!thread_group(columns, stride, c, q)) return;
  const Index first = load_once(start + c * stride + q);
  if (first < 0) return;
  Scalar *v = values + c * stride * width + q;
  for (int s = 0; s < width; s++) coo_group<ADD>(v, s, stride, first, step, source);
}

/*
   Computes  as coo_groups_kernel; the entries of a group are consecutive, and with PAIRS start at even indices
   Threads   as there; each loads all its entries before it stores the first
   Bytes     as there
   Order     deterministic: one entry per place
   The loop of coo_groups_kernel is 17 % slower (width 8, 2.1M rows).
*/
template <int WIDTH, bool PAIRS, class Index>
__global__ void __launch_bounds__(threads)
  coo_runs_kernel(Scalar *values, unsigned columns, std::size_t stride, const Index *start, const Scalar *source, bool add)
{
  std::size_t c, q;
  if (!thread_group(columns, stride, c, q)) return;
  const Index first = load_once(start + c * stride + q);
  if (first < 0) return;
  Scalar *v = values + c * stride * WIDTH + q, e[WIDTH];
  if constexpr (PAIRS) {
#pragma unroll
    for (int s = 0; s < WIDTH; s += 2) {
      const auto two = load<Pack<2>>(source, first + s);
      e[s]           = two.v[0];
      e[s + 1]       = two.v[1];
    }
  } else {
#pragma unroll
    for (int s = 0; s < WIDTH; s++) e[s] = source[first + s];
  }
  if (add) {
#pragma unroll
    for (int s = 0; s < WIDTH; s++) e[s] = v[s * stride] + e[s];
  }
#pragma unroll
  for (int s = 0; s < WIDTH; s++) __stcs(v + s * stride, e[s]);
}

/* Calls f(std::integral_constant<int, width>) for widths up to MOST; returns false for larger ones */
template <int MOST, int W = 1, class F>
bool with_width(int width, F &&f)
{
  if constexpr (W > MOST) {
    return false;
  } else {
    if (width != W) return with_width<MOST, W + 1>(width, f);
    f(std::integral_constant<int, W>{});
    return true;
  }
}

/*
   Computes  coo_single() of every place
   Threads   one per place
   Bytes     per place sizeof(Index) + 2 sizeof(Scalar) (3 when adding)
   Order     deterministic: one entry per place
*/
template <bool ADD, class Index, class Source>
__global__ void __launch_bounds__(threads) coo_single_kernel(Scalar *values, std::size_t first, std::size_t count, const Index *perm, Source source)
{
  const std::size_t q = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (q < count) coo_single<ADD>(values, first, q, perm, source);
}

/*
   Computes  coo_sum() of every place of every group
   Threads   as coo_groups_kernel; each forms the sums of PLACES places at a time
   Bytes     per group sizeof(Index), per run sizeof(Index) + width * sizeof(Scalar), per place sizeof(Scalar) (2 when
             adding)
   Order     deterministic: the entries of a place in the caller's order
*/
template <bool ADD, int PLACES, class Index, class Source>
__global__ void __launch_bounds__(threads)
  coo_sums_kernel(Scalar *values, unsigned columns, std::size_t stride, int width, const Index *begin, const Index *run, std::size_t step, Source source)
{
  std::size_t c, q;
  if (!thread_group(columns, stride, c, q)) return;
  const Index first = begin[c * stride + q], end = begin[c * stride + q + 1];
  Scalar     *v = values + c * stride * width + q;
  for (int s = 0; s < width; s += PLACES) coo_sum<ADD, PLACES>(v, s, width, stride, first, end, run, step, source);
}

/*
   Computes  out[q] = v[perm[q]]
   Threads   one per entry
   Bytes     sizeof(Index) + 2 sizeof(Scalar) per entry
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
cudaError_t launch_coo_groups(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *start, std::size_t step, bool pairs,
                              const CooSource &source, bool add, cudaStream_t stream)
{
  if (!columns || !stride) return cudaSuccess;
  const unsigned c = static_cast<unsigned>(columns), blocks = group_blocks(columns, stride);
  const bool     runs = source.plain() && step <= 1 && with_width<16>(width, [&](auto W) {
                      const bool aligned = pairs && aligned_for<2>(source.v);
                      if constexpr (W() % 2 == 0)
                        if (aligned) return coo_runs_kernel<W(), true><<<blocks, threads, 0, stream>>>(values, c, stride, start, source.v, add);
                      coo_runs_kernel<W(), false><<<blocks, threads, 0, stream>>>(values, c, stride, start, source.v, add);
                    });
  if (!runs)
    with_coo_source(source, add, [&](auto ADD, auto s) { coo_groups_kernel<ADD()><<<blocks, threads, 0, stream>>>(values, c, stride, width, start, step, s); });
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_single(Scalar *values, std::size_t first, std::size_t count, const Index *perm, const CooSource &source, bool add, cudaStream_t stream)
{
  if (!count) return cudaSuccess;
  with_coo_source(source, add,
                  [&](auto ADD, auto s) { coo_single_kernel<ADD()><<<blocks_for(count, threads), threads, 0, stream>>>(values, first, count, perm, s); });
  return cudaGetLastError();
}

template <class Index>
cudaError_t launch_coo_sums(Scalar *values, std::size_t columns, std::size_t stride, int width, const Index *begin, const Index *run, std::size_t step,
                            const CooSource &source, bool add, cudaStream_t stream)
{
  if (!columns || !stride) return cudaSuccess;
  const unsigned c = static_cast<unsigned>(columns), blocks = group_blocks(columns, stride);
  with_width<sum_places>(std::min(width, sum_places), [&](auto W) {
    with_coo_source(source, add,
                    [&](auto ADD, auto s) { coo_sums_kernel<ADD(), W()><<<blocks, threads, 0, stream>>>(values, c, stride, width, begin, run, step, s); });
  });
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
  template cudaError_t launch_coo_groups<Index>(Scalar *, std::size_t, std::size_t, int, const Index *, std::size_t, bool, const CooSource &, bool, \
                                                cudaStream_t); \
  template cudaError_t launch_coo_single<Index>(Scalar *, std::size_t, std::size_t, const Index *, const CooSource &, bool, cudaStream_t); \
  template cudaError_t launch_coo_sums<Index>(Scalar *, std::size_t, std::size_t, int, const Index *, const Index *, std::size_t, const CooSource &, bool, \
                                              cudaStream_t); \
  template cudaError_t launch_gather<Index>(const Scalar *, const Index *, std::size_t, Scalar *, cudaStream_t);
HEPTANE_INSTANTIATE(int)
HEPTANE_INSTANTIATE(std::int64_t)

} // namespace heptane

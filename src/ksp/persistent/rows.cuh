/*
   Distribution of a block's rows over the threads of a persistent kernel: loops over rows, vectors in registers or
   shared memory, and loads from global memory. Without PETSc objects.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "../../mat/bdiagh/fused/persistent_tuning.hpp"

namespace heptane
{

/* Eviction priority of a load in the second-level cache; not supported before compute capability 8.0 */
using CacheHint = unsigned long long;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
__device__ __forceinline__ CacheHint hint_evict_last()
{
  return 0;
}
__device__ __forceinline__ CacheHint hint_evict_first()
{
  return 0;
}

template <class T>
__device__ __forceinline__ T load_hinted(const T *p, CacheHint)
{
  return __ldg(p);
}
#else
__device__ __forceinline__ CacheHint hint_evict_last()
{
  CacheHint hint;

  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}

__device__ __forceinline__ CacheHint hint_evict_first()
{
  CacheHint hint;

  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
  return hint;
}

/* A load of data that this kernel does not change, past the first-level cache */
__device__ __forceinline__ double load_hinted(const double *p, CacheHint hint)
{
  double v;

  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;" : "=d"(v) : "l"(p), "l"(hint));
  return v;
}

__device__ __forceinline__ float load_hinted(const float *p, CacheHint hint)
{
  float v;

  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(p), "l"(hint));
  return v;
}
#endif

/* a[q] of registers, which can only be indexed by constants */
template <int N>
__device__ __forceinline__ Scalar place_of(const Scalar (&a)[N], int q)
{
  Scalar chosen = a[0];

#pragma unroll
  for (int k = 1; k < N; k++)
    if (k == q) chosen = a[k];
  return chosen;
}
template <class T, int N>
__device__ __forceinline__ void put_place(T (&a)[N], int q, T value)
{
#pragma unroll
  for (int k = 0; k < N; k++)
    if (k == q) a[k] = value;
}

/* A vector at the block's own rows, row q * threads + thread in the thread's place q */
template <class Variant, bool IN_SHARED>
struct ThreadVector {
  Scalar  reg[IN_SHARED ? 1 : Variant::rows];
  Scalar *mem;

  __device__ __forceinline__ Scalar &operator()(int q, int l)
  {
    if constexpr (IN_SHARED) return mem[l];
    else return reg[q];
  }
  /* For q known only at run time */
  __device__ __forceinline__ Scalar at(int q, int l) const
  {
    if constexpr (IN_SHARED) return mem[l];
    else return place_of(reg, q);
  }
  __device__ __forceinline__ void put(int q, int l, Scalar value)
  {
    if constexpr (IN_SHARED) mem[l] = value;
    else put_place(reg, q, value);
  }
};

/* The same with the first SHARED places in shared memory and the remaining ones in global memory */
template <class Variant, int SHARED>
struct SplitVector {
  Scalar *shared, *memory; /* from the block's first row on */

  __device__ __forceinline__ Scalar &operator()(int q, int l) { return q < SHARED ? shared[l] : memory[l]; }
  __device__ __forceinline__ Scalar  at(int q, int l) const { return q < SHARED ? shared[l] : memory[l]; }
  __device__ __forceinline__ void    put(int q, int l, Scalar value) { (*this)(q, l) = value; }
};

/* f(q, l) for the thread's rows start + l of the block's first `rows` */
template <class Variant, class F>
__device__ __forceinline__ void for_active_rows(int rows, F &&f)
{
  int thread = threadIdx.x;

  /* forces addresses to be computed anew in every pass: kept, they would occupy registers of the vectors */
  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int q = 0; q < Variant::rows; q++) {
    const int l = thread + q * Variant::threads;
    if (l < rows) f(q, l);
  }
}

/*
   f(q, l, active) for all places of the thread; a place without a row has the l of another row, so that no branch
   separates the loads of consecutive rows.
   BACKWARDS: the last row first, whose values were read last and are most likely in a cache.
*/
template <class Variant, bool BACKWARDS = false, class F>
__device__ __forceinline__ void for_all_places(int rows, F &&f)
{
  int thread = threadIdx.x;

  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int i = 0; i < Variant::rows; i++) {
    const int  q = BACKWARDS ? Variant::rows - 1 - i : i, l = thread + q * Variant::threads;
    const bool active = l < rows;
    f(q, active ? l : 0, active);
  }
}

/*
   The same with prefetch(i, q, l) for place i, in the order of visits, before f(i, q, l, active) of the place `ahead`
   earlier. Otherwise the compiler keeps fewer loads in flight, depending on distant code (CG with 17 rows per thread
   and a remainder: 10 on average, 16 with three places ahead).
*/
template <class Variant, bool BACKWARDS, class Prefetch, class F>
__device__ __forceinline__ void for_all_places_ahead(int rows, Prefetch &&prefetch, F &&f)
{
  int thread = threadIdx.x;

  static_assert(!(BACKWARDS && Variant::wide), "it ends where the rows end");
  asm volatile("" : "+r"(thread));
  auto q_of = [](int i) { return BACKWARDS ? Variant::rows - 1 - i : i; };
  auto l_of = [&](int i) { return thread + q_of(i) * Variant::threads; };
  auto l_in = [&](int i) { return l_of(i) < rows ? l_of(i) : 0; };
#pragma unroll
  for (int i = 0; i < Variant::ahead && i < Variant::rows; i++) prefetch(i, q_of(i), l_in(i));
#pragma unroll
  for (int i = 0; i < Variant::rows; i++) {
    if (Variant::wide && i % BdiaghPersistentTuning::wide_together == 0 && i * Variant::threads >= rows) break;
    if (i + Variant::ahead < Variant::rows) prefetch(i + Variant::ahead, q_of(i + Variant::ahead), l_in(i + Variant::ahead));
    f(i, q_of(i), l_in(i), l_of(i) < rows);
  }
}

/* prefetch(room, q, l, active) for the first places of the thread, for for_prefetched_rows() */
template <class Variant, class Prefetch>
__device__ __forceinline__ void prefetch_first_rows(int rows, Prefetch &&prefetch)
{
  int thread = threadIdx.x;

  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int q = 0; q < BdiaghPersistentTuning::wide_together && q < Variant::rows; q++) {
    const int l = thread + q * Variant::threads;
    prefetch(q, q, l < rows ? l : 0, l < rows);
  }
}

/*
   f(room, q, l) for the thread's rows, a few places at a time, each after prefetch(room, q, l, active) for the
   following places, since loads of global memory cannot pass stores that might alias. rooms: twice the number of
   places. Ends at the block's last row.
*/
template <class Variant, class Prefetch, class F>
__device__ __forceinline__ void for_prefetched_rows(int rows, Prefetch &&prefetch, F &&f)
{
  constexpr int together = BdiaghPersistentTuning::wide_together;
  int           thread   = threadIdx.x;

  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int begin = 0; begin < Variant::rows; begin += together) {
    if (begin * Variant::threads >= rows) break;
#pragma unroll
    for (int q = begin + together; q < begin + 2 * together && q < Variant::rows; q++) {
      const int l = thread + q * Variant::threads;
      prefetch(q % (2 * together), q, l < rows ? l : 0, l < rows);
    }
#pragma unroll
    for (int q = begin; q < begin + together && q < Variant::rows; q++) {
      const int l = thread + q * Variant::threads;
      if (l < rows) f(q % (2 * together), q, l);
    }
  }
}

/* Prefetches the 128-byte lines of a block's places first to first + PLACES to the second-level cache */
template <class Variant, int PLACES>
__device__ __forceinline__ void prefetch_places(const Scalar *array, int rows, int first = 0)
{
#pragma unroll
  for (int q = first; q < first + PLACES && q < Variant::rows; q++) {
    const int l = static_cast<int>(threadIdx.x) + q * Variant::threads;
    if (threadIdx.x % (128 / sizeof(Scalar)) == 0 && l < rows) asm volatile("prefetch.global.L2 [%0];" ::"l"(array + l));
  }
}

} // namespace heptane

/*
   Blocks of the persistent kernels in single precision whose vectors occupy registers and shared memory, so that the
   values of the matrix are streamed from memory for every product.
*/
#pragma once

#include "single_blocks.cuh"
#include <type_traits>

namespace heptane
{

/*
   Kernel I of a list whose values are streamed from memory: like BdiaghSingleVariant for a nonsymmetric matrix, with
   one more vector in shared memory
*/
template <class List, int I>
struct BdiaghStreamedVariant {
  static constexpr BdiaghSingleFields is = List::kernels[I];

  static constexpr bool ranks = List::ranks, streamed = true;
  static constexpr int  threads = is.threads, rows = is.rows, places = threads * rows, stages = is.stages;
  static constexpr int  ahead = BdiaghSinglePersistentTuning::streamed_ahead, vectors = 2, values_of_a_row = 2 * BdiaghSinglePersistent::distances;
  static_assert(!List::upper && !ranks, "of one GPU, of a matrix that is not symmetric");

  static __host__ __device__ __forceinline__ int window(const BdiaghSinglePersistent &P) { return places + 2 * P.margin(); }
  static __host__ __device__ __forceinline__ int singles(const BdiaghSinglePersistent &P)
  {
    return vectors * window(P) + places + threads * stages * values_of_a_row;
  }
};

/* Copies a value to the thread's own place in shared memory, valid after a streamed_wait() */
__device__ __forceinline__ void streamed_copy(Single *to, const Single *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  *to = __ldg(from);
#else
  static_assert(sizeof(Single) == 4, "the size that is copied");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#endif
}
/* Closes the group of the copies since the last call */
__device__ __forceinline__ void streamed_close()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Blocks until all groups but the last BUT have arrived */
template <int BUT>
__device__ __forceinline__ void streamed_wait()
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(BUT) : "memory");
#endif
}

/*
   Like BdiaghSingleBlock, with values of `stages` rows of each thread in flight to places in shared memory that no
   other thread reads, so that threads need no synchronization. Consecutive products run through the rows in opposite
   directions, so that each begins with values that are still in the second-level cache. Each product starts the loads
   of the first rows of the next one, so that memory is busy while blocks wait for each other.
*/
template <class Variant>
struct BdiaghStreamedBlock : BdiaghSingleRows<Variant> {
  using Rows = BdiaghSingleRows<Variant>;
  using Rows::first, Rows::left, Rows::active, Rows::P, Rows::threads;
  static constexpr int R = Variant::rows, stages = Variant::stages, values = Variant::values_of_a_row;
  static_assert(R % stages == 0, "the j-th rows of two products have the same place");

  Single *vector; /* [rows][threads], and [stages][values][threads], from the thread's own on */
  Single *stage;

  __device__ __forceinline__ BdiaghStreamedBlock(const BdiaghSinglePersistent &P_, Single *shared)
    : Rows(P_), vector(shared + Variant::vectors * Variant::window(P_) + threadIdx.x), stage(vector + Variant::places)
  {}

  /* Loads the values of the j-th row of a product */
  template <bool FORWARD>
  __device__ __forceinline__ void ask(int j) const
  {
    const int     q = FORWARD ? j : R - 1 - j, row = first + q * threads;
    Single *const to = stage + j % stages * values * threads;

    if (active(q)) {
      streamed_copy(to, P.far[0] + row);
#pragma unroll
      for (int k = 0; k < 4; k++) streamed_copy(to + (1 + k) * threads, P.near[k] + row);
      streamed_copy(to + 5 * threads, P.far[1] + row);
    }
    streamed_close();
  }
  /* Before the first product, which runs forward */
  __device__ __forceinline__ void load_matrix() const
  {
#pragma unroll
    for (int j = 0; j < stages; j++) ask<true>(j);
  }

  /* As in BdiaghSingleBlock, from the first row to the last or back; the next product has the opposite direction */
  template <bool FORWARD, class Ready, class Each>
  __device__ __forceinline__ void products(const Single *window, const Single *there, Ready &&ready, Each &&each) const
  {
    constexpr int       ahead = Variant::ahead, rooms = ahead + 1;
    const int           near0 = P.offset[0], near1 = P.offset[1], far = P.offset[2];
    const int           none_below = far - first, some_above = P.n - far - first; /* see BdiaghSingleBlock */
    const Single *const u_below = there + (first - far), *const u_above = there + (first + far);
    Single     u[rooms][2];
    const auto row_of   = [](int j) { return FORWARD ? j : R - 1 - j; };
    const auto prefetch = [&](int j) {
      const int q     = row_of(j);
      u[j % rooms][0] = q * threads >= none_below && q * threads < left ? __ldcg(u_below + q * threads) : Single(0);
      u[j % rooms][1] = q * threads < some_above && q * threads < left ? __ldcg(u_above + q * threads) : Single(0);
    };
#pragma unroll
    for (int j = 0; j < ahead && j < R; j++) prefetch(j);
    ready();
#pragma unroll
    for (int j = 0; j < R; j++) {
      const int           q = row_of(j);
      const Single *const a = stage + j % stages * values * threads, *const c = window + q * threads;

      if (j + ahead < R) prefetch(j + ahead);
      streamed_wait<stages - 1>();
      if (active(q)) {
        Single y = a[0] * u[j % rooms][0];
        y += a[threads] * (c - near1)[0];
        y += a[2 * threads] * (c - near0)[0];
        y += a[3 * threads] * (c + near0)[0];
        y += a[4 * threads] * (c + near1)[0];
        y += a[5 * threads] * u[j % rooms][1];
        each(q, c[0] + y);
      }
      if (j + stages < R) ask<FORWARD>(j + stages);
      else ask<!FORWARD>(j + stages - R);
    }
  }
};

template <class Variant>
using BdiaghSingleBlockOf = std::conditional_t<Variant::streamed, BdiaghStreamedBlock<Variant>, BdiaghSingleBlock<Variant>>;

} // namespace heptane

/*
   The part of several ranks in a persistent kernel: its parameter, its sums, and the halo of its rows. On one rank all of this is nothing. Knows no PETSc objects.
*/
#pragma once

#include "../../pass/halo_places.hpp"
#include "../../pass/persistent_ranks.hpp"
#include "../../pass/ranks_reduce.cuh"
#include "bdiagh_persistent_kernel.cuh"
#include <type_traits>

namespace heptane
{

/* The parameter of a kernel of several ranks */
struct BdiaghPersistentOfRanks : BdiaghPersistent {
  FusedRanks ranks;
  BdiaghCut  cut;
};

template <class Variant>
using BdiaghPersistentOf = std::conditional_t<Variant::ranks, BdiaghPersistentOfRanks, BdiaghPersistent>;
template <class Variant>
using BdiaghPersistentReduce = std::conditional_t<Variant::ranks, RanksReduce<Variant::threads>, GridReduce<Variant::threads>>;

template <class Variant>
__device__ __forceinline__ BdiaghPersistentReduce<Variant> bdiagh_persistent_reduce(const BdiaghPersistentOf<Variant>                &P,
                                                                                    typename BdiaghPersistentReduce<Variant>::Shared &shared)
{
  if constexpr (Variant::ranks) return RanksReduce<Variant::threads>(P.v.barrier, shared, P.ranks.grid);
  else return GridReduce<Variant::threads>(P.v.barrier, shared);
}

template <class Variant>
__device__ __forceinline__ BdiaghPersistentBlock<Variant> bdiagh_persistent_block(const BdiaghPersistentOf<Variant> &P)
{
  if constexpr (Variant::ranks) return BdiaghPersistentBlock<Variant>(P, P.cut);
  else return BdiaghPersistentBlock<Variant>(P);
}

/* One rank */
template <class Variant, bool RANKS = Variant::ranks>
struct BdiaghPersistentHalo {
  __device__ __forceinline__      BdiaghPersistentHalo(const BdiaghPersistent &, int, int) {}
  __device__ __forceinline__ void begin() {}
  template <class Value>
  __device__ __forceinline__ void first(Value &&)
  {}
  template <class Value>
  __device__ __forceinline__ void send(Value &&)
  {}
  __device__ __forceinline__ void take() {}
  __device__ __forceinline__ void carry_on(Scalar) {}
  template <class Each>
  __device__ __forceinline__ void add(Each &&)
  {}
  template <class Reduce>
  __device__ __forceinline__ void end(const Reduce &)
  {}
};

/*
   Several: see HaloPlaces. A round is sent in each iteration, after a first one with the vector itself. Where vectors are recurred, rows per thread are few and little lies between two sums: a round is
   taken behind the second sum. Elsewhere it is taken at the end of the products, when it has long come and the scalars need not wait for it.
*/
template <class Variant>
struct BdiaghPersistentHalo<Variant, true> {
  static constexpr int  most = PeerGrid::most_ranks;
  static constexpr bool late = !Variant::recurred;
  using Buffers              = PeerWord *[2][most];

  const FusedRanks               &R;
  const int                       start, rows;
  std::uint64_t                   round; /* the last that was sent */
  Buffers                        &to;    /* in shared memory: where the words to a neighbour begin, by round & 1 */
  HaloPlaces<Variant::rows, late> places;
  Scalar                          b = 0;

  __device__ __forceinline__ BdiaghPersistentHalo(const BdiaghPersistentOfRanks &P, int start, int rows)
    : R(P.ranks), start(start), rows(rows), round(peer_round(R.halo) - 1), to(buffers())
  {}
  static __device__ __forceinline__ Buffers &buffers()
  {
    __shared__ Buffers of_block;
    return of_block;
  }

  __device__ __forceinline__ int at() const { return start + static_cast<int>(threadIdx.x); }

  /* Before a barrier of the block */
  __device__ __forceinline__ void begin()
  {
    if (threadIdx.x < 2 * most) {
      const int n = threadIdx.x % most, odd = threadIdx.x / most;
      if (n < R.halo.neighbours) to[odd][n] = peer_buffer(R.halo, odd, n);
    }
    places.find(R.sent, R.rows, at(), Variant::threads, start + rows);
  }

  /* value(q): u in the row of place q. The first part of other ranks' columns */
  template <class Value>
  __device__ __forceinline__ void first(Value &&value)
  {
    send(value);
    take();
  }

  /* value(q): z there */
  template <class Value>
  __device__ __forceinline__ void send(Value &&value)
  {
    round++;
    if (blockIdx.x == 0) peer_send_empty(R.halo, round, threadIdx.x, Variant::threads);
    places.send(to[round & 1], R.sent, at(), Variant::threads, round, value);
  }
  __device__ __forceinline__ void take()
  {
    if constexpr (!late) places.take(R.halo, R.rows, at(), Variant::threads, round);
  }
  __device__ __forceinline__ void carry_on(Scalar by) { b = by; }
  /* Once per product: each(q, what columns of other ranks add to the row in place q) */
  template <class Each>
  __device__ __forceinline__ void add(Each &&each)
  {
    if constexpr (late) places.take_and_carry_on(R.halo, R.rows, at(), Variant::threads, round, b, each);
    else places.carry_on(b, each);
  }

  /* The counters of this rank, once all blocks have read them: they have taken part in a sum since */
  template <class Reduce>
  __device__ __forceinline__ void end(const Reduce &reduce)
  {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      peer_end_rounds(R.halo, R.grid.limit, round);
      peer_end_sums(R.grid, reduce.number());
    }
  }
};

} // namespace heptane

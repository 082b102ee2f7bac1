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

/*
   f(q, l, own, d) for all places of the thread with the diagonal of the preconditioner, l that of its first place where a place has no row. Inverses of a few places are computed beside each other:
   one by one, each behind branches, they made 8 rows of a thread wait some 2000 cycles in each iteration (H200).
*/
template <class Variant, class F>
__device__ __forceinline__ void bdiagh_for_own_inverses(const BdiaghPersistentBlock<Variant> &B, const Scalar *matrix, F &&f)
{
  constexpr int  together = 4;
  const FusedPc &pc       = B.P.v.pc;
  int            thread   = threadIdx.x;

  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int begin = 0; begin < Variant::rows; begin += together) {
    Scalar d[together];
    bool   own[together];
    int    l[together];

#pragma unroll
    for (int i = 0; i < together; i++) {
      own[i] = begin + i < Variant::rows && thread + (begin + i) * Variant::threads < B.rows;
      l[i]   = own[i] ? thread + (begin + i) * Variant::threads : thread;
      d[i]   = 1;
    }
    if (pc.source == FusedPc::own) {
#pragma unroll
      for (int i = 0; i < together; i++)
        if (begin + i < Variant::rows) d[i] = B.value(matrix, 0, begin + i, own[i] ? l[i] : 0);
#pragma unroll
      for (int i = 0; i < together; i++) d[i] = B.inverse_in_loop(d[i]);
    } else if (pc.form == FusedPc::point) {
#pragma unroll
      for (int i = 0; i < together; i++)
        if (own[i]) d[i] = __ldg(pc.inverse + B.start + l[i]);
    }
#pragma unroll
    for (int i = 0; i < together; i++)
      if (begin + i < Variant::rows) f(begin + i, l[i], own[i], d[i]);
  }
}

/* One rank. number: of the last sum */
template <class Variant, int SUMS, int KEPT, bool RANKS = Variant::ranks>
struct BdiaghPersistentHalo {
  __device__ __forceinline__          BdiaghPersistentHalo(const BdiaghPersistent &, int, int) {}
  __device__ __forceinline__ void     begin(std::uint64_t) {}
  __device__ __forceinline__ unsigned takes() const { return 0; }
  template <class Value>
  __device__ __forceinline__ void send_first(std::uint64_t, Value &&)
  {}
  template <class Value>
  __device__ __forceinline__ void send(std::uint64_t, Value &&)
  {}
  __device__ __forceinline__ void take(std::uint64_t) {}
  template <class Each>
  __device__ __forceinline__ void carry_on(Each &&)
  {}
  template <class Reduce>
  __device__ __forceinline__ void end(const Reduce &)
  {}
};

/*
   Several: see HaloPlaces. A round is sent before every SUMS-th sum, after a first one with the vector itself. What this needs lies in shared memory, or follows from the number of the last sum: every
   register that it kept would be one less for the loads that the products have under way.
*/
template <class Variant, int SUMS, int KEPT>
struct BdiaghPersistentHalo<Variant, SUMS, KEPT, true> {
  static constexpr int most = PeerGrid::most_ranks;
  struct Shared {
    PeerWord     *to[2][most]; /* where the words to a neighbour begin, by round & 1 */
    std::uint64_t first_round, first_sum;
  };

  const FusedRanks               &R;
  const int                       start, rows;
  Shared                         &shared;
  HaloPlaces<Variant::rows, KEPT> places;

  __device__ __forceinline__ BdiaghPersistentHalo(const BdiaghPersistentOfRanks &P, int start, int rows)
    : R(P.ranks), start(start), rows(rows), shared(of_block())
  {}
  static __device__ __forceinline__ Shared &of_block()
  {
    __shared__ Shared shared;
    return shared;
  }

  __device__ __forceinline__ int at() const { return start + static_cast<int>(threadIdx.x); }
  /* The last that was sent */
  __device__ __forceinline__ std::uint64_t round(std::uint64_t number) const { return shared.first_round + (number - shared.first_sum) / SUMS; }

  /* Before a barrier of the block */
  __device__ __forceinline__ void begin(std::uint64_t number)
  {
    if (threadIdx.x < 2 * most) {
      const int n = threadIdx.x % most, odd = threadIdx.x / most;
      if (n < R.halo.neighbours) shared.to[odd][n] = peer_buffer(R.halo, odd, n);
    }
    if (threadIdx.x == 0) {
      shared.first_round = peer_round(R.halo);
      shared.first_sum   = number;
    }
    places.find(R.sent, R.rows, at(), Variant::threads, start + rows);
  }

  /* Bit q: the row in place q has columns of other ranks */
  __device__ __forceinline__ unsigned takes() const { return places.takes(); }

  /* value(q): what is sent of the row in place q. The first: of what begins the iterations */
  template <class Value>
  __device__ __forceinline__ void send_first(std::uint64_t number, Value &&value)
  {
    const std::uint64_t now = round(number);

    if (blockIdx.x == 0) peer_send_empty(R.halo, now, threadIdx.x, Variant::threads);
    places.send_first(shared.to[now & 1], R.sent, at(), Variant::threads, now, value);
  }
  template <class Value>
  __device__ __forceinline__ void send(std::uint64_t number, Value &&value)
  {
    if (blockIdx.x == 0) peer_send_empty(R.halo, round(number), threadIdx.x, Variant::threads);
    if (!places.sends()) return;
    const std::uint64_t now = round(number);
    places.send(shared.to[now & 1], R.sent, at(), Variant::threads, now, value);
  }
  /* The round that was sent last: where blocks wait anyway, so that the threads that have such rows keep nobody waiting */
  __device__ __forceinline__ void take(std::uint64_t number)
  {
    if (places.takes()) places.take(R.halo, R.rows, at(), Variant::threads, round(number));
  }
  /* each(q, what columns of other ranks give of it in the row of place q, what the row carries on) */
  template <class Each>
  __device__ __forceinline__ void carry_on(Each &&each)
  {
    if (places.takes()) places.carry_on(each);
  }

  /* The counters of this rank, once all blocks have read them: they have taken part in a sum since */
  template <class Reduce>
  __device__ __forceinline__ void end(const Reduce &reduce)
  {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      peer_end_rounds(R.halo, R.grid.limit, round(reduce.number()));
      peer_end_sums(R.grid, reduce.number());
    }
  }
};

} // namespace heptane

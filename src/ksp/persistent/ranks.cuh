/*
   The multi-rank part of a persistent kernel: its parameter, its sums, and the halo of its rows. On one rank all of it
   is empty. Without PETSc objects.
*/
#pragma once

#include "../../pass/offers/persistent_ranks.hpp"
#include "../../pass/product/halo_places.hpp"
#include "../../pass/ranks_reduce.cuh"
#include "kernel.cuh"
#include <type_traits>

namespace heptane
{

/* The parameter of a kernel of several ranks */
struct BdiaghPersistentOfRanks : BdiaghPersistent {
  FusedRanks ranks;
  BdiaghCut  cut;
};

template <class Variant>
using BdiaghPersistentReduce = std::conditional_t<Variant::ranks, RanksReduce<Variant::threads>, GridReduce<Variant::threads>>;

/* P: the kernel's parameter, in double or single precision */
template <class Variant, class Parameter>
__device__ __forceinline__ BdiaghPersistentReduce<Variant> bdiagh_persistent_reduce(const Parameter                                  &P,
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
   f(q, l, active, d) for all places of the thread with the diagonal of the preconditioner; a place without a row has
   the l of the first place. Inverses of a few places are computed together: one by one, each after branches, they delay
   8 rows per thread by about 2000 cycles per iteration (H200).
*/
template <class Variant, class F>
__device__ __forceinline__ void bdiagh_for_inverses(const BdiaghPersistentBlock<Variant> &B, const Scalar *matrix, F &&f)
{
  constexpr int  together = 4;
  const FusedPc &pc       = B.P.v.pc;
  int            thread   = threadIdx.x;

  asm volatile("" : "+r"(thread));
#pragma unroll
  for (int begin = 0; begin < Variant::rows; begin += together) {
    Scalar d[together];
    bool   active[together];
    int    l[together];

#pragma unroll
    for (int i = 0; i < together; i++) {
      active[i] = begin + i < Variant::rows && thread + (begin + i) * Variant::threads < B.rows;
      l[i]      = active[i] ? thread + (begin + i) * Variant::threads : thread;
      d[i]      = 1;
    }
    if (pc.source == FusedPc::matrix_diagonal) {
#pragma unroll
      for (int i = 0; i < together; i++)
        if (begin + i < Variant::rows) d[i] = B.value(matrix, 0, begin + i, active[i] ? l[i] : 0);
#pragma unroll
      for (int i = 0; i < together; i++) d[i] = B.inverse_in_loop(d[i]);
    } else if (pc.form == FusedPc::point) {
#pragma unroll
      for (int i = 0; i < together; i++)
        if (active[i]) d[i] = __ldg(pc.inverse + B.start + l[i]);
    }
#pragma unroll
    for (int i = 0; i < together; i++)
      if (begin + i < Variant::rows) f(begin + i, l[i], active[i], d[i]);
  }
}

/* One rank. number: of the last sum */
template <class Variant, int SUMS, int KEPT, int COLUMNS = 1, bool RANKS = Variant::ranks>
struct BdiaghPersistentHalo {
  template <class P>
  __device__ __forceinline__ BdiaghPersistentHalo(const P &, int, int)
  {}
  __device__ __forceinline__ void     begin(std::uint64_t) {}
  __device__ __forceinline__ unsigned receives() const { return 0; }
  template <class Value>
  __device__ __forceinline__ void send_first(std::uint64_t, Value &&)
  {}
  template <class Value>
  __device__ __forceinline__ void send(std::uint64_t, Value &&)
  {}
  __device__ __forceinline__ void receive(std::uint64_t) {}
  __device__ __forceinline__ void receive_overlapped(std::uint64_t) {}
  __device__ __forceinline__ void receive_after(std::uint64_t, bool) {}
  __device__ __forceinline__ void receive_first(std::uint64_t) {}
  template <class Each>
  __device__ __forceinline__ void update_halo(Each &&)
  {}
  template <class Reduce>
  __device__ __forceinline__ void end(const Reduce &)
  {}
};

/*
   Bit q: a warp sums the columns of other ranks of the row in place q, except the first. In local memory, like the data
   of the places; kernels without such rows have none
*/
struct BdiaghWithLongHalo {
  volatile unsigned with_long = 0;
};
struct BdiaghNoLongHalo {};

/*
   Several ranks: see HaloPlaces. A round is sent before every SUMS-th sum, after a first one with the vector itself.
   Its data are in shared memory, or follow from the number of the last sum: registers would reduce the loads of the
   products in flight.
   With a remainder there are wells, whose rows have many columns of other ranks. The row's thread receives the first
   column, as in other rows, and a warp the remaining ones, since one thread would wait for four words at a time and
   delay all blocks. If a block has more such rows than slots, their threads receive all columns, so that results are
   bitwise independent of the order of arrival.
*/
template <class Variant, int SUMS, int KEPT, int COLUMNS>
struct BdiaghPersistentHalo<Variant, SUMS, KEPT, COLUMNS, true> : std::conditional_t<Variant::remainder, BdiaghWithLongHalo, BdiaghNoLongHalo> {
  static constexpr int most = PeerGrid::most_ranks;
  struct Shared {
    PeerWord     *to[2][most]; /* first word for a neighbour, by round & 1 */
    std::uint64_t first_round, first_sum;
  };

  const FusedRanks                                            &R;
  const int                                                    start, rows;
  Shared                                                      &shared;
  HaloPlaces<Variant::rows, KEPT, COLUMNS, Variant::remainder> places;

  template <class P_> /* a kernel's parameter */
  __device__ __forceinline__ BdiaghPersistentHalo(const P_ &P, int start, int rows) : R(P.ranks), start(start), rows(rows), shared(of_block())
  {}
  static __device__ __forceinline__ Shared &of_block()
  {
    __shared__ Shared shared;
    return shared;
  }

  static __device__ __forceinline__ BdiaghLongHalo &long_of_block()
  {
    __shared__ BdiaghLongHalo rows;
    return rows;
  }

  __device__ __forceinline__ int at() const { return start + static_cast<int>(threadIdx.x); }
  /* The last round sent */
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
    if constexpr (Variant::remainder) find_long();
  }
  __device__ __forceinline__ void find_long()
  {
    BdiaghLongHalo &L    = long_of_block();
    unsigned        mine = 0;

    if (threadIdx.x == 0) L.rows = 0;
    __syncthreads();
    HEPTANE_ROLLED
    for (unsigned left = places.several(); left; left &= left - 1) {
      const int q = __ffs(static_cast<int>(left)) - 1, row = at() + q * Variant::threads, k = remainder_of(R.rows, row), first = R.rows.ptr[k] + 1,
                last = R.rows.ptr[k + 1];
      if (last - first <= BdiaghPersistentTuning::thread_halo) continue;
      const int slot = atomicAdd(&L.rows, 1);
      mine |= 1u << q;
      if (slot >= BdiaghLongHalo::most) continue;
      L.row[slot]   = row - start;
      L.first[slot] = first;
      L.last[slot]  = last;
    }
    __syncthreads();
    if (L.rows > BdiaghLongHalo::most) {
      __syncthreads();
      if (threadIdx.x == 0) L.rows = 0;
      mine = 0;
    }
    places.exclude(mine);
    this->with_long = mine;
  }

  /* Bit q: the row in place q has columns of other ranks */
  __device__ __forceinline__ unsigned receives() const { return places.receives(); }

  /* value(q): the value sent of the row in place q. send_first(): of the vector that begins the iterations */
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
  /*
     Receives the last round sent, once. Called at a point at which blocks wait anyway, so that threads with such rows
     delay no block. All threads call it, before a barrier of the block
  */
  __device__ __forceinline__ void receive(std::uint64_t number)
  {
    if constexpr (Variant::remainder) receive_long(round(number));
    receive_rows(number);
  }
  /*
     The same in two parts, for a sum of RanksReduce: first the part of its warps that add no parts meanwhile, after it
     the rest. Only with recurred vectors, since with exchanged vectors blocks wait once more and receive then. Own rows
     only in CG with few rows per thread: with more, the second copy of the code costs more than it gains. Up to 10 %
     per iteration (four H200).
  */
  static constexpr bool long_overlapped = Variant::remainder && Variant::recurred;
  static constexpr bool rows_overlapped = Variant::recurred && KEPT == 1 && Variant::rows <= 4;

  __device__ __forceinline__ void receive_overlapped(std::uint64_t number)
  {
    if constexpr (long_overlapped) receive_long(round(number));
    if constexpr (rows_overlapped) receive_rows(number);
  }
  __device__ __forceinline__ void receive_after(std::uint64_t number, bool adds)
  {
    if constexpr (Variant::remainder)
      if (adds || !long_overlapped) receive_long(round(number));
    if (adds || !rows_overlapped) receive_rows(number);
  }
  __device__ __forceinline__ void receive_rows(std::uint64_t number)
  {
    if (places.receives()) places.receive(R.halo, R.rows, at(), Variant::threads, round(number));
  }
  __device__ __forceinline__ void receive_first(std::uint64_t number)
  {
    receive(number);
    if constexpr (Variant::remainder) __syncthreads();
  }
  /* From the last warp on: the first one polls for other blocks meanwhile */
  __device__ __forceinline__ void receive_long(std::uint64_t now)
  {
    constexpr int   warps = Variant::threads / 32;
    BdiaghLongHalo &L     = long_of_block();

    HEPTANE_ROLLED
    for (int k = __shfl_sync(~0u, warps - 1 - static_cast<int>(threadIdx.x) / 32, 0); k < L.rows; k += warps) {
      Scalar s = halo_share(R.rows, L.first[k], L.last[k], threadIdx.x & 31, R.halo, now);
#pragma unroll
      for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
      if ((threadIdx.x & 31) == 0) L.sum[k] = s;
    }
  }
  /* After receive() and a barrier: adds the warps' sums to their rows */
  __device__ __forceinline__ void add_long()
  {
    const BdiaghLongHalo &L = long_of_block();

    HEPTANE_ROLLED
    for (unsigned left = this->with_long; left; left &= left - 1) {
      const int q = __ffs(static_cast<int>(left)) - 1, l = static_cast<int>(threadIdx.x) + q * Variant::threads;
      int       k = 0;

      HEPTANE_ROLLED
      while (L.row[k] != l) k++;
      places.add(q, L.sum[k]);
    }
  }
  /* each(q, contribution of columns of other ranks to the row in place q, recurred values of the row) */
  template <class Each>
  __device__ __forceinline__ void update_halo(Each &&each)
  {
    if constexpr (Variant::remainder) add_long();
    if (places.receives()) places.update_halo(each);
  }

  /* Stores the counters of this rank. All blocks have read them, since they have taken part in a sum */
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

/*
   Common parts of the persistent kernels in addition to the products of a block and its sums: columns that a thread
   updates by recurrence, values sent to other ranks before the iterations, and the end.
*/
#pragma once

#include "ranks.cuh"

namespace heptane
{

/*
   Columns at which a thread updates vectors by recurrence, if the kernel does so: the columns of its rows' far
   diagonals, and one column next to the block's rows.
*/
template <class Variant>
struct BdiaghCarriedColumns {
  static constexpr int number = BdiaghPersistentTuning::max_recurred; /* of a row, at far diagonals */

  unsigned   inside = 0;        /* bit q * number + f: far column f of row q is inside the matrix */
  int        place, margin_row; /* of the column next to the rows, from the first own row on; the row of the matrix */
  const bool margin;            /* whether that column exists */

  __device__ __forceinline__ explicit BdiaghCarriedColumns(const BdiaghPersistentBlock<Variant> &B) : margin(B.one_margin(place, margin_row))
  {
    place -= B.P.below;
  }

  /* each(f, row of the column) for the far columns of row q of the thread */
  template <class Each>
  __device__ __forceinline__ void find(const BdiaghPersistentBlock<Variant> &B, int q, int row, Each &&each)
  {
#pragma unroll
    for (int f = 0; f < number; f++) {
      const int there = f < B.P.far ? B.far_row(row, f) : -1;
      if (B.inside(there)) {
        each(f, there);
        inside |= 1u << (q * number + f);
      }
    }
  }

  /* Loads a vector that all blocks have stored, after a sum: 0 if a row has no such column */
  template <int R>
  __device__ __forceinline__ void load(const BdiaghPersistentBlock<Variant> &B, const Scalar *from, Scalar (&far)[R][number], Scalar &of_margin) const
  {
    for_all_places<Variant>(B.rows, [&](int q, int l, bool) {
#pragma unroll
      for (int f = 0; f < number; f++) far[q][f] = inside >> (q * number + f) & 1 ? __ldcg(from + B.far_row(B.start + l, f)) : Scalar(0);
    });
    if (margin) of_margin = __ldcg(from + margin_row);
  }
};

/*
   first(q) and second(q): two vectors whose values are sent to rows of other ranks before the iterations; carry(): of
   the
   first. A sum in between: all ranks have read the round of the first before the second is sent.
*/
template <class Halo, class Reduce, class First, class Carry, class Second>
__device__ __forceinline__ void bdiagh_send_two(Halo &halo, Reduce &reduce, First &&first, Carry &&carry, Second &&second)
{
  const double nothing[1] = {0};

  halo.send_first(reduce.number(), first);
  halo.receive_first(reduce.number());
  halo.update_halo(carry);
  reduce.template sum<1, false>(nothing, [](const double(&)[1]) {});
  halo.send_first(reduce.number(), second);
  halo.receive_first(reduce.number());
}

/*
   store(q, l) writes a row's vectors. No block still reads the overwritten values, given the fence after the first
   reads
*/
template <class Variant, class Scalars, class Halo, class Reduce, class Store>
__device__ __forceinline__ void bdiagh_end(const BdiaghPersistentBlock<Variant> &B, PersistentScalars<Scalars> &scalars, Halo &halo, const Reduce &reduce,
                                           Store &&store)
{
  fence_device();
  __syncthreads();
  for_active_rows<Variant>(B.rows, store);
  if (threadIdx.x == 0) scalars.store(B.P);
  halo.end(reduce);
}

} // namespace heptane

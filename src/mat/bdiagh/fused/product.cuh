/*
   The rows of the block-diagonal format in the fused product on the device: see pass/product/product_device.cuh.
*/
#pragma once

#include "../../../pass/product/product_device.cuh"
#include "../../csr/remainder_warp.cuh"
#include "fused.hpp"

namespace heptane
{

/* The remainder of the rows of a product. SHARE: lanes share the rows that have one, see remainder_warp.cuh. */
template <bool SHARE>
struct BdiaghRemainder {
  struct Place {
    int           row;
    std::uint32_t word; /* of the mask */
    unsigned      warp; /* lanes with a row */
  };
  RemainderRows R;

  __device__ __forceinline__ Place locate(int row, bool active) const
  {
    Place place = {row, 0, SHARE ? __ballot_sync(~0u, active) : 0};
    if (SHARE && active) place.word = remainder_word(R, row);
    return place;
  }
  template <class U>
  __device__ __forceinline__ void add(const U &u, const Place &place, Scalar &y) const
  {
    if (SHARE) y += R.sums.word ? remainder_take_sum(R, place.row, place.word) : remainder_of_warp(R, u, place.row, place.word, place.warp);
    else if (R.mask) y += remainder_row(R, u, place.row);
  }
};

/* N: number of block diagonals, the main one in their middle, or 0. A compile-time N saves comparisons: 1 to 8 % of an
   iteration (CG, BiCGStab; b = 1, 3, 8) */
template <int B, int N, bool SHARE>
struct BdiaghProductRows {
  template <int K>
  static constexpr int threads = PassTuning::product_threads<B, K>;
  template <int K>
  static constexpr int  blocks     = PassTuning::product_blocks<B, K>;
  static constexpr int  block_size = B, no_diagonal = -1;
  static constexpr bool cells = B != 1, unit = false, has_diagonal = true, begins = SHARE;

  struct Place : BdiaghRemainder<SHARE>::Place {
    int i;
  };
  BdiaghDiagonals        A;
  int                    found_main; /* block diagonal, -1: not stored */
  BdiaghRemainder<SHARE> remainder;

  __host__ __device__ __forceinline__ int rows() const { return A.rows; }
  __host__ __device__ __forceinline__ int block() const { return block_of<B>(A); }
  __device__ __forceinline__ int          main_diagonal() const { return N > 0 ? N / 2 : found_main; }
  /* If that costs no registers */
  template <int K>
  __device__ __forceinline__ bool passes_u() const
  {
    return (K == 4 || N > 0) && main_diagonal() >= 0;
  }
  __device__ __forceinline__ Place locate(unsigned at, int i, bool active) const { return {remainder.locate(static_cast<int>(at), active), i}; }
  __device__ __forceinline__ int   diagonal(const Place &) const { return main_diagonal(); }
  template <class U>
  __device__ __forceinline__ Scalar multiply(const U &u, const Place &place, int skip, RowDiagonal &d) const
  {
    const int main = main_diagonal(), i = place.i;
    Scalar    y = bdiagh_row<B, BdiaghTuning::fused_together<B>, N>(
      A, u, place.row,
      [&](int r, int s, Scalar a, Scalar x) {
        if (r == main && s == i) d = {a, x};
      },
      skip);
    remainder.add(u, place, y);
    return y;
  }
  __device__ __forceinline__ void sync_cells() const { sync_whole_cells<B>(); }
  template <int THREADS, class U>
  __device__ __forceinline__ void begin(const U &u) const
  {
    remainder_publish_sums<THREADS>(remainder.R, u);
  }
};

/*
   The rows of a folded copy, which are independent, so that they are spread over threads whatever the block size; warps
   begin on whole lines of the value columns (8 % faster than whole cells per block; b = 3, BiCGStab). N: number of
   block diagonals, or 0. UPPER: A holds the diagonals above the main one of a symmetric matrix, B = 1, with the bits of
   all diagonals. T: stored type of A; WHOLE: with the main diagonal.
*/
template <int B, int N, bool UPPER, bool SHARE, class T = Scalar, bool WHOLE = false>
struct BdiaghUnitRows {
  using Stored                 = T;
  static constexpr bool single = std::is_same_v<T, Single>;
  template <int K>
  static constexpr int threads = PassTuning::most_threads<K>;
  template <int K>
  static constexpr int  blocks     = (single && K <= 1 ? BdiaghTuning::single_resident : PassTuning::product_resident<B, K>) / threads<K>;
  static constexpr int  block_size = B, no_diagonal = -1;
  static constexpr bool cells = false, unit = true, has_diagonal = false, begins = SHARE;
  static constexpr bool in_single = single && B != 1; /* BiCGStab with two wells, b = 1, 4.1M rows: 184 us for 177 */

  using Place = typename BdiaghRemainder<SHARE>::Place;
  BdiaghDiagonalsOf<T>   A;
  BdiaghRemainder<SHARE> remainder;

  __host__ __device__ __forceinline__ int rows() const { return A.rows; }
  __host__ __device__ __forceinline__ int block() const { return block_of<B>(A); }
  __device__ __forceinline__ Place        locate(unsigned at, int, bool active) const { return remainder.locate(static_cast<int>(at), active); }
  template <class U>
  __device__ __forceinline__ Scalar multiply(const U &u, const Place &place, int, const RowDiagonal &d) const
  {
    Scalar y = WHOLE ? Scalar(0) : d.u;
    if constexpr (UPPER) y += bdiagh_symmetric_row<N>(A, u, place.row);
    else y += bdiagh_row < B, WHOLE && B == 1 ? 7 : BdiaghTuning::folded_together<B>, N > (A, u, place.row);
    remainder.add(u, place, y);
    return y;
  }
  template <int THREADS, class U>
  __device__ __forceinline__ void begin(const U &u) const
  {
    remainder_publish_sums<THREADS>(remainder.R, u);
  }
};

/* A kernel of a small problem begins before the one before it has ended */
template <class T>
bool bdiagh_begins_early(const BdiaghDiagonalsOf<T> &A)
{
  return static_cast<std::size_t>(A.rows) * A.ndiag * A.block <= PassTuning::chained_entries;
}

} // namespace heptane

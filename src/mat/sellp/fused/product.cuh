/*
   The rows of the sliced ELLPACK format in the fused product on the device: see pass/product/product_device.cuh.
*/
#pragma once

#include "../../../pass/product/product_device.cuh"
#include "fused.hpp"

namespace heptane
{

/* A row in the slices */
struct SellpRowPlace {
  std::size_t row;
  int         slice, r; /* row r of the slice */
  SellpSlice  head;
};

/* The sums of the rows put aside, stored by launch_sellp_remainder() */
struct SellpRemainderSums {
  RemainderRows R;
  const Scalar *sums = nullptr;

  __device__ __forceinline__ Scalar of(std::size_t row) const
  {
    const int k = remainder_of(R, static_cast<int>(row)); /* -1 if there are none */
    return k >= 0 ? sums[k] : Scalar(0);
  }
};

/* UN, UI: blocks loaded together in slices without and with index. Tiles are the warps that hold whole cells; only
   these synchronise. */
template <int B, int UN, int UI>
struct SellpProductRows {
  template <int K>
  static constexpr int threads = PassTuning::product_threads<B, K>;
  template <int K>
  static constexpr int  blocks     = PassTuning::product_blocks<B, K>;
  static constexpr int  block_size = B, no_diagonal = sellp_diagonal_limit;
  static constexpr bool cells = B != 1, unit = false, has_diagonal = false;

  using Place = SellpRowPlace;
  SellpOperands O;

  __host__ __device__ __forceinline__ int rows() const { return O.slices.rows; }
  __host__ __device__ __forceinline__ int block() const { return block_of<B>(O.slices); }
  template <int K>
  __device__ __forceinline__ bool passes_u() const
  {
    return false;
  }
  __device__ __forceinline__ Place locate(unsigned at, int i, bool active) const
  {
    const SellpSlices &A        = O.slices;
    const unsigned     in_slice = static_cast<unsigned>(A.slice * block());
    Place              place    = {
                      at, 0, 0, {0, 0, 0}
    };

    if (active) {
      place.slice = static_cast<int>(at / in_slice);
      place.r     = static_cast<int>(at - place.slice * in_slice);
      place.head  = sellp_head(A, place.slice);
      if (A.place) place.row = static_cast<std::size_t>(sellp_cell(A, cell_place(place))) * block() + i;
    }
    return place;
  }
  __device__ __forceinline__ int diagonal(const Place &place) const { return load_shared(O.diagonal + cell_place(place)); }
  template <class U>
  __device__ __forceinline__ Scalar multiply(const U &u, const Place &place, int skip, const RowDiagonal &) const
  {
    const SellpSlices &A = O.slices;
    Scalar             y;

    if constexpr (cells) y = sellp_row<B, UN, UI, UI>(A, u, place.head, place.slice, place.r, SellpAllBut{skip});
    else y = sellp_row<B, UN, UI, UI>(A, u, place.head, place.slice, place.r);
    if (O.remainder.mask) {
      const int k = remainder_of(O.remainder, static_cast<int>(place.row));
      if (k >= 0) y += O.sums[k];
    }
    return y;
  }
  __device__ __forceinline__ void sync_cells() const { sync_whole_cells<B>(); }

private:
  __device__ __forceinline__ int cell_place(const Place &place) const { return place.slice * O.slices.slice + place.r / block(); }
};

/* The rows of a folded copy, which are independent, so that they are spread over threads whatever the block size. T:
   stored type of A. WHOLE: with the diagonal blocks, and perhaps with rows put aside; else A.dropped is not null. */
template <int B, int UN, int UI, class T = Scalar, bool WHOLE = false>
struct SellpUnitRows {
  using Stored                 = T;
  static constexpr bool single = std::is_same_v<T, Single>;
  template <int K>
  static constexpr int threads = PassTuning::most_threads<K>;
  template <int K>
  static constexpr int  blocks     = (single && K <= 1 ? SellpTuning::single_resident : PassTuning::product_resident<B, K>) / threads<K>;
  static constexpr int  block_size = B, no_diagonal = sellp_diagonal_limit;
  static constexpr bool cells = false, unit = true, has_diagonal = false;
  static constexpr bool in_single = single && B != 2; /* BiCGStab, active cells, us with and without: b = 2, 2.3M rows 148, 142, b = 3, 0.65M rows 56.3, 59.7 */

  using Place = SellpRowPlace;
  SellpSlicesOf<T>   A;
  SellpRemainderSums remainder = {};

  __host__ __device__ __forceinline__ int rows() const { return A.rows; }
  __host__ __device__ __forceinline__ int block() const { return block_of<B>(A); }
  __device__ __forceinline__ Place        locate(unsigned at, int, bool active) const
  {
    const int      b        = block();
    const unsigned in_slice = static_cast<unsigned>(A.slice * b);
    Place          place    = {
                  at, 0, 0, {0, 0, 0}
    };

    if (active) {
      place.slice = static_cast<int>(at / in_slice);
      place.r     = static_cast<int>(at - place.slice * in_slice);
      if (A.place) place.row = static_cast<std::size_t>(sellp_cell(A, place.slice * A.slice + place.r / b)) * b + place.r % b;
    }
    return place;
  }
  template <class U>
  __device__ __forceinline__ Scalar multiply(const U &u, const Place &place, int, const RowDiagonal &d) const
  {
    const SellpSlice head = sellp_head(A, place.slice);

    if constexpr (WHOLE) return sellp_row<B, UN, UI, UI>(A, u, head, place.slice, place.r) + remainder.of(place.row);
    else return d.u + sellp_row_without_dropped<B, UN, UI>(A, u, head, place.slice, place.r);
  }
};

/* A kernel of a small problem begins before the one before it has ended */
inline bool sellp_begins_early(const SellpShape &A)
{
  return static_cast<std::size_t>(A.rows) <= PassTuning::chained_rows;
}

} // namespace heptane

/*
   The fused product with a copy in single precision on the device, four adjacent rows per thread, without
   preconditioner and remainder. For one GPU; several GPUs: single_halo.cu.
*/
#pragma once

#include "../../../device/launch.hpp"
#include "../../../pass/product/launch_resident.cuh"
#include "../../../pass/product/product_device.cuh"
#include "../format/single_rows.hpp"

namespace heptane
{

/* B: block size 1, 2, 3, or a multiple of four; N: diagonals, with B = 1 a compile-time number; UPPER: the ones above
   the main one of a symmetric matrix; WHOLE: with the main one; SHIFTED: see bdiagh_quad() */
template <int B_, int N_, bool UPPER_, bool WHOLE_, bool SHIFTED_>
struct BdiaghSingleForm {
  static constexpr int  B = B_, N = N_;
  static constexpr bool upper = UPPER_, whole = WHOLE_, shifted = SHIFTED_;

  /* u: of the rows themselves */
  template <class X>
  static __device__ __forceinline__ SingleQuad multiply(const BdiaghSingles &A, const X &x, int row, const SingleQuad &u)
  {
    SingleQuad y = {};

    if constexpr (upper) bdiagh_symmetric_quad<N, shifted>(A, x, row, u, y);
    else if constexpr (B == 1) bdiagh_plain_quad<N, shifted>(A, x, row, u, y);
    else bdiagh_cells_quad<B, N>(A, x, row, y);
    if constexpr (!whole) {
#pragma unroll
      for (int j = 0; j < 4; j++) y.v[j] += u.v[j];
    }
    return y;
  }
  template <class X>
  static __device__ __forceinline__ Single multiply(const BdiaghSingles &A, const X &x, int row)
  {
    const Single y = upper ? bdiagh_single_symmetric_row(A, x, row) : bdiagh_single_row<B>(A, x, row);

    return whole ? y : y + x[row];
  }
};

/* A row's contribution to the sums */
template <int K>
__device__ __forceinline__ void bdiagh_single_sums(bool of_u, Single y, Single u, Single w, Scalar (&sums)[K])
{
  const Scalar of_y = static_cast<Scalar>(y);

  if constexpr (K == 1) sums[0] += static_cast<Scalar>(of_u ? u : w) * of_y;
  else {
    const Scalar wide_u = static_cast<Scalar>(u), wide_w = static_cast<Scalar>(w);
    sums[0] += of_y * wide_u;
    sums[1] += of_y * of_y;
    sums[2] += wide_w * of_y;
    sums[3] += wide_w * wide_u;
  }
}

/* The contribution of other ranks' columns if there are none */
struct BdiaghNoColumns {
  struct Place {};
  __device__ __forceinline__ Place locate(int) const { return {}; }
  __device__ __forceinline__ void  add(const Place &, int, SingleQuad &) const {}
  __device__ __forceinline__ void  add(const Place &, int, Single &) const {}
};

/* Processes the tiles order(k), order(k + gridDim.x), ... with index below end; adds to the thread's sums. Returns this
   block's first index from end on. */
template <class Form, bool MINUS, int K, class Order, class Columns>
__device__ __forceinline__ int bdiagh_single_tiles(const BdiaghSingles &A, const FusedProductOf<Single> &P, const SingleGather<MINUS> &u, const Order &order,
                                                   int k, int end, const Columns &columns, Scalar (&sums)[K])
{
  constexpr int rows = 4 * BdiaghSingleTuning::threads;
  const bool    of_u = P.sums == sum_yu, with_w = K == 4 || P.sums == sum_wy;

  for (; k < end; k += gridDim.x) {
    const int row = order(k) * rows + 4 * static_cast<int>(threadIdx.x);
    if (row + 4 <= A.rows) {
      const auto       place  = columns.locate(row);
      const SingleQuad center = u.template pack<4>(row), w = with_w ? load_stored<Pack<4>>(P.w, row) : SingleQuad();
      SingleQuad       y = Form::multiply(A, u, row, center);
      columns.add(place, row, y);
      store(P.y, row, y);
#pragma unroll
      for (int j = 0; j < 4; j++) bdiagh_single_sums<K>(of_u, y.v[j], center.v[j], w.v[j], sums);
    } else
      for (int i = row; i < A.rows; i++) {
        Single y = Form::multiply(A, u, i);
        columns.add(columns.locate(i), i, y);
        P.y[i] = y;
        bdiagh_single_sums<K>(of_u, y, u[i], with_w ? P.w[i] : Single(0), sums);
      }
  }
  return k;
}

/*
   Computes  y = A u, u = q or q - alpha v, and its sums, K of them
   Threads   one for four adjacent rows, in strides of the grid; one thread for the last rows if fewer than four
   Bytes     per row sizeof(Single) * (values stored, vectors read + 1); the lower part of a symmetric matrix, and u of
             neighbours, from caches
   Order     deterministic: rows as in format/single_rows.hpp, then the rows of a thread, threads and blocks in a fixed
             order
*/
template <class Form, bool MINUS, int K, int RESIDENT>
__global__ void __launch_bounds__(BdiaghSingleTuning::threads, RESIDENT / BdiaghSingleTuning::threads)
  bdiagh_single_kernel(const __grid_constant__ BdiaghSingles A, const __grid_constant__ FusedProductOf<Single> P, const FusedScalars *S,
                       const FusedReduction red, bool backward)
{
  constexpr int threads = BdiaghSingleTuning::threads;

  wait_for_predecessor();
  const auto now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const TileOrder order   = {(A.rows + 4 * threads - 1) / (4 * threads), backward};
  Scalar          sums[K] = {};

  bdiagh_single_tiles<Form, MINUS, K>(A, P, SingleGather<MINUS>(now.input, P.v, now.alpha), order, static_cast<int>(blockIdx.x), order.tiles, BdiaghNoColumns(),
                                      sums);
  finish_product<threads>(P, sums, red);
}

template <class Form, bool MINUS, int K>
cudaError_t launch_bdiagh_quads(const BdiaghSingles &A, const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, bool early,
                                cudaStream_t stream)
{
  constexpr int threads = BdiaghSingleTuning::threads, resident = BdiaghSingleTuning::resident<Form::B, K>;

  return launch_resident<bdiagh_single_kernel<Form, MINUS, K, resident>>(blocks_for(A.rows, 4 * threads), threads, Form::B, K, stream, early, red, A, P, S, red,
                                                                         goes_backward(P));
}

} // namespace heptane

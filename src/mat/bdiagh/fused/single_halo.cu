/*
   The fused product with a copy in single precision on the device, of a matrix with rows on other GPUs. Fewer kernels
   than for one GPU: four rows per thread for seven-point grids with one or three rows per cell, whose diagonal blocks
   are unit matrices; a kernel for any number of diagonals handles remainders, other diagonals and other blocks.
*/
#include "../../../pass/product/product_halo.cuh"
#include "product.cuh"
#include "single.cuh"
#include "single.hpp"

namespace heptane
{

namespace
{

using Diagonals = BdiaghDiagonalsOf<Single>;
using Product   = FusedProductOf<Single>;

/* As in single.cu */
template <int B, bool UPPER = false, bool WHOLE = false>
using Rows = BdiaghUnitRows<B, 0, UPPER, true, Single, WHOLE>;

/* The contribution of other ranks' columns to rows, in double precision; the bits of four rows are in one word */
struct Columns {
  using Place = HaloWord;
  const RemainderRows &R;
  const PeerHalo      &H;
  const std::uint64_t  round;

  __device__ __forceinline__ Place locate(int row) const { return halo_word(R, row); }
  __device__ __forceinline__ void  add(const Place &word, int row, Single &y) const { y = static_cast<Single>(y + halo_row(R, word, H, round, row)); }
  __device__ __forceinline__ void  add(const Place &word, int row, SingleQuad &y) const
  {
    const unsigned four = word.mask >> row % 32 & 15;

    if (!four) return;
    if (four == 15 && R.longest == 1) { /* as on the planes between two GPUs: all loads are issued before the first value is used */
      const int k = word.base + count_bits(word.mask & ((std::uint32_t(1) << row % 32) - 1));
      int       j[4];
      double    x[4];

#pragma unroll
      for (int i = 0; i < 4; i++) j[i] = R.col[k + i];
      halo_ghosts(H, round, j, 4, x);
#pragma unroll
      for (int i = 0; i < 4; i++) y.v[i] = static_cast<Single>(y.v[i] + R.values[k + i] * static_cast<Scalar>(x[i]));
    } else {
#pragma unroll
      for (int i = 0; i < 4; i++) add(word, row + i, y.v[i]);
    }
  }
};

/*
   Computes  as bdiagh_single_kernel, for the rows of this GPU, adding the contribution of other ranks' columns before
             the sums, which are over all GPUs
   Threads   as bdiagh_single_kernel; before its rows, each stores some of the values that other ranks need. All blocks
             are resident, so that blocks waiting for ghosts do not prevent other blocks from storing.
   Bytes     as bdiagh_single_kernel; 16 per value sent, and 16 per off-rank column of a row in addition to the 12 of
             its entry
   Order     deterministic: the contribution of other ranks' columns is last in a row; a thread's rows in the order of
             HaloTiles; sums in the order of the ranks
*/
template <class Form, bool MINUS, int K, int RESIDENT>
__global__ void __launch_bounds__(BdiaghSingleTuning::threads, RESIDENT / BdiaghSingleTuning::threads)
  bdiagh_single_halo_kernel(const __grid_constant__ BdiaghSingles A, const __grid_constant__ Product P, const __grid_constant__ PeerHalo H,
                            const FusedScalars *S, const FusedReduction red, const HaloTiles order)
{
  constexpr int threads = BdiaghSingleTuning::threads;

  wait_for_predecessor();
  const std::uint64_t round = peer_round(H);
  const auto          now   = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const SingleGather<MINUS> u(now.input, P.v, now.alpha);
  Scalar                    sums[K] = {};

  peer_push(H, round, u, static_cast<int>(blockIdx.x * threads + threadIdx.x), static_cast<int>(gridDim.x * threads));
  const int k = bdiagh_single_tiles<Form, MINUS, K>(A, P, u, order, static_cast<int>(blockIdx.x), order.inner, BdiaghNoColumns(), sums);
  sum_shared_rows<threads>(P.halo, H, round);
  bdiagh_single_tiles<Form, MINUS, K>(A, P, u, order, k, order.tiles, Columns{P.halo.rows, H, round}, sums);
  if (P.sums != no_sums) publish_sums_and_end_round<threads>(sums, red, P.at, H, round);
  else end_round(H, round);
}

template <class Form, bool MINUS, int K>
cudaError_t launch_quads(const Diagonals &D, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int   threads = BdiaghSingleTuning::threads, resident = BdiaghSingleTuning::resident<Form::B, K>;
  const HaloTiles order(D.rows, 4 * threads, P.halo.free, goes_backward(P));

  return launch_resident<bdiagh_single_halo_kernel<Form, MINUS, K, resident>>(order.tiles, threads, Form::B, K, stream, bdiagh_begins_early(D), red, D, P,
                                                                              *P.halo.peers, S, red, order);
}

/* Ones on the diagonal, which are not stored */
template <bool MINUS, int K, int B>
cudaError_t launch_unit(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int N = 6;

  if (!R.mask && D.ndiag == N) {
    if constexpr (B > 1) return launch_quads<BdiaghSingleForm<B, N, false, false, false>, MINUS, K>(D, P, S, red, stream);
    if constexpr (B == 1)
      if (bdiagh_next_to_main(D, N / 2 - 1, N / 2)) {
        if (bdiagh_are_shifted(D)) return launch_quads<BdiaghSingleForm<1, N, false, false, true>, MINUS, K>(D, P, S, red, stream);
        return launch_quads<BdiaghSingleForm<1, N, false, false, false>, MINUS, K>(D, P, S, red, stream);
      }
  }
  return launch_product_halo<MINUS, K>(Rows<B>{D, {R}}, true, P, S, red, bdiagh_begins_early(D), stream);
}

template <bool MINUS, int K, int B>
cudaError_t launch_whole(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return launch_product_halo<MINUS, K>(Rows<B, false, true>{D, {R}}, true, P, S, red, bdiagh_begins_early(D), stream);
}

cudaError_t launch_upper(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!R.mask && D.ndiag == 3 && bdiagh_next_to_main(D, -1, 0)) {
    if (bdiagh_are_shifted(D)) return launch_quads<BdiaghSingleForm<1, 3, true, false, true>, false, 1>(D, P, S, red, stream);
    return launch_quads<BdiaghSingleForm<1, 3, true, false, false>, false, 1>(D, P, S, red, stream);
  }
  return launch_product_halo<false, 1>(Rows<1, true>{D, {R}}, true, P, S, red, bdiagh_begins_early(D), stream);
}

} // namespace

cudaError_t launch_bdiagh_single_halo(const Diagonals &D, FoldForm form, const RemainderRows &given, const Product &P, const FusedScalars *S,
                                      const FusedReduction &red, cudaStream_t stream)
{
  const RemainderRows R   = remainder_without_sums(given);
  cudaError_t         err = cudaErrorNotSupported;

  if (form == FoldForm::upper) return launch_upper(D, R, P, S, red, stream);
  if (number_of(P.sums) > 1 && !P.v) return err;
  if (form == FoldForm::unit)
    with_block_of(BdiaghTuning::SingleHaloSizes(), D.block,
                  [&](auto B) { err = P.v ? launch_unit<true, 4, B()>(D, R, P, S, red, stream) : launch_unit<false, 1, B()>(D, R, P, S, red, stream); });
  else
    with_block_of(BlockSizes<1>(), D.block,
                  [&](auto B) { err = P.v ? launch_whole<true, 4, B()>(D, R, P, S, red, stream) : launch_whole<false, 1, B()>(D, R, P, S, red, stream); });
  return err;
}

} // namespace heptane

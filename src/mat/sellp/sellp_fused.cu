/*
   The fused product of the sliced ELLPACK format on the device.
*/
#include "../../device/launch.hpp"
#include "../../device/warp_group_barrier.cuh"
#include "../../pass/pass_tuning.hpp"
#include "../../pass/gather.hpp"
#include "../../pass/launch_resident.cuh"
#include "../../pass/product_scalars.cuh"
#include "../../pass/point_block.cuh"
#include "../csr/csr_pieces.cuh"
#include "../../device/with_block.hpp"
#include "sellp_fused.hpp"

namespace heptane
{

namespace
{

constexpr int aside_threads = 256;

/*
   Computes  sums[k] = row k of the list of A u, u = q or q - alpha v
   Threads   a warp a row
   Bytes     an entry sizeof(Scalar) + 4, u gathered
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
template <bool MINUS>
__global__ void __launch_bounds__(aside_threads)
  sellp_aside_kernel(const CsrRows A, Scalar *sums, const __grid_constant__ FusedProduct P, const FusedScalars *S)
{
  const int k = static_cast<int>((blockIdx.x * static_cast<std::size_t>(aside_threads) + threadIdx.x) / 32), lane = threadIdx.x % 32;

  wait_for_predecessor();
  const ProductScalars now = begin_product<MINUS, 1>(P, S);
  if (now.still || k >= A.count) return;
  const FusedGather<MINUS> u   = {now.input, P.v, now.alpha};
  Scalar                   sum = csr_row(A, u, k, lane, 32);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) sums[k] = sum;
}

/*
   Computes  sums[k] = sum of the pieces of row k
   Threads   a warp a row
   Bytes     sizeof(Scalar) a piece and a row
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
__global__ void __launch_bounds__(aside_threads) sellp_pieces_kernel(const CsrPieces P, int count, Scalar *sums, const FusedScalars *S)
{
  const int k = static_cast<int>((blockIdx.x * static_cast<std::size_t>(aside_threads) + threadIdx.x) / 32), lane = threadIdx.x % 32;

  wait_for_predecessor();
  if (S->stop != FusedStop::no || k >= count) return;
  const Scalar sum = csr_pieces_sum(P, k, lane);
  if (lane == 0) sums[k] = sum;
}

/*
   Computes  y = M^-1 A u, u = q or q - alpha v, and its sums, for which there is room for K
   Threads   one a row, in the order of the places, whole cells a block, in strides of the grid; where M has blocks, cells meet within a warp, or in the shared memory of the fewest warps
             that hold whole cells
   Bytes     as sellp_mult_kernel, and the vectors of the scalar products; M^-1: jacobi 1, blocks `block` scalars a row more, own_blocks the same and as many values of A less
   Order     deterministic: rows as sellp_row(), then a thread's rows, threads and blocks in a fixed order
   backward  from the last rows to the first, as bdiagh_fused_kernel
*/
template <int B, bool MINUS, int K, int UN, int UI>
__global__ void __launch_bounds__(SellpTuning::fused_threads<B, K>, SellpTuning::fused_blocks<B, K>)
  sellp_fused_kernel(const __grid_constant__ SellpOperands O, const __grid_constant__ FusedProduct P, const FusedScalars *S, const FusedReduction red,
                     bool backward)
{
  constexpr int      threads = SellpTuning::fused_threads<B, K>;
  constexpr int      group   = SellpTuning::whole<B>; /* threads of the warps that hold whole cells */
  constexpr bool     in_warp = B > 0 && 32 % (B > 0 ? B : 1) == 0;
  const SellpSlices &A       = O.slices;
  const int          b       = block_of<B>(A);
  const int          used    = B > 0 ? threads : threads - threads % b; /* threads with a row */
  const int          own = threadIdx.x, i = own % b;
  const unsigned     in_slice = static_cast<unsigned>(A.slice * b);
  __shared__ Scalar  value[2][in_warp ? 1 : threads]; /* in turn, so that one barrier a tile is enough */
  constexpr bool     cells = B != 1;                  /* b = 1 has no blocks */

  wait_for_predecessor();
  const ProductScalars now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const bool               own_blocks = cells && P.pc.kind == FusedPc::own_blocks, blocks = own_blocks || (cells && P.pc.kind == FusedPc::blocks);
  const Scalar             alpha   = now.alpha;
  const Scalar            *input   = now.input;
  const FusedGather<MINUS> u       = {input, P.v, alpha};
  Scalar                   sums[K] = {};
  const int                tiles   = (A.rows + used - 1) / used;
  int                      turn    = 0;

  for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
    const std::size_t at     = static_cast<std::size_t>(backward ? tiles - 1 - k : k) * used + own;
    const bool        active = own < used && at < static_cast<std::size_t>(A.rows);
    std::size_t       row    = at;
    Scalar            y = 0, self = 0;
    RowOperands       o = {0, 0};
    if (active) {
      const int        slice = static_cast<int>(static_cast<unsigned>(at) / in_slice), r = static_cast<int>(static_cast<unsigned>(at) - slice * in_slice);
      const int        place = slice * A.slice + r / b;
      const SellpSlice head  = sellp_head(A, slice);
      if (A.place) row = static_cast<std::size_t>(sellp_cell(A, place)) * b + i;
      o = row_operands<K>(P, input, row, alpha);
      if constexpr (cells) {
        const int diagonal = own_blocks ? load_shared(O.diagonal + place) : sellp_diagonal_limit;
        if (own_blocks) self = u[row];
        y = sellp_row<B, UN, UI, UI>(A, u, head, slice, r, 0, 1, SellpAllBut{diagonal});
      } else y = sellp_row<B, UN, UI, UI>(A, u, head, slice, r, 0, 1);
      if (O.aside.mask) {
        const int k = remainder_of(O.aside, static_cast<int>(row));
        if (k >= 0) y += O.sums[k];
      }
      if (P.pc.kind == FusedPc::jacobi) y *= P.pc.inverse[row];
    }
    if (blocks) {
      y = apply_point_block<B, in_warp>(P.pc, active, row, i, y, own, value[turn], [&] { warp_group_barrier(own / group, group); });
      y += self;
      turn ^= 1;
    }
    if (active) product_row<K>(P, row, y, o, sums);
  }
  finish_product<threads>(P, sums, red);
}

/*
   Computes  whether the blocks of `inverse` are the inverses of the diagonal blocks, up to own_blocks_tolerance
   Threads   one a row, in the order of the places
   Bytes     2 sizeof(Scalar) * block a row, the rest from caches
   Order     none: the same 1 is stored by whoever finds a difference
*/
__global__ void __launch_bounds__(SellpTuning::device_threads)
  sellp_compare_blocks_kernel(const __grid_constant__ SellpSlices A, const std::uint16_t *diagonal, const Scalar *inverse, std::size_t ld, int *differs)
{
  const int at = blockIdx.x * SellpTuning::device_threads + threadIdx.x, place = at / A.block;

  if (place < A.cells && !(sellp_inverse_error(A, diagonal, inverse, ld, place, at % A.block) <= own_blocks_tolerance)) *differs = 1;
}

template <int B, bool MINUS, int K, int UN, int UI>
cudaError_t launch(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int      threads  = SellpTuning::fused_threads<B, K>;
  const SellpSlices &A        = O.slices;
  const int          used     = threads - threads % A.block;
  const bool         backward = goes_backward(P);
  const bool         early    = static_cast<std::size_t>(A.rows) <= PassTuning::chained_rows;
  cudaError_t        err      = cudaSuccess;

  if (O.aside.mask) {
    const bool     pieces = O.pieces.first != nullptr;
    const CsrRows &list   = pieces ? O.pieces.list : O.list;

    err = launch_chained(sellp_aside_kernel<MINUS>, blocks_for(static_cast<std::size_t>(list.count) * 32, aside_threads), aside_threads, stream,
                         red.chained && early, list, pieces ? O.pieces.sums : O.sums, P, S);
    if (err == cudaSuccess && pieces)
      err = launch_chained(sellp_pieces_kernel, blocks_for(static_cast<std::size_t>(O.list.count) * 32, aside_threads), aside_threads, stream,
                           red.chained && early, O.pieces, O.list.count, O.sums, S);
    if (err != cudaSuccess) return err;
  }
  return launch_resident<sellp_fused_kernel<B, MINUS, K, UN, UI>>(blocks_for(A.rows, used), threads, stream, early, red, O, P, S, red, backward);
}

template <int B, bool MINUS, int K>
cudaError_t launch(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::fused_together_none, UI = SellpTuning::fused_together_indexed<B>;

  if constexpr (B == 1) {
    if (O.mix == SellpMix::none || O.mix == SellpMix::short_none) return launch<B, MINUS, K, UN, 1>(O, P, S, red, stream);
    return launch<B, MINUS, K, 1, UI>(O, P, S, red, stream);
  } else return launch<B, MINUS, K, UI, UI>(O, P, S, red, stream);
}

} // namespace

cudaError_t launch_sellp_fused(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!O.slices.rows) return cudaSuccess;
  return with_block(O.slices.block,
                    [&](auto B) { return with_product(P, [&](auto minus, auto K) { return launch<B(), minus(), K()>(O, P, S, red, stream); }); });
}

cudaError_t launch_sellp_compare_blocks(const SellpOperands &O, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream)
{
  constexpr int threads = SellpTuning::device_threads;

  if (!O.slices.rows) return cudaSuccess;
  sellp_compare_blocks_kernel<<<blocks_for(O.slices.rows, threads), threads, 0, stream>>>(O.slices, O.diagonal, inverse, ld, differs);
  return cudaGetLastError();
}

} // namespace heptane

/*
   Folded copies of slices on the device.
*/
#include "fold.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/with_block.hpp"
#include "fold_rows.hpp"

namespace heptane
{

namespace
{

/*
   Computes  sellp_fold_row() of every row
   Threads   one per row, in the order of the places; columns of values are written with unit stride, the rows of a cell
             read each other's from the first-level cache
   Bytes     sizeof(Scalar) * 2 block^2 per place of a block, less the dropped blocks, and its index; block inverses
             sizeof(Scalar) * block per row; 2 per cell
   Order     deterministic: a place has one writer; all writers of a note bit store the same value
*/
template <int B>
__global__ void __launch_bounds__(SellpTuning::device_threads)
  sellp_fold_kernel(const __grid_constant__ SellpSlices A, const FusedScaling F, Scalar *copy, std::uint16_t *dropped, int *note)
{
  const int b = block_of<B>(A), at = blockIdx.x * SellpTuning::device_threads + threadIdx.x, place = at / b;

  if (place >= A.cells) return;
  const int found = sellp_fold_row<B>(A, F, place, at - place * b, copy, dropped);
  if (found) atomicOr(note, found);
}

/*
   Computes  sellp_fold_row() of every row, or sellp_round_row() if nothing is scaled, and fold_remainder_row() or
             copy_remainder_row() of the rows put aside
   Threads   one per row, in the order of the places
   Bytes     12 block^2 per place of a block, less the dropped blocks, and its index; block inverses 8 block per row; 16
             per entry put aside
   Order     deterministic: a place has one writer; all writers of a note bit store the same value
*/
template <int B>
__global__ void __launch_bounds__(SellpTuning::device_threads)
  sellp_fold_single_kernel(const __grid_constant__ SellpSlices A, const RemainderRows R, const FusedScaling F, Single *copy, std::uint16_t *dropped,
                           Scalar *remainder, int *note)
{
  const int  b = block_of<B>(A), at = blockIdx.x * SellpTuning::device_threads + threadIdx.x, place = at / b, i = at - place * b;
  const bool plain = F.side == FusedSide::none;

  if (place >= A.cells) return;
  const int found = plain ? sellp_round_row(A, place, i, copy) : sellp_fold_row<B>(A, F, place, i, copy, dropped);
  if (R.mask) {
    const int row = sellp_cell(A, place) * b + i;
    if (plain) copy_remainder_row(R, row, remainder);
    else fold_remainder_row<B>(R, F, row, remainder);
  }
  if (found) atomicOr(note, found);
}

} // namespace

cudaError_t launch_sellp_fold(const SellpSlices &A, const RemainderRows &R, const FusedScaling &F, Single *copy, std::uint16_t *dropped, Scalar *remainder,
                              int *note, cudaStream_t stream)
{
  constexpr int threads = SellpTuning::device_threads;

  if (!A.rows) return cudaSuccess;
  with_block_of(SellpTuning::SingleSizes(), A.block,
                [&](auto B) { sellp_fold_single_kernel<B()><<<blocks_for(A.rows, threads), threads, 0, stream>>>(A, R, F, copy, dropped, remainder, note); });
  return cudaGetLastError();
}

cudaError_t launch_sellp_fold(const SellpSlices &A, const FusedScaling &F, Scalar *copy, std::uint16_t *dropped, int *note, cudaStream_t stream)
{
  constexpr int threads = SellpTuning::device_threads;

  if (!A.rows) return cudaSuccess;
  with_block_of(SellpTuning::FoldSizes(), A.block,
                [&](auto B) { sellp_fold_kernel<B()><<<blocks_for(A.rows, threads), threads, 0, stream>>>(A, F, copy, dropped, note); });
  return cudaGetLastError();
}

} // namespace heptane

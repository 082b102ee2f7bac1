/*
   Folded copies on the device.
*/
#include "../../../device/launch.hpp"
#include "fold.hpp"
#include "fold_rows.hpp"

namespace heptane
{

namespace
{

/*
   Computes  bdiagh_fold_row(), with UPPER bdiagh_fold_upper_row(), and fold_remainder_row() of every row
   Threads   one per row; value columns are written with unit stride, the rows of a cell read each other's from the
             first-level cache
   Bytes     per row sizeof(Scalar) * block * (2 ndiag, one less if a diagonal is dropped, with UPPER ndiag and the
             diagonals above the main one; 1 for block inverses), 1 with point inverses; twice the remainder
   Order     deterministic: a place has one writer; all writers of a note bit store the same value
*/
template <int B, bool UPPER, class Out>
__global__ void __launch_bounds__(BdiaghTuning::threads) bdiagh_fold_kernel(const __grid_constant__ BdiaghDiagonals A, const RemainderRows R,
                                                                            const FusedScaling F, int diagonal, Out *diagonals, Scalar *remainder, int *note)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row >= A.rows) return;
  int found;
  if constexpr (UPPER) found = bdiagh_fold_upper_row(A, F, diagonal, row, diagonals);
  else found = bdiagh_fold_row<B>(A, F, diagonal, row, diagonals);
  if (R.mask) fold_remainder_row<B>(R, F, row, remainder);
  if (found) atomicOr(note, found);
}

/*
   Computes  bdiagh_round_row(), and a copy of the remainder
   Threads   one per row
   Bytes     per row 12 * block * ndiag; 16 per entry of the remainder
   Order     deterministic: a place has one writer
*/
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_round_kernel(const __grid_constant__ BdiaghDiagonals A, const RemainderRows R, Single *diagonals, Scalar *remainder, int *note)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row >= A.rows) return;
  const int found = bdiagh_round_row(A, row, diagonals);
  if (R.mask) copy_remainder_row(R, row, remainder);
  if (found) atomicOr(note, found);
}

template <class Out>
cudaError_t launch(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &F, FoldForm form, int main_diagonal, Out *diagonals, Scalar *remainder,
                   int *note, cudaStream_t stream)
{
  constexpr int threads = BdiaghTuning::threads;

  if (!D.rows) return cudaSuccess;
  const auto blocks = blocks_for(D.rows, threads);
  if (form == FoldForm::upper) bdiagh_fold_kernel<1, true><<<blocks, threads, 0, stream>>>(D, R, F, main_diagonal, diagonals, remainder, note);
  else {
    const int drop = bdiagh_dropped(form, main_diagonal);
    with_block_of(BdiaghTuning::FoldSizes(), D.block,
                  [&](auto B) { bdiagh_fold_kernel<B(), false><<<blocks, threads, 0, stream>>>(D, R, F, drop, diagonals, remainder, note); });
  }
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_bdiagh_fold(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &F, FoldForm form, int main_diagonal, Scalar *diagonals,
                               Scalar *remainder, int *note, cudaStream_t stream)
{
  return launch(D, R, F, form, main_diagonal, diagonals, remainder, note, stream);
}

cudaError_t launch_bdiagh_fold(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &F, FoldForm form, int main_diagonal, Single *diagonals,
                               Scalar *remainder, int *note, cudaStream_t stream)
{
  if (F.side != FusedSide::none) return launch(D, R, F, form, main_diagonal, diagonals, remainder, note, stream);
  if (!D.rows) return cudaSuccess;
  bdiagh_round_kernel<<<blocks_for(D.rows, BdiaghTuning::threads), BdiaghTuning::threads, 0, stream>>>(D, R, diagonals, remainder, note);
  return cudaGetLastError();
}

} // namespace heptane

/*
   The product of few rows of wide blocks in slices on the device: several threads per row.
*/
#include "wide_rows.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/row_shares.cuh"
#include "remainder.cuh"

namespace heptane
{

namespace
{

/*
   Computes  z = A x (+ y)
   Threads   a block has RowShares::rows rows in the order of the places, each warp one share of them; for the rows put
             aside a warp per piece
   Bytes     as sellp_mult_kernel, the index of a block once for each thread that has a group of it
   Order     deterministic: each share in the order of sellp_row_share(), shares ascending, their number depends only on
             the sizes of the matrix; put aside, as sellp_mult_kernel
*/
template <class Remainder>
__global__ void __launch_bounds__(RowShares::rows *RowShares::most, 1)
  sellp_mult_wide_kernel(const __grid_constant__ SellpSlices A, const __grid_constant__ Remainder remainder, const Scalar *__restrict__ x, const Scalar *y,
                         Scalar *z)
{
  extern __shared__ __align__(16) char memory[];
  const int                            threads = static_cast<int>(blockDim.x);
  int                                  block, blocks;

  if (sellp_remainder_row(remainder, threads, x, y, z, &block, &blocks)) return;
  const int    shares = threads / RowShares::rows, share = static_cast<int>(threadIdx.x) / RowShares::rows, rows = A.slice * A.block;
  const int    at = block * RowShares::rows + static_cast<int>(threadIdx.x) % RowShares::rows, slice = at / rows, r = at - slice * rows;
  const int    place = slice * A.slice + r / A.block;
  const bool   mine  = place < A.cells;
  const Scalar part  = mine ? sellp_row_share(A, x, sellp_head(A, slice), slice, r, share, shares) : Scalar(0);
  const Scalar sum   = add_shares_of_block(part, reinterpret_cast<Scalar *>(memory));

  if (!share && mine) put_unless_remainder(remainder, sellp_cell(A, place) * A.block + r % A.block, sum, y, z);
}

} // namespace

cudaError_t launch_sellp_mult_wide(const SellpSlices &A, int shares, const SellpRemainder &remainder, const Scalar *x, const Scalar *y, Scalar *z,
                                   cudaStream_t stream)
{
  const int  threads = shares * RowShares::rows;
  const auto with    = [&](const auto &these) {
    const unsigned blocks = blocks_for(static_cast<std::size_t>(A.slices) * A.slice * A.block, RowShares::rows) + sellp_remainder_blocks(these, threads);
    sellp_mult_wide_kernel<<<blocks, threads, threads * sizeof(Scalar), stream>>>(A, these, x, y, z);
  };

  if (!A.slices) return cudaSuccess;
  remainder.mask ? with(remainder) : with(SellpNoRemainder());
  return cudaGetLastError();
}

} // namespace heptane

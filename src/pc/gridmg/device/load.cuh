/*
   Cells of the finest level from the matrix by a thread block, several unknowns per cell: a thread has a row of a cell.
*/
#pragma once

#include "../rows/setup_rows.hpp"

namespace heptane
{

/* Bits that the threads of a block exchange, one for each side, for COLUMNS adjacent cells */
template <int B, int COLUMNS>
struct GridRowBits {
  unsigned facing[B][COLUMNS], any[B][COLUMNS], faults[B][COLUMNS];
};

/* A row of the cell of a column: see GridAllRows. Call with all threads of the block. */
template <int B, int COLUMNS>
class GridOneRow {
public:
  __device__ __forceinline__      GridOneRow(GridRowBits<B, COLUMNS> &shared, int c, int r) : bits(shared), column(c), row(r) {}
  __device__ __forceinline__ int  first() const { return row; }
  __device__ __forceinline__ int  end(int) const { return row + 1; }
  __device__ __forceinline__ void facing(const GridMatrix &A, const std::size_t (&neighbour)[grid_pivot], Scalar (&size)[grid_pivot]) const
  {
    unsigned of_row = 0;

    HEPTANE_UNROLL
    for (int slot = 0; slot < grid_pivot; slot++) of_row |= (A.at<B>(grid_diagonal_of(slot ^ 1), neighbour[slot], row, 0) != 0 ? 1u : 0u) << slot;
    const unsigned all = Together(bits.facing, of_row);
    HEPTANE_UNROLL
    for (int slot = 0; slot < grid_pivot; slot++) size[slot] = static_cast<Scalar>(all >> slot & 1u); /* only zero or nonzero matters */
  }
  __device__ __forceinline__ bool     any(bool value) const { return Together(bits.any, value ? 1u : 0u) != 0; }
  __device__ __forceinline__ unsigned faults(unsigned mine) const { return Together(bits.faults, mine); } /* of all rows */

private:
  /* The three kinds of bits are used in turn, so all threads have read the bits of the previous cell before a bit of
     the same kind is stored */
  __device__ __forceinline__ unsigned Together(unsigned (&of)[B][COLUMNS], unsigned mine) const
  {
    unsigned all = 0;

    of[row][column] = mine;
    __syncthreads();
    HEPTANE_UNROLL
    for (int i = 0; i < B; i++) all |= of[i][column];
    return all;
  }

  GridRowBits<B, COLUMNS> &bits;
  const int                column, row;
};

} // namespace heptane

/*
   The remainder entries of all processes, replicated in the order that they have on one process. They are few and are
   exchanged by messages. Independent of PC.
*/
#pragma once

#include "../exchange/parallel_matrix.hpp"

namespace heptane
{

class GridReplicatedRemainder {
public:
  /* Collective, for a pattern. D: a result of GridParallelMatrix::LocalDiagonals(). distribution: set to the first
     process if some entries couple neighbours, since one process would store these in its diagonals */
  PetscErrorCode Places(MPI_Comm comm, const GridParallelMatrix &parallel, const BlockDiagonals &D, GridDistribution *distribution);
  /* Collective: their values, on the host */
  PetscErrorCode Values(GridParallelMatrix *parallel, std::vector<Scalar> *values) const;
  /* Sets their places in D, valid during the lifetime of this object */
  void Fill(BlockDiagonals *D) const;

private:
  MPI_Comm                 comm = MPI_COMM_NULL;
  std::vector<PetscMPIInt> counts, first;                                      /* entries of each process */
  std::vector<int>         remainder_row, remainder_ptr, remainder_col, order; /* order: permutation from the concatenated entries of the processes */
};

} // namespace heptane

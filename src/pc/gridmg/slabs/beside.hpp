/*
   The remainder entries of all processes, replicated in the order that they have on one process. They are few and are
   exchanged by messages. Independent of PC.
*/
#pragma once

#include "../exchange/spread.hpp"

namespace heptane
{

class GridBeside {
public:
  /* Collective, for a pattern. D: a result of GridSpread::OwnDiagonals(). home: set to the first process if some
     entries couple neighbours, since one process would store these in its diagonals */
  PetscErrorCode Places(MPI_Comm comm, const GridSpread &spread, const BlockDiagonals &D, GridHome *home);
  /* Collective: their values, on the host */
  PetscErrorCode Values(GridSpread *spread, std::vector<Scalar> *values) const;
  /* Sets their places in D, valid during the lifetime of this object */
  void Fill(BlockDiagonals *D) const;

private:
  MPI_Comm                 comm = MPI_COMM_NULL;
  std::vector<PetscMPIInt> counts, first;                    /* entries of each process */
  std::vector<int>         rem_row, rem_ptr, rem_col, order; /* order: permutation from the concatenated entries of the processes */
};

} // namespace heptane

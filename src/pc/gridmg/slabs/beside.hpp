/*
   The entries beside the block diagonals of all processes, on each of them in the order in which one process would have them. They are few: messages carry them. Knows no PC.
*/
#pragma once

#include "../exchange/spread.hpp"

namespace heptane
{

class GridBeside {
public:
  /* Collective, for a pattern. D: as GridSpread::OwnDiagonals() gives it. home: the first process where some lie between neighbours, which would have them on its diagonals */
  PetscErrorCode Places(MPI_Comm comm, const GridSpread &spread, const BlockDiagonals &D, GridHome *home);
  /* Collective: their values, on the host */
  PetscErrorCode Values(GridSpread *spread, std::vector<Scalar> *values) const;
  /* Where they are, in D, as long as this lives */
  void Fill(BlockDiagonals *D) const;

private:
  MPI_Comm                 comm = MPI_COMM_NULL;
  std::vector<PetscMPIInt> counts, first;                    /* entries of each process */
  std::vector<int>         rem_row, rem_ptr, rem_col, order; /* order: of the entries as processes have them, one process behind the other */
};

} // namespace heptane

/*
   Remainder entries (wells) in a divided hierarchy. If each entry couples cells of one line, the owner of the line has
   all of its entries, and a slab needs no additional overlap rows. Remainder entries of undivided levels follow from
   the entries, which all processes have, so each process sums them itself. Independent of PC.
*/
#pragma once

#include "../exchange/pieces.hpp"
#include "../exchange/parallel_matrix.hpp"
#include "../hierarchy/dense_lines.hpp"
#include "../hierarchy/lists.hpp"

namespace heptane
{

/* The remainder entries of all processes, replicated in the order that they have on one process. They are few and are
   exchanged by messages. */
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

template <class Real>
class GridDividedRemainder {
public:
  /* Collective, for a plan of levels; dense: see GridOptions. distribution: set to the first process if the grid cannot
     be divided because of its remainder entries */
  PetscErrorCode Find(MPI_Comm comm, GridParallelMatrix *parallel, const GridPlan &plan, bool dense, GridDistribution *distribution);
  bool           Any() const { return !levels.empty() && !levels[0].row.empty(); }
  /* For each level of the grid: whether it has remainder entries outside exactly solved lines; whether remainder
     entries of the previous level are added to its couplings; the number of its entries */
  std::vector<bool> HasRemainder(const GridPlan &plan) const;
  std::vector<bool> Joined() const;
  int               Lines(std::size_t l) const { return l < dense.size() ? dense[l] : 0; } /* see grid_dense_lines() */
  int               Entries(std::size_t l) const { return l < levels.size() ? static_cast<int>(levels[l].col.size()) : 0; }
  /* Places the remainder entries of both systems of a process, whose levels have their shapes; empty systems stay
     empty */
  PetscErrorCode Place(Where where, const GridPieces &all, int rank, GridSystem<Real> *slab, GridSystem<Real> *coarse);
  /* Collective: new values of all entries, and of the first undivided level */
  PetscErrorCode Values(Where where, Scalar scale, GridParallelMatrix *parallel, const Scalar **all);

private:
  GridReplicatedRemainder          replicated;
  std::vector<GridEntry>           entries;
  std::vector<GridRemainderList>   levels; /* of the whole grid */
  std::vector<int>                 dense;  /* of the whole grid, as grid_dense_lines() has it */
  int                              divided = 0;
  GridListMemory                   slab_lists, coarse_lists, before_lists;
  std::vector<GridRemainder<Real>> before; /* of the levels of the whole grid up to the first undivided one, for their values only */
  GridDenseLines<Real>             slab_dense, coarse_dense;
  Buffer<Real>                     memory; /* values of all remainder entries, right-hand sides of their rows, of both systems */
  Buffer<Scalar>                   values; /* of the entries */
};

} // namespace heptane

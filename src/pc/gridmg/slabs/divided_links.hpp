/*
   Entries beside the block diagonals (wells) in a divided hierarchy: where each couples cells of one line, the process that has the line has all of it, and a slab needs no more rows of its neighbours than
   without. Links of the levels behind follow from the entries alone, which all processes know, so that they sum them themselves. Knows no PC.
*/
#pragma once

#include "../exchange/pieces.hpp"
#include "../hierarchy/dense_lines.hpp"
#include "../hierarchy/lists.hpp"
#include "beside.hpp"

namespace heptane
{

template <class Real>
class GridDividedLinks {
public:
  /* Collective, for a plan of levels; dense: see GridOptions. home: the first process where the grid cannot be divided with its entries */
  PetscErrorCode Find(MPI_Comm comm, GridSpread *spread, const GridPlan &plan, bool dense, GridHome *home);
  bool           Any() const { return !levels.empty() && !levels[0].row.empty(); }
  /* Of each level of the grid: whether it has links that its lines are not solved with, whether links of the level before join its couplings, and how many entries it has */
  std::vector<bool> Linked(const GridPlan &plan) const;
  std::vector<bool> Joined() const;
  int               Lines(std::size_t l) const { return l < dense.size() ? dense[l] : 0; } /* see grid_dense_lines() */
  int               Entries(std::size_t l) const { return l < levels.size() ? static_cast<int>(levels[l].col.size()) : 0; }
  /* The links of both systems of a process, whose levels have their shapes; empty systems stay so */
  PetscErrorCode Place(Where where, const GridPieces &all, int rank, GridSystem<Real> *slab, GridSystem<Real> *behind);
  /* Collective: new values, of all entries, and of the first level of the levels behind */
  PetscErrorCode Values(Where where, Scalar scale, GridSpread *spread, const Scalar **all);

private:
  GridBeside                   beside;
  std::vector<GridEntry>       entries;
  std::vector<GridLinksList>   levels; /* of the whole grid */
  std::vector<int>             dense;  /* of the whole grid, as grid_dense_lines() has it */
  int                          divided = 0;
  GridListMemory               slab_lists, behind_lists, before_lists;
  std::vector<GridLinks<Real>> before; /* of the levels of the whole grid to the first one behind, for their values alone */
  GridDenseLines<Real>         slab_dense, behind_dense;
  Buffer<Real>                 memory; /* values of all links, right-hand sides of those of both systems */
  Buffer<Scalar>               values; /* of the entries */
};

} // namespace heptane

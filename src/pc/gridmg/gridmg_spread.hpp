/*
   A parallel matrix of a structured grid for slabs of it: what grid it is, as all processes find together from the compressed rows that they have, and its values and vectors in the numbering of a slab.
   Knows no PC.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "gridmg_message.hpp"
#include "gridmg_plan.hpp"
#include <petscdm.h>
#include <petscmat.h>
#include <petscsf.h>
#include <string>
#include <vector>

namespace heptane
{

/* A box of cells: all of the grid, but for its rows along one axis */
struct GridBox {
  int axis = 2, first = 0, own = 0, south = 0, north = 0; /* rows along the axis: own ones from `first` of the grid on, those beside them */
  int extent[3] = {0, 0, 0};                              /* with those beside */

  std::size_t stride(int a) const { return a == 0 ? 1 : static_cast<std::size_t>(extent[0]) * (a == 1 ? 1 : extent[1]); }
  std::size_t cells() const { return stride(2) * static_cast<std::size_t>(extent[2]); }
};

class GridSpread {
public:
  GridSpread()                              = default;
  GridSpread(const GridSpread &)            = delete;
  GridSpread &operator=(const GridSpread &) = delete;
  ~GridSpread();

  /* All collective. Why not empty, on all processes alike: the matrix cannot be divided. */

  /* Unknowns of a cell, and where products run. grid: a DMDA whose points number the cells, or NULL */
  PetscErrorCode Open(Mat A, DM grid, std::string *why);
  /* The grid and its mean couplings; wanted: extents, 0: from the offsets */
  PetscErrorCode Look(const int wanted[3], std::string *why);
  /* Vectors and values of a box */
  PetscErrorCode Make(const GridBox &box);
  /* Values of the cells of the box, on the host: entry s of row `row` towards neighbour q, as in GridShape::diagonal, is values[(q * unknowns + s) * rows + row]. Couplings with cells outside are left out. */
  PetscErrorCode Values(std::vector<Scalar> *values);
  /*
     The same without messages, of matrices whose processes have whole planes: the block diagonals of the rows of this process, in the numbering of GridShape::diagonal, -1: none; and the couplings with
     planes of others, below the first one and above the last, [unknowns][plane], on the host, where devices reach it too, until the next call. usable: no, on all processes alike, where there are other
     entries.
  */
  PetscErrorCode OwnDiagonals(BlockDiagonals *D, int diagonal[7], const Scalar *between[2], bool *usable);
  /* Vectors of A's layout to one of the box, and what the box owns back */
  PetscErrorCode ToBox(Vec x, Where where, Scalar *box) const;
  PetscErrorCode FromBox(Where where, const Scalar *box, Vec y) const;
  PetscErrorCode Reset();

  int              Unknowns() const { return block; }
  PetscInt         Cells() const { return cells; }
  bool             OnDevice() const { return device; }
  const GridShape &Shape() const { return shape; }
  const GridMeans &Means() const { return means; }
  double           Moved() const { return moved; }                 /* numbers of the vector of a box that other processes have: the most of any process */
  double           MovedToFirst() const { return moved_to_first; } /* ... if the first one had all of it */
  /* [processes + 1]: the first plane of cells along the last axis that each process has rows of; empty where some do not have whole planes, in the numbering of the grid */
  const std::vector<int> &Planes() const { return planes; }
  std::size_t             Rows() const { return box.cells() * static_cast<std::size_t>(block); }

private:
  template <class F>
  PetscErrorCode ForEachEntry(bool values, F f);
  template <class F>
  PetscErrorCode ForEachEntryOf(Mat M, bool values, const std::vector<PetscInt> &columns, F f);
  PetscErrorCode Offsets(std::vector<int> *offsets, std::string *why);
  PetscErrorCode FindPlanes();
  PetscErrorCode FindBetween();
  int            Side(PetscInt offset) const; /* which neighbour: as in GridShape::diagonal, -1: none */

  Mat                   matrix = nullptr, parts[2] = {nullptr, nullptr}; /* not owned: the rows of this process, with its columns and with those of others */
  DM                    numbering = nullptr;
  std::vector<PetscInt> row_cell, column_cell[2]; /* in the numbering of the grid: of local rows; of the columns of the parts */
  int                   block  = 1;
  PetscInt              cells  = 0;
  bool                  device = false;
  GridShape             shape;
  std::vector<int>      offset_of; /* of block diagonals, as in shape.diagonal */
  GridMeans             means;
  std::vector<int>      planes;
  bool                  between_known = false; /* what follows, of this pattern */
  bool                  elsewhere     = false; /* entries of other processes' columns that are none between planes */
  std::vector<PetscInt> between_entry[2];      /* of parts[1], -1: none */
  GridMessage           between_values;
  GridBox               box;
  PetscSF               all = nullptr, own = nullptr; /* cells of the box from those that have them; those that it owns */
  double                moved = 0, moved_to_first = 0;
};

} // namespace heptane

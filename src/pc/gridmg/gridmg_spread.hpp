/*
   A parallel matrix of a structured grid for slabs of it: what grid it is, as all processes find together from the compressed rows that they have, and its values and vectors in the numbering of a slab.
   Knows no PC.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "gridmg_message.hpp"
#include "gridmg_plan.hpp"
#include "gridmg_region.hpp"
#include <petscdm.h>
#include <petscmat.h>
#include <petscsf.h>
#include <string>
#include <utility>
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

/* A row and a column, in the numbers of the grid */
struct GridEntryPlace {
  int row, col;
};

class GridSpread {
public:
  GridSpread()                              = default;
  GridSpread(const GridSpread &)            = delete;
  GridSpread &operator=(const GridSpread &) = delete;
  ~GridSpread();

  /* All collective. Why not empty, on all processes alike: the matrix cannot be divided. */

  /* Unknowns of a cell, and the side: where products run, or always the host. grid: a DMDA whose points number the cells, or NULL */
  PetscErrorCode Open(Mat A, DM grid, bool on_host, std::string *why);
  /* The grid; wanted: extents, 0: from the offsets. There may be entries beside its block diagonals. */
  PetscErrorCode Look(const int wanted[3], std::string *why);
  /* The same where offsets are those of block diagonals, however few there are, and with the reason why it is no grid */
  PetscErrorCode LookAtDiagonals(const int wanted[3], std::string *why);
  /* The mean couplings; own: those of the block diagonals of this process, as OwnDiagonals() gives them, null: they are taken from all entries */
  PetscErrorCode SumMeans(const GridMeans *own);
  /* Vectors and values of a box */
  PetscErrorCode Make(const GridBox &box);
  /* Values of the cells of the box, on the host: entry s of row `row` towards neighbour q, as in GridShape::diagonal, is values[(q * unknowns + s) * rows + row]. Couplings with cells outside are left out. */
  PetscErrorCode Values(std::vector<Scalar> *values);
  /*
     The same without messages, where rows are regular: the block diagonals of the rows of this process, in the numbering of GridShape::diagonal, -1: none; and the couplings with cells of others, of side q at
     [q - 1], null: none, [unknowns][GridFaces::count()], on the host, where devices reach them too, until the next call. usable: no, on all processes alike, where the format does not have them so, or where
     there are entries beside them and with_others is not set.
  */
  PetscErrorCode OwnDiagonals(BlockDiagonals *D, int diagonal[7], const Scalar *between[6], bool with_others, bool *usable);
  /* Entries beside them, of D as OwnDiagonals() gives it with_others: where they are, in the numbers of the grid, and their values in the same order. neighbours: some are between neighbours */
  PetscErrorCode Beside(const BlockDiagonals &D, std::vector<GridEntryPlace> *places, bool *neighbours) const;
  PetscErrorCode ValuesBeside(std::vector<Scalar> *values);
  /* Vectors of A's layout to one of the box, and what the box owns back */
  PetscErrorCode ToBox(Vec x, Where where, Scalar *box);
  PetscErrorCode FromBox(Where where, const Scalar *box, Vec y);
  PetscErrorCode Reset();

  int              Unknowns() const { return block; }
  PetscInt         Cells() const { return cells; }
  bool             OnDevice() const { return device; }
  bool             HasBeside() const { return has_beside; } /* as Look() has found */
  const GridShape &Shape() const { return shape; }
  const GridMeans &Means() const { return means; }
  double           Moved() const { return moved; }                 /* numbers of the vector of a box that other processes have: the most of any process */
  double           MovedToFirst() const { return moved_to_first; } /* ... if the first one had all of it */
  /* The cells of the rows of this process; regular: those of all processes are numbered so */
  const GridRegion &Own() const { return region; }
  bool              Regular() const { return regular; }
  bool              AllHaveRows() const { return all_have_rows; }
  std::size_t       Rows() const { return box.cells() * static_cast<std::size_t>(block); }

private:
  static constexpr int most_offsets = 8;

  template <class F>
  PetscErrorCode ForEachEntry(bool values, F f);
  template <class F>
  PetscErrorCode ForEachBetween(bool values, F f);
  template <class CellOf, class F>
  PetscErrorCode ForEachEntryOf(Mat M, bool values, CellOf cell_of, F f);
  template <class F>
  void           ForEachOfBox(F f) const;
  PetscErrorCode OwnOffsets(std::vector<std::pair<int, double>> *own);
  PetscErrorCode Offsets(const std::vector<std::pair<int, double>> &own, std::vector<int> *offsets);
  PetscErrorCode FilledOffsets(const std::vector<std::pair<int, double>> &own, std::vector<int> *offsets);
  PetscErrorCode FindShape(const int wanted[3], std::string *why);
  PetscErrorCode Scatters();
  PetscErrorCode OwnBlock(BlockDiagonals *D, PetscBool *there, bool *ours);
  PetscErrorCode FindRegion();
  PetscErrorCode FindBetween();
  int            Side(PetscInt offset) const; /* which neighbour: as in GridShape::diagonal, -1: none */
  int            OwnSide(int offset) const;   /* the same in the numbers of own cells */

  Mat                   matrix = nullptr, parts[2] = {nullptr, nullptr}; /* not owned: the rows of this process, with its columns and with those of others */
  DM                    numbering = nullptr;
  bool                  host_only = false;     /* values are taken on the host, wherever products run */
  std::vector<PetscInt> row_cell, column_cell; /* in the numbering of the grid: of own cells; of the columns of others */
  int                   block  = 1;
  PetscInt              cells  = 0;
  double                least  = 0; /* part of a diagonal that has to be filled for it to be one */
  bool                  device = false, has_beside = false;
  GridShape             shape;
  std::vector<int>      offset_of; /* of block diagonals, as in shape.diagonal */
  GridMeans             means;
  GridRegion            region;
  bool                  regular = false, all_have_rows = false;
  bool                  between_known = false; /* what follows, of this pattern */
  std::vector<PetscInt> between_entry[6];      /* of parts[1], -1: none; empty: no entry towards this side */
  std::vector<PetscInt> beside_entry;          /* of parts[1], the others, and where they are */
  std::vector<GridEntryPlace> beside;
  GridMessage                 between_values;
  GridBox                     box;
  PetscSF                     all = nullptr, own = nullptr; /* cells of the box from those that have them; those that it owns */
  double                      moved = 0, moved_to_first = 0;
};

} // namespace heptane

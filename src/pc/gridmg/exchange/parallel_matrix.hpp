/*
   A parallel matrix of a structured grid, prepared for slabs: its grid, found collectively from the local compressed
   rows, the cells of each process, and its values in their memory space. Independent of PC.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../grid/plan.hpp"
#include "../grid/region.hpp"
#include "distribution.hpp"
#include <petscdm.h>
#include <petscmat.h>
#include <memory>
#include <utility>
#include <vector>

namespace heptane
{

/* A row and a column, in the numbers of the grid */
struct GridEntryPlace {
  int row, col;
};

class GridParallelMatrix {
public:
  static constexpr const char *not_usable = "processes have other block diagonals than the grid";

  GridParallelMatrix()                                      = default;
  GridParallelMatrix(const GridParallelMatrix &)            = delete;
  GridParallelMatrix &operator=(const GridParallelMatrix &) = delete;

  /* All collective. distribution: set to the first process, on all processes alike, if the matrix cannot be divided */

  /* Unknowns of a cell, and the side: as products run, or always the host. grid: a DMDA whose points number the cells,
     or NULL */
  PetscErrorCode Open(Mat A, DM grid, bool on_host, GridDistribution *distribution);
  /* Finds the grid; wanted: extents, 0: from the offsets. Remainder entries are allowed. */
  PetscErrorCode FindGrid(const int wanted[3], GridDistribution *distribution);
  /* The mean couplings; local: means over the local block diagonals, from LocalDiagonals() */
  PetscErrorCode SumMeans(const GridMeans &local);
  /*
     Block diagonals of the local rows, in the numbering of GridShape::diagonal, -1: none. interface: couplings with
     cells of other processes, of side q at [q - 1], null: none, [unknowns][GridFaces::count()]; host memory that
     devices can read, valid until the next call. usable: false, on all processes alike, if the format stores them
     differently, or stores some of them in its remainder
  */
  PetscErrorCode LocalDiagonals(BlockDiagonals *D, int diagonal[7], const Scalar *interface[6], bool *usable);
  /* Remainder entries of D, a result of LocalDiagonals(): places in grid numbers, and their values in the same order.
     neighbours: some couple neighbours */
  PetscErrorCode RemainderPlaces(const BlockDiagonals &D, std::vector<GridEntryPlace> *places, bool *neighbours) const;
  PetscErrorCode RemainderValues(std::vector<Scalar> *values);

  int              Unknowns() const { return block; }
  PetscInt         Cells() const { return cells; }
  bool             OnDevice() const { return device; }
  bool             HasRemainder() const { return has_remainder; } /* result of FindGrid() */
  const GridShape &Shape() const { return shape; }
  const GridMeans &Means() const { return means; }
  double           MovedToRoot() const { return moved_to_root; } /* vector entries on processes other than the first one */
  /* The cells of the rows of this process */
  const GridRegion &Region() const { return region; }
  bool              AllHaveRows() const { return all_have_rows; }

private:
  static constexpr int most_offsets = 8;

  template <class F>
  PetscErrorCode ForEachEntry(F f);
  template <class F>
  PetscErrorCode ForEachInterface(bool values, F f);
  template <class CellOf, class F>
  PetscErrorCode ForEachEntryOf(Mat M, bool values, CellOf cell_of, F f);
  PetscErrorCode LocalOffsets(std::vector<std::pair<int, double>> *local);
  PetscErrorCode Offsets(const std::vector<std::pair<int, double>> &local, std::vector<int> *offsets);
  PetscErrorCode FilledOffsets(const std::vector<std::pair<int, double>> &local, std::vector<int> *offsets);
  PetscErrorCode LocalBlock(BlockDiagonals *D, PetscBool *there, bool *ours);
  PetscErrorCode FindRegion(GridDistribution *distribution);
  PetscErrorCode FindInterface();
  PetscErrorCode InterfaceMemory(std::size_t numbers, Scalar **at);
  int            Side(PetscInt offset) const; /* side of the neighbour: as in GridShape::diagonal, -1: none */
  int            LocalSide(int offset) const; /* the same for numbers of own cells */

  /* not owned: the local rows, with local columns and with columns of other processes */
  Mat                         matrix = nullptr, parts[2] = {nullptr, nullptr};
  DM                          numbering = nullptr;
  bool                        host_only = false;     /* values are read on the host, wherever products run */
  std::vector<PetscInt>       row_cell, column_cell; /* in the numbering of the grid: of own cells; of columns of other processes */
  int                         block  = 1;
  PetscInt                    cells  = 0;
  double                      least  = 0; /* least filled part of a block diagonal */
  bool                        device = false, has_remainder = false;
  GridShape                   shape;
  std::vector<int>            offset_of; /* of block diagonals, as in shape.diagonal */
  GridMeans                   means;
  GridRegion                  region;
  bool                        all_have_rows   = false;
  bool                        interface_known = false; /* the members below are valid for this pattern */
  std::vector<PetscInt>       interface_entry[6];      /* of parts[1], -1: none; empty: no entry towards this side */
  std::vector<PetscInt>       remainder_entry;         /* entries of parts[1] that are not in interface_entry, and their places */
  std::vector<GridEntryPlace> remainder_places;
  std::shared_ptr<void>       interface_memory;
  std::size_t                 interface_size = 0;
  double                      moved_to_root  = 0;
};

} // namespace heptane

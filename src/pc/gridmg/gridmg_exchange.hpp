/*
   Rows of lines between the slabs of a divided grid: those beside a slab from the neighbours, and a level to the first process and back. Arrays lie on the host or on the device, messages go through
   the host. Knows no PC.
*/
#pragma once

#include "../../device/space.hpp"
#include "gridmg_division.hpp"
#include "gridmg_level.hpp"
#include <petscsys.h>
#include <algorithm>
#include <memory>
#include <vector>

namespace heptane
{

/* Memory of a message, which grows when more is asked for: pinned where it is for the device */
class GridMessage {
public:
  PetscErrorCode Memory(Where where, std::size_t bytes, void **p);

private:
  std::size_t           size = 0;
  std::shared_ptr<void> memory;
};

template <class Real>
class GridExchange {
public:
  /* process: the number of this slab, rows of each divided level and of the one behind */
  void Set(MPI_Comm comm, PetscMPIInt tag, Where where, const GridPlan &plan, const GridDivision &division, int process);
  /* Of an array of `parts` numbers per cell of level l of the slab, [parts * L.cells]: rows beside it from the neighbours, at most so many on either side */
  PetscErrorCode Neighbours(const GridLevel<Real> &L, int l, int parts, int most, Real *array);
  /* Own rows of the level behind those divided, L, to the first process, whose level is W (on others anything) */
  PetscErrorCode ToFirst(const GridLevel<Real> &L, const Real *array, int parts, const GridLevel<Real> &W, Real *whole);
  /* All rows of L, those beside the slab too, from there */
  PetscErrorCode FromFirst(const GridLevel<Real> &L, Real *array, int parts, const GridLevel<Real> &W, const Real *whole);

private:
  PetscErrorCode Copy(const GridLevel<Real> &L, Real *array, int parts, int row, int rows, bool swapped, Real *message, bool out) const;
  PetscErrorCode Own(const GridLevel<Real> &L, Real *array, int parts, const GridLevel<Real> &W, Real *whole, bool to_whole) const;
  PetscErrorCode Wait() const; /* for copies */
  PetscErrorCode Message(int k, std::size_t numbers, Real **p) { return messages[static_cast<std::size_t>(k)].Memory(where, numbers * sizeof(Real), reinterpret_cast<void **>(p)); }
  bool           Swapped(int q) const { return at[static_cast<std::size_t>(q)].offset() & 1; }

  MPI_Comm                 comm    = MPI_COMM_NULL;
  PetscMPIInt              tag     = 0;
  Where                    where   = Where::host;
  int                      process = 0, processes = 0;
  std::vector<GridRows>    rows; /* of this process, [levels + 1] */
  std::vector<GridRows>    at;   /* of the level behind, [processes] */
  std::vector<GridMessage> messages;
  std::vector<MPI_Request> requests;
};

} // namespace heptane

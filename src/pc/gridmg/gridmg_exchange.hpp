/*
   What the processes of a divided hierarchy give each other: vectors in the numbering of boxes, rows beside a slab, a level to the first process and back. By messages, or in memory that all of them
   reach. Knows no PC.
*/
#pragma once

#include "gridmg_pieces.hpp"
#include "gridmg_spread.hpp"
#include <memory>

namespace heptane
{

/* All collective */
template <class Real>
class GridExchange {
public:
  virtual ~GridExchange() = default;

  /* The values of the cells of this process's box, where its piece is, as GridSpread::Values() has them: until they are dropped */
  virtual PetscErrorCode Values(const Scalar **values) = 0;
  virtual void           DropValues() {}
  /* x in this process's piece, as its box has it, and what boxes own in y */
  virtual PetscErrorCode ToBox(Vec x)   = 0;
  virtual PetscErrorCode FromBox(Vec y) = 0;
  /* Of an array of level l of the slab, rows beside it from the neighbours, at most so many on either side */
  virtual PetscErrorCode Neighbours(int l, GridArray array, int most) = 0;
  /* Of the level behind those divided, own rows to the first process; all rows of this process, those beside the slab too, from there */
  virtual PetscErrorCode ToFirst(GridArray array)   = 0;
  virtual PetscErrorCode FromFirst(GridArray array) = 0;
  /* An error where a process was not there in time: as far as this one knows without waiting, and once what is queued is done */
  virtual PetscErrorCode Check() { return PETSC_SUCCESS; }
  virtual PetscErrorCode CheckNow() { return PETSC_SUCCESS; }
  /* What -ksp_view calls it */
  virtual const char *Name() const    = 0;
  virtual bool        Reaches() const = 0; /* memory of others, without messages */
};

/* `piece` and `spread` stay where they are. Messages go through the host. */
template <class Real>
std::unique_ptr<GridExchange<Real>> grid_messages(MPI_Comm comm, PetscMPIInt tag, Where where, const GridPieces &all, const GridPiece<Real> &piece,
                                                  GridSpread &spread);

/*
   Collective: the same where processes reach each other's memory, with the piece of this process there; otherwise *made stays empty, and *why says why, the same on all. Rows have to be divided in
   whole planes of cells.
*/
template <class Real>
PetscErrorCode grid_peers(MPI_Comm comm, Where where, const GridPieces &all, GridSpread &spread, GridPiece<Real> *piece,
                          std::unique_ptr<GridExchange<Real>> *made, std::string *why);

} // namespace heptane

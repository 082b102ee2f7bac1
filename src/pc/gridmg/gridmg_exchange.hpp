/*
   What the processes of a divided hierarchy give each other: vectors in the numbering of boxes, rows beside a slab, a level to the first process and back. By messages, or in memory that all of them
   reach. Knows no PC.
*/
#pragma once

#include "gridmg_pieces.hpp"
#include "gridmg_reach.hpp"
#include "gridmg_spread.hpp"
#include <memory>

namespace heptane
{

/*
   What is between the steps of a cycle in memory that all reach: into a stream, which may record it, or on the host at once. Of processes that all have a slab and rows of the matrix. The levels behind
   are on each of them, and all do the same there: so one meeting is enough, where the right-hand side comes.
*/
template <class Real>
class GridSlabs {
public:
  virtual ~GridSlabs() = default;

  /* x in all boxes: in GridPiece::in, or `start` */
  virtual PetscErrorCode In(const Scalar *x, bool start, GridStream) = 0;
  /* y from GridPiece::out of all boxes */
  virtual PetscErrorCode Out(Scalar *y, GridStream) = 0;
  /* The same behind CG without red columns, which has left in `out` what x grows by, and in `start` the residual; zero: x was zero */
  virtual PetscErrorCode Finish(bool zero, Scalar *x, Scalar *r, GridStream) = 0;
  /* b of the level behind to all, and x of it from the own ones */
  virtual PetscErrorCode Down(GridStream) = 0;
  virtual PetscErrorCode Up(GridStream)   = 0;
  /* z of black columns beside slabs, GridPiece::z, from the neighbours; and sums */
  virtual PetscErrorCode Halo(const GridShared &, GridStream) = 0;
  virtual PetscErrorCode Sums(const GridShared &, GridStream) = 0;
  /* Rows beside a slab, as GridExchange has them */
  virtual PetscErrorCode Beside(int l, GridArray array, int most, GridStream) = 0;
  virtual PetscErrorCode Stream(GridStream *) const                           = 0;
};

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
  /* Null: by messages, or some process has no slab or no rows */
  virtual GridSlabs<Real> *Slabs() { return nullptr; }
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

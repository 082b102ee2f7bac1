/*
   What processes of a divided hierarchy give each other, in memory that all of them reach. Pieces lie there, and rows are copied from one to the other. Between them all processes meet: what they have
   queued is done, and seen by the others. Knows no PC.
*/
#pragma once

#include "pieces.hpp"
#include "reach.hpp"
#include "spread.hpp"
#include "vectors.hpp"
#include <vector>

namespace heptane
{

/*
   Copies go into a stream, which may record them, or on the host are done at once. The levels behind are on each process that has a slab, and all do the same there: so one meeting is enough, where the
   right-hand side comes.
*/
template <class Real>
class GridPeers {
public:
  GridPeers(const GridPieces &a, GridSpread &s) : all(a), spread(s) {}

  /* All collective. piece: what this process has, in the memory of all; home: the first process where they do not reach each other's memory */
  PetscErrorCode Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, GridHome *home);
  /* The values of the cells of all boxes, in their pieces, as GridValueCopy has them. usable: see GridSpread::OwnDiagonals() */
  PetscErrorCode Values(bool *usable);
  /* x in this process's piece, as its box has it, and what boxes own in y */
  PetscErrorCode ToBox(Vec x);
  PetscErrorCode FromBox(Vec y);
  /* An error where a process was not there in time: as far as this one knows without waiting, and once what is queued is done */
  PetscErrorCode Check() { return reach.Check(); }
  PetscErrorCode CheckNow() { return reach.CheckNow(); }
  PetscErrorCode Stream(GridStream *stream) const { return reach.Stream(stream); }
  bool           Everywhere() const { return everywhere; }
  /* Numbers of the vector of this process's box that other processes have */
  double Moved() const;

  /* x in all boxes: in GridPiece::in, or `start` */
  PetscErrorCode In(const Scalar *x, bool start, GridStream stream);
  /* y from GridPiece::out of all boxes */
  PetscErrorCode Out(Scalar *y, GridStream stream);
  /* The same behind CG without red columns, which has left in `out` what x grows by, and in `start` the residual; zero: x was zero */
  PetscErrorCode Finish(bool zero, Scalar *x, Scalar *r, GridStream stream);
  /* Of the level behind those divided, own rows to all, and x of it from the own levels behind, rows beside the slab too */
  PetscErrorCode ToAll(GridArray which, GridStream stream) const;
  PetscErrorCode Up(GridStream stream);
  /* z of black columns beside slabs, GridPiece::z, from the neighbours; and sums */
  PetscErrorCode Halo(const GridShared &sums, GridStream stream);
  PetscErrorCode Sums(const GridShared &sums, GridStream stream);
  /* Of an array of level l of the slab, rows beside it from the neighbours, at most so many on either side */
  PetscErrorCode Beside(int l, GridArray array, int most, GridStream stream);

private:
  bool HasSlab() const { return rank < static_cast<int>(pieces.size()); }
  /* The k-th process that this one gives to or takes from: each begins with another one, so that no GPU has to do with all of them at a time */
  int                       From(std::size_t k) const { return static_cast<int>((static_cast<std::size_t>(rank) + k) % pieces.size()); }
  static GridCopy<Real>     Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which);
  GridReach::Copies<Scalar> FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const;
  GridCommon                Common(int q, bool owned) const;
  GridValueCopy             ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[6]) const;

  const GridPieces            &all;
  GridSpread                  &spread;
  GridReach                    reach;
  GridVectors                  vectors;
  std::vector<GridPiece<Real>> pieces; /* of all processes that have slabs, as this one addresses them */
  int                          rank       = 0;
  bool                         everywhere = false; /* all processes have slabs and rows */
};

} // namespace heptane

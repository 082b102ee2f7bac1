/*
   Transfers between the processes of a divided hierarchy: rows are copied from piece to piece. In shared memory, which
   holds the pieces of all processes: at a barrier all queued work of all processes is done and visible to all. Or by
   NCCL. Independent of PC.
*/
#pragma once

#include "../../../device/vector_array.hpp"
#include "pieces.hpp"
#include "parallel_matrix.hpp"
#include "shared_memory.hpp"
#include "slab_nccl.hpp"
#include <vector>

namespace heptane
{

/*
   Copies are queued in a stream, which may be recorded; on the host they are done at once. Undivided levels are
   replicated on each process that has a slab. So one barrier is enough, after the gather of their right-hand side.
*/
template <class Real>
class GridPeers {
public:
  GridPeers(const GridPieces &a, GridParallelMatrix &s) : all(a), parallel(s) {}

  /* All collective. piece: the piece of this process; distribution: set to the first process if the processes cannot
     share memory, and have no NCCL */
  PetscErrorCode Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, GridDistribution *distribution);
  /* The values of the cells of all boxes, in their pieces, as in GridValueCopy. usable: see
     GridParallelMatrix::LocalDiagonals() */
  PetscErrorCode Values(bool *usable);
  /* ToBox(): copies x to the boxes of all pieces. FromBox(): copies y from the rows that the boxes own. */
  PetscErrorCode ToBox(Vec x);
  PetscErrorCode FromBox(Vec y);
  /* An error after a timeout of a barrier: Check() as far as known without waiting, CheckNow() after all queued work */
  PetscErrorCode Check() const { return ByNccl() ? nccl.Check() : shared.Check(); }
  PetscErrorCode CheckNow() const { return ByNccl() ? nccl.Wait() : shared.CheckNow(); }
  /* PETSc's stream; in shared memory for kernels that wait for kernels of other processes */
  PetscErrorCode Stream(GridStream *stream) const;
  bool           ByNccl() const { return nccl.InUse(); }
  /* See SlabNccl; without NCCL nothing is broken */
  PetscErrorCode Broken(bool *broken) const { return nccl.Broken(broken); }
  PetscErrorCode Reconnect() { return nccl.Reconnect(); }
  bool           Everywhere() const { return everywhere; }
  /* Vector entries of this process's box that belong to other processes */
  double Moved() const;

  /* Copies x to all boxes: to GridPiece::in, or to `start` */
  PetscErrorCode In(const Scalar *x, bool start, GridStream stream);
  /* Copies y from GridPiece::out of all boxes */
  PetscErrorCode Out(Scalar *y, GridStream stream);
  /* The same after CG without red columns, which leaves the increment of x in `out` and the residual in `start`; zero:
     x was zero. Not by NCCL, as Halo() and Sums() */
  PetscErrorCode Finish(bool zero, Scalar *x, Scalar *r, GridStream stream);
  /* GatherCoarse(): sends own rows of the first undivided level to all slabs. ScatterCoarse(): copies x of it from the
     local replica, overlap rows included. */
  PetscErrorCode GatherCoarse(GridArray which, GridStream stream);
  PetscErrorCode ScatterCoarse(GridStream stream);
  /* Receives overlap rows of z on black columns (GridPiece::z), and adds the sums of all processes */
  PetscErrorCode Halo(const GridRankSums &sums, GridStream stream);
  PetscErrorCode Sums(const GridRankSums &sums, GridStream stream);
  /* Receives at most `most` overlap rows on either side of an array of level l */
  PetscErrorCode ExchangeOverlap(int l, GridArray array, int most, GridStream stream);

private:
  bool HasSlab() const { return rank < Slabs(); }
  int  Slabs() const { return static_cast<int>(pieces.size()); }
  int  Processes() const { return static_cast<int>(regions.size()); }
  /* The k-th process to exchange with. Each process begins with a different one, so that no GPU serves all of them at
     once. */
  int                   From(std::size_t k) const { return static_cast<int>((static_cast<std::size_t>(rank) + k) % pieces.size()); }
  static GridCopy<Real> Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which);
  PetscErrorCode        MakeMemory(MPI_Comm comm, GridDistribution *distribution);
  GridSharedMemory::Copies<Scalar> FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const;
  GridIntersection                 Common(int p, int q, bool owned) const;
  GridValueCopy                    ValuesOf(int p, int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&interface)[6]) const;
  GridCopy<Real>                   Overlap(int p, int q, int l, GridArray array, int most) const;
  template <class F>
  PetscErrorCode Move(int senders, int receivers, F copy, GridStream stream);

  const GridPieces            &all;
  GridParallelMatrix          &parallel;
  Where                        side = Where::host;
  GridSharedMemory             shared; /* one of both is used */
  SlabNccl                     nccl;
  VectorArray                  of_x, of_y; /* of a vector in ToBox(), FromBox() */
  std::vector<GridPiece<Real>> pieces;     /* of all processes that have slabs, as this one addresses them; by NCCL only the own one may be read */
  std::vector<GridRegion>      regions;    /* of the rows of all processes */
  int                          rank       = 0;
  bool                         everywhere = false; /* all processes have slabs and rows */
};

} // namespace heptane

/*
   Vectors of all processes to the first process, into the numbering of the grid, and back, by NCCL, in the order of a
   stream.
*/
#pragma once

#include "../../../comm/nccl/link.hpp"
#include "../../../device/buffer.hpp"
#include "../device/copies.hpp"
#include <petscdm.h>
#include <petscmat.h>

namespace heptane
{

class RootGridNccl {
public:
  /* Collective, for vectors of this matrix; grid: the DMDA that numbers its rows, or NULL */
  PetscErrorCode SetRows(Mat A, DM grid);
  /* Collective; linked: there is a link for vectors on this side, which a solver has made. It is used until Unlink() */
  PetscErrorCode Link(MPI_Comm comm, Where side, PetscBool *linked);
  void           Unlink() { in_use = false; }
  bool           InUse() const { return in_use; }
  Where          Side() const { return side; }
  std::uint64_t  Number() const { return link->Number(); }
  /* Collective. x, y: rows of this process; all: rows of the grid, on the first process; on the host they are there on return */
  PetscErrorCode ToRoot(const Scalar *x, Scalar *all, NcclStream stream) const;
  PetscErrorCode FromRoot(const Scalar *all, Scalar *y, NcclStream stream) const;

private:
  PetscErrorCode SetBoxes(MPI_Comm comm, DM grid);
  PetscErrorCode CopyRun(const Scalar *from, Scalar *to, NcclStream stream) const;
  template <class F>
  PetscErrorCode CopyBoxes(Scalar *own, NcclStream stream, F copy) const;

  std::shared_ptr<NcclLink> link;
  Where                     side   = Where::host;
  bool                      usable = false, in_use = false, root = false;
  std::vector<std::size_t>  first;    /* rows of the processes before, [processes + 1] */
  std::vector<NcclMessage>  to, from; /* of ToRoot(), FromRoot() */
  /* With a DMDA, on the first process */
  std::vector<GridIntersection> boxes;  /* of the processes with the grid */
  Buffer<Scalar>                staged; /* rows of all processes in their order */
};

} // namespace heptane

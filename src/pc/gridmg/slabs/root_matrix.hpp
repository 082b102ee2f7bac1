/*
   The matrix of all processes on the first one: a new pattern by messages, new values by NCCL if a solver has made a link
   between the processes, else by messages.
*/
#pragma once

#include "../../../comm/nccl/link.hpp"
#include "../../../device/buffer.hpp"
#include "../../../pass/offers/stamp.hpp"
#include <petscdm.h>
#include <petscmat.h>

namespace heptane
{

class RootMatrix {
public:
  RootMatrix()                              = default;
  RootMatrix(const RootMatrix &)            = delete;
  RootMatrix &operator=(const RootMatrix &) = delete;
  ~RootMatrix();

  /* Collective. *matrix: a sequential one with the rows of the square A, in the numbering of the grid, on the first process;
     without rows on other processes; kept while the pattern is the same. grid: a DMDA, or NULL; made: it is new */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *matrix, PetscBool *made);
  PetscErrorCode Reset();

private:
  struct Piece { /* of entries of another process on the first one, or of this process for the first one */
    std::size_t at;
    int         n, peer;
  };

  std::vector<Piece> Pieces(std::size_t most) const;
  PetscErrorCode     Count(Mat A);
  PetscErrorCode     Make(Mat A, DM grid, MatType type);
  template <class T, class Copy>
  PetscErrorCode ByMessages(Mat A, MPI_Datatype type, T v[], Copy copy) const;
  PetscErrorCode Link(MPI_Comm comm, std::shared_ptr<NcclLink> *link) const;
  PetscErrorCode Take(Mat A, bool to_side, Where *at);
  PetscErrorCode Fill(Mat A);

  Mat                      whole = NULL;
  Stamp                    made_for;
  std::size_t              rank = 0;
  std::vector<std::size_t> first;                   /* entries of the processes before, [processes + 1] */
  Where                    side      = Where::host; /* of this process's products */
  bool                     same_side = false;       /* on all processes */
  Buffer<Scalar>           values;                  /* of this process's entries; on the first process, of all */
};

} // namespace heptane

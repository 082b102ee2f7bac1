/*
   A parallel system on the first process: its matrix, and vectors there and back. With a DMDA they have the numbering of its grid there, however it is divided. Knows no PC.
*/
#pragma once

#include "../../pass/stamp.hpp"
#include <petscdm.h>

namespace heptane
{

class GridGather {
public:
  GridGather()                              = default;
  GridGather(const GridGather &)            = delete;
  GridGather &operator=(const GridGather &) = delete;
  ~GridGather();

  /* Collective. A square matrix as one of the sequential type on the first process, without rows on the others; kept, and filled again while the pattern is the same. grid: a DMDA, or NULL */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *whole);
  /* Collective. Vectors of A's layout to those of the gathered matrix and back */
  PetscErrorCode ToFirst(Vec x);
  PetscErrorCode FromFirst(Vec y);
  Vec            In() const { return in; } /* what ToFirst() writes */
  Vec            Out() const { return out; }
  PetscErrorCode Reset();

private:
  PetscErrorCode Make(Mat A, DM grid, MatType type);

  Mat       *matrices = nullptr; /* of one, as PETSc gives it */
  IS         rows     = nullptr; /* of A, in the order that they have on the first process */
  VecScatter scatter  = nullptr;
  Vec        in = nullptr, out = nullptr;
  Stamp      made_for;
};

} // namespace heptane

/*
   A parallel system on the first process: its matrix, and vectors there and back. With a DMDA they have the numbering of its grid there, however it is divided. Knows no PC.
*/
#pragma once

#include "../../pass/stamp.hpp"
#include "gridmg_first.hpp"
#include <petscdm.h>

namespace heptane
{

class GridGather final : public GridFirst {
public:
  GridGather()                              = default;
  GridGather(const GridGather &)            = delete;
  GridGather &operator=(const GridGather &) = delete;
  ~GridGather() override;

  /* Collective. A square matrix as one of the sequential type on the first process, without rows on the others; kept, and filled again while the pattern is the same. grid: a DMDA, or NULL */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *whole);
  /* Vectors of A's layout */
  PetscErrorCode ToFirst(Vec x) override;
  PetscErrorCode FromFirst(Vec y) override;
  Vec            In() const override { return in; }
  Vec            Out() const override { return out; }
  const char    *Name() const override { return "by messages"; }
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

/*
   A parallel system on the first process, by messages: its matrix, and transfers of vectors. With a DMDA, rows on the
   first process have the numbering of its grid, for any division. Independent of PC.
*/
#pragma once

#include "../../../pass/offers/stamp.hpp"
#include <petscdm.h>
#include <petscmat.h>

namespace heptane
{

class RootGridMpi {
public:
  RootGridMpi()                               = default;
  RootGridMpi(const RootGridMpi &)            = delete;
  RootGridMpi &operator=(const RootGridMpi &) = delete;
  ~RootGridMpi();

  /* Collective. Gathers a square matrix into a sequential one on the first process, without rows on other processes;
     kept, and refilled while the pattern is the same. grid: a DMDA, or NULL */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *whole);
  /* Collective; x and y have A's layout. ToRoot() writes In(), FromRoot() reads Out(); both are empty on all other
     processes. */
  PetscErrorCode ToRoot(Vec x);
  PetscErrorCode FromRoot(Vec y);
  Vec            In() const { return in; }
  Vec            Out() const { return out; }
  PetscErrorCode Reset();

private:
  PetscErrorCode Make(Mat A, DM grid, MatType type);

  Mat       *matrices = nullptr; /* an array of one matrix, as PETSc returns it */
  IS         rows     = nullptr; /* of A, in the order of the first process */
  VecScatter scatter  = nullptr;
  Vec        in = nullptr, out = nullptr;
  Stamp      made_for;
};

} // namespace heptane

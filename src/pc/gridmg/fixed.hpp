/*
   Fixed values: rows of the matrix that have only a diagonal entry although other rows are coupled to them, as DMDA
   programs write boundary values. They make a matrix unsymmetric. If x has its values in these rows before the first
   residual, the residual is zero there in all iterations. Every method then solves a system that is symmetric if the
   rest of the matrix is.
*/
#pragma once

#include "../../pass/offers/stamp.hpp"
#include "../../sys/petsc_compat.hpp"
#include "../../private/ksp.hpp"

namespace heptane
{

class GridFixedValues {
public:
  /* Result of a set-up, on all processes alike: such rows may exist */
  void Expect(bool of_values) { expected = of_values; }
  /* The residual of this solve is zero in these rows, or there are none */
  bool           Solved() const { return solved || !expected; }
  PetscErrorCode PreSolve(PC pc, KSP ksp, Vec b, Vec x);
  PetscErrorCode PostSolve(PC pc, KSP ksp);
  PetscErrorCode Reset();

private:
  /* Settings of a KSP that are replaced for one solve */
  struct Settings {
    PetscObjectId ksp        = 0; /* 0: nothing is */
    PetscBool     guess_zero = PETSC_TRUE, guess_knoll = PETSC_FALSE, initial = PETSC_FALSE, least = PETSC_FALSE;
    PetscReal     divtol = 0, raised = 0;
    void         *test = nullptr; /* context of the convergence test whose references were replaced */

    PetscErrorCode Change(KSP of, PetscReal gain);
    PetscErrorCode Restore(KSP of);
  };

  PetscErrorCode Wanted(PC pc, KSP ksp, bool *wanted) const;
  PetscErrorCode Find(Mat A, Vec x);
  PetscErrorCode Allocate(Vec x);
  PetscErrorCode Place(Mat A, Vec b, Vec x, bool guess);

  bool      expected = false, solved = false;
  Stamp     found_for;
  Vec       numbers = nullptr; /* positive, without a pattern: the product with them identifies rows with entries off the diagonal */
  Vec       inverse = nullptr; /* one over the diagonal in rows of fixed values, else 0 */
  Vec       others  = nullptr; /* 0 in these rows, else 1 */
  Vec       work    = nullptr;
  PetscReal gain    = 0; /* growth of the residual relative to b that fixed values may cause; 0: there are none */
  Settings  changed[2];  /* PETSc allows two nested solves with one preconditioner */
};

} // namespace heptane

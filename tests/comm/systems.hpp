/*
   What tests of solves and products by NCCL share: a system of all ranks, and texts of views.
*/
#pragma once

#include "heptane.h"
#include "window.hpp"
#include <cstdlib>

namespace heptane
{

struct System {
  Mat A;
  Vec b, x;
  KSP ksp;
};

/*
   A chain of rows through all ranks, the diagonal of each a little larger than needed; with -gridmg LEVELS a grid of planes
   of 8 x 5 rows, whose multigrid has this number of levels in slabs, 0: it is on the first rank
*/
inline PetscErrorCode make(MPI_Comm of_matrix, MPI_Comm of_solver, const char type[], System *s, PetscInt each = 2000)
{
  const PetscInt line = 8, plane = 40;
  PetscInt       begin, end, rows;
  PetscBool      grid;
  char           levels[8] = "0";
  PC             pc;

  PetscFunctionBegin;
  PetscCall(MatCreate(of_matrix, &s->A));
  PetscCall(MatSetSizes(s->A, each, each, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(s->A, MATBDIAGH));
  PetscCall(MatMPIAIJSetPreallocation(s->A, 7, NULL, 1, NULL));
  PetscCall(MatSeqAIJSetPreallocation(s->A, 7, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-gridmg", levels, sizeof(levels), &grid));
  PetscCall(MatGetOwnershipRange(s->A, &begin, &end));
  PetscCall(MatGetSize(s->A, &rows, NULL));
  for (PetscInt r = begin; r < end; r++) {
    PetscCall(MatSetValue(s->A, r, r, grid ? 6.01 : 2.1, INSERT_VALUES));
    if (grid ? r % line : r) PetscCall(MatSetValue(s->A, r, r - 1, -1, INSERT_VALUES));
    if (grid ? (r + 1) % line : r + 1 < rows) PetscCall(MatSetValue(s->A, r, r + 1, -1, INSERT_VALUES));
    if (grid && r % plane >= line) PetscCall(MatSetValue(s->A, r, r - line, -1, INSERT_VALUES));
    if (grid && r % plane + line < plane) PetscCall(MatSetValue(s->A, r, r + line, -1, INSERT_VALUES));
    if (grid && r >= plane) PetscCall(MatSetValue(s->A, r, r - plane, -1, INSERT_VALUES));
    if (grid && r + plane < rows) PetscCall(MatSetValue(s->A, r, r + plane, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecSet(s->b, 1));
  PetscCall(KSPCreate(of_solver, &s->ksp));
  PetscCall(KSPSetType(s->ksp, type));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, grid ? PCGRIDMG : PCJACOBI));
  if (grid) PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_divide", levels));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(KSPSetTolerances(s->ksp, 1e-10, 0, PETSC_CURRENT, 200));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode destroy(System *s)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscCall(MatDestroy(&s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode is_solved(const System &s, bool *solved)
{
  KSPConvergedReason reason;
  PetscReal          norm, of_b;
  Vec                residual;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(VecDuplicate(s.b, &residual));
  PetscCall(MatResidual(s.A, s.b, s.x, residual));
  PetscCall(VecNorm(residual, NORM_2, &norm));
  PetscCall(VecNorm(s.b, NORM_2, &of_b));
  PetscCall(VecDestroy(&residual));
  *solved = reason > 0 && norm < 1e-8 * of_b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the view of a solver or matrix; on the first rank */
inline PetscErrorCode has_text(PetscObject object, const char text[], bool *has)
{
  char       *view = nullptr;
  std::size_t size = 0;
  FILE *const file = open_memstream(&view, &size);
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpenWithFILE(PetscObjectComm(object), file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(PetscObjectView(object, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::fclose(file);
  *has = rank != 0 || std::strstr(view, text);
  std::free(view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

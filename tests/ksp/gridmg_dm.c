static char help[] = "PCGRIDMG with the grid of a DMDA: extents that the offsets hide, unknowns per point, periodic directions.\n";

#include "../mat/common/check.h"
#include "../mat/common/check_device.h"
#include "../../src/sys/petsc_compat.hpp"
#include <petscdmda.h>
#include <petscksp.h>

/* -1 for every neighbour along the axes with a strength, which is multiplied by it, periodic where the DMDA is; their sum and 1e-2 on the diagonal, `dof` times */
static PetscErrorCode Create(DM da, const PetscReal strength[3], Mat *A)
{
  PetscInt       n[3], dof;
  DMBoundaryType periodic[3];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetInfo(da, NULL, n, n + 1, n + 2, NULL, NULL, NULL, &dof, NULL, periodic, periodic + 1, periodic + 2, NULL));
  const PetscInt N = n[0] * n[1] * n[2] * dof, stride[3] = {1, n[0], n[0] * n[1]};
  PetscCall(CheckMatCreate(PETSC_COMM_SELF, N, N, dof, "bdiagh", PETSC_TRUE, A));
  for (PetscInt i = 0; i < N; i++) {
    const PetscInt cell = i / dof, at[3] = {cell % n[0], cell / stride[1] % n[1], cell / stride[2]};
    PetscScalar    sum = 1e-2;

    for (PetscInt k = 0; k < 6; k++) {
      const PetscInt  a = k / 2, step = k % 2 ? 1 : -1, to = at[a] + step, around = (to + n[a]) % n[a];
      const PetscInt  j = i + (around - at[a]) * stride[a] * dof;
      const PetscReal t = -strength[a];

      if (t == 0 || around == at[a] || (around != to && periodic[a] != DM_BOUNDARY_PERIODIC)) continue;
      PetscCall(MatSetValue(*A, i, j, t, ADD_VALUES));
      sum -= t;
    }
    for (PetscInt q = i - i % dof; q < i - i % dof + dof; q++) PetscCall(MatSetValue(*A, i, q, q == i ? sum : 0, ADD_VALUES)); /* whole blocks */
  }
  PetscCall(CheckAssemble(*A));
  PetscCall(CheckDevice(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve by CG: an error of the set-up, or so many iterations at most. with: whose DM is set, 'm' the matrix's, 'k' the solver's */
static PetscErrorCode Solve(Mat A, DM da, char with, PetscErrorCode expected, PetscInt most, const char what[])
{
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt           its    = 0;
  PetscErrorCode     code;
  KSP                ksp;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(check_where, what, sizeof(check_where)));
  PetscCall(CheckVecs(A, &x, 0, &b, 3));
  PetscCall(CheckKSPCreate(A, KSPCG, "gridmg", 1e-6, 100, &ksp));
  PetscCall(MatSetDM(A, with == 'm' ? da : NULL));
  if (with == 'k') {
    PetscCall(KSPSetDM(ksp, da));
    PetscCall(KSPSetDMActive(ksp, HEPTANE_SINCE_3_25(KSP_DMACTIVE_ALL, ) PETSC_FALSE));
  }
  PetscCall(KSPSetFromOptions(ksp));
  CheckCode(code, KSPSetUp(ksp));
  PetscCall(CheckTrue(code == expected, "the set-up"));
  if (!code) {
    PetscCall(CheckKSPSolve(ksp, b, x, &its, &reason));
    PetscCall(CheckTrue(reason > 0 && its <= most, KSPConvergedReasons[reason]));
  }
  PetscCall(MatSetDM(A, NULL));
  PetscCall(CheckDestroy(&ksp, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grid(DMBoundaryType x, DMBoundaryType z, PetscInt dof, DM *da)
{
  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(PETSC_COMM_SELF, x, DM_BOUNDARY_NONE, z, DMDA_STENCIL_STAR, 12, 9, 10, 1, 1, 1, dof, 1, NULL, NULL, NULL, da));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal all[] = {1, 2, 3}, no_x[] = {0, 2, 3}, one_thick[] = {1, 0, 3};
  DM              da, other;
  Mat             A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(DMDACreate1d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, 7, 1, 1, NULL, &other));
  PetscCall(DMSetUp(other));
  for (PetscInt dof = 1; dof < 4; dof += 2) {
    PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_block_size", dof == 1 ? "1" : "3"));
    PetscCall(Grid(DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, dof, &da));
    PetscCall(Create(da, all, &A));
    PetscCall(Solve(A, da, 'n', PETSC_SUCCESS, 12, "a grid found in the offsets"));
    PetscCall(Solve(A, da, 'm', PETSC_SUCCESS, 12, "the grid of the matrix's DMDA"));
    PetscCall(Solve(A, other, 'm', PETSC_SUCCESS, 12, "a DMDA of another size, which does not count"));
    PetscCall(MatDestroy(&A));
    PetscCall(Create(da, no_x, &A)); /* planes without couplings between them */
    PetscCall(Solve(A, da, 'n', PETSC_ERR_ARG_WRONG, 0, "no couplings along x, no DMDA"));
    PetscCall(Solve(A, da, 'm', PETSC_SUCCESS, 12, "no couplings along x, the matrix's DMDA"));
    PetscCall(Solve(A, da, 'k', PETSC_SUCCESS, 12, "no couplings along x, the solver's DMDA"));
    PetscCall(Solve(A, other, 'm', PETSC_ERR_ARG_WRONG, 0, "no couplings along x, a DMDA of another size"));
    PetscCall(MatDestroy(&A));
    PetscCall(Create(da, one_thick, &A));
    PetscCall(Solve(A, da, 'm', PETSC_SUCCESS, 12, "no couplings along y"));
    PetscCall(CheckDestroy(&A, &da));
    for (PetscInt axis = 0; axis < 2; axis++) { /* the couplings of the ends are a twelfth, or a tenth */
      PetscCall(Grid(axis ? DM_BOUNDARY_NONE : DM_BOUNDARY_PERIODIC, axis ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE, dof, &da));
      PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_min_occupancy", "0"));
      PetscCall(Create(da, all, &A));
      PetscCall(Solve(A, da, 'm', PETSC_ERR_ARG_WRONG, 0, "periodic, all couplings on block diagonals"));
      PetscCall(MatDestroy(&A));
      PetscCall(PetscOptionsClearValue(NULL, "-mat_bdiagh_min_occupancy"));
      PetscCall(Create(da, all, &A));
      PetscCall(Solve(A, da, 'n', PETSC_SUCCESS, 30, axis ? "periodic along the lines" : "periodic across the lines"));
      PetscCall(CheckDestroy(&A, &da));
    }
  }
  PetscCall(DMDestroy(&other));
  return CheckFinish("gridmg_dm");
}

/*TEST
  test:
    suffix: 1
    comments: quick
    requires: double
    output_file: output/gridmg_dm.out
  test:
    suffix: cuda
    requires: cuda double
    args: -expect_cuda
    output_file: output/gridmg_dm.out
TEST*/

static char help[] = "Matrices of DMDA with one to four unknowns a point, and multigrid with Galerkin coarse operators, against AIJ.\n";

#include "common/check.h"
#include "common/problem.h"
#include <petscdmda.h>
#include <petscksp.h>

/* A seven- (five-) point stencil with full blocks of unknowns */
static PetscErrorCode Fill(DM da, Mat A)
{
  DMDALocalInfo info;
  PetscScalar   value;
  Problem       p = {.seed = 5, .symmetric = PETSC_TRUE};

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(da, &info));
  for (PetscInt k = info.zs; k < info.zs + info.zm; k++)
    for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
      for (PetscInt i = info.xs; i < info.xs + info.xm; i++)
        for (PetscInt c = 0; c < info.dof; c++) {
          const PetscInt step[7][3] = {
            {0,  0,  0 },
            {-1, 0,  0 },
            {1,  0,  0 },
            {0,  -1, 0 },
            {0,  1,  0 },
            {0,  0,  -1},
            {0,  0,  1 }
          };
          MatStencil row = {.k = k, .j = j, .i = i, .c = c};

          for (int s = 0; s < 2 * info.dim + 1; s++)
            for (PetscInt d = 0; d < info.dof; d++) {
              MatStencil col = {.k = k + step[s][2], .j = j + step[s][1], .i = i + step[s][0], .c = d};

              if (col.i < 0 || col.i >= info.mx || col.j < 0 || col.j >= info.my || col.k < 0 || col.k >= info.mz) continue;
              value = c == d ? (s ? -1.0 : 2.0 * info.dim + 0.5) : 0.05 * ProblemValue(&p, c, d);
              PetscCall(MatSetValuesStencil(A, 1, &row, 1, &col, &value, INSERT_VALUES));
            }
        }
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Operators(KSP ksp, Mat J, Mat A, void *ctx)
{
  DM da;

  PetscFunctionBeginUser;
  (void)J;
  (void)ctx;
  PetscCall(KSPGetDM(ksp, &da));
  PetscCall(Fill(da, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RightHandSide(KSP ksp, Vec b, void *ctx)
{
  PetscFunctionBeginUser;
  (void)ksp;
  (void)ctx;
  PetscCall(CheckVecFill(b, 111));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGrid(PetscInt dim, PetscInt dof, const char type[], DM *da)
{
  PetscFunctionBeginUser;
  PetscCall(DMCreate(PETSC_COMM_WORLD, da));
  PetscCall(DMSetType(*da, DMDA));
  PetscCall(DMSetDimension(*da, dim));
  PetscCall(DMDASetSizes(*da, 9, 9, dim == 3 ? 5 : 1));
  PetscCall(DMDASetDof(*da, dof));
  PetscCall(DMDASetStencilWidth(*da, 1));
  PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_STAR));
  PetscCall(DMSetMatType(*da, type));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscReal tolerance = PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-11;
  char            name[64]  = "bdiagh";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-dm_mat_type", name, sizeof(name), NULL));
  for (PetscInt dim = 2; dim <= 3; dim++)
    for (PetscInt dof = 1; dof <= 4; dof++) {
      const char *types[] = {name, MATAIJ};
      DM          da[2];
      Mat         M[2];
      KSP         ksp[2];
      Vec         x[2];

      PetscCall(CheckWhere("DMDA, %" PetscInt_FMT " dimensions, %" PetscInt_FMT " unknowns", dim, dof));
      for (int t = 0; t < 2; t++) {
        PC pc;

        PetscCall(CreateGrid(dim, dof, types[t], &da[t]));
        PetscCall(DMCreateMatrix(da[t], &M[t]));
        PetscCall(Fill(da[t], M[t]));
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[t]));
        PetscCall(KSPSetDM(ksp[t], da[t]));
        PetscCall(KSPSetComputeOperators(ksp[t], Operators, NULL));
        PetscCall(KSPSetComputeRHS(ksp[t], RightHandSide, NULL));
        PetscCall(KSPGetPC(ksp[t], &pc));
        PetscCall(PCSetType(pc, PCMG));
        PetscCall(PCMGSetLevels(pc, 2, NULL));
        PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_BOTH));
        PetscCall(KSPSetTolerances(ksp[t], tolerance, PETSC_CURRENT, PETSC_CURRENT, 100));
        PetscCall(KSPSetFromOptions(ksp[t]));
        PetscCall(KSPSolve(ksp[t], NULL, NULL));
        PetscCall(KSPGetSolution(ksp[t], &x[t]));
      }
      PetscCall(CheckMat(M[0], M[1], "DMCreateMatrix"));
      PetscCall(CheckVec(x[0], x[1], 100 * tolerance, "multigrid"));
      for (int t = 0; t < 2; t++) {
        Mat A;

        PetscCall(KSPGetOperators(ksp[t], &A, NULL));
        PetscCall(CheckSameType(A, M[t], "type of the operator"));
        PetscCall(CheckDestroy(&M[t], &ksp[t], &da[t]));
      }
    }
  return CheckFinish("dm");
}

/*TEST
  testset:
    output_file: output/dm.out
    nsize: {{1 2 4}}
    test:
      suffix: 1
    test:
      suffix: sellp
      args: -dm_mat_type {{sellp aijbdiagh}}
    test:
      suffix: cuda
      requires: cuda
    test:
      suffix: sellp_cuda
      requires: cuda
      args: -dm_mat_type sellp

  test:
    suffix: 2
    comments: quick
    nsize: 2
    output_file: output/dm.out
TEST*/

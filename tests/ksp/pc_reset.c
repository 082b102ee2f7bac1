static char help[] =
  "The preconditioner of another matrix, whose blocks are changed behind its back, is made anew after PCReset(): fused solvers against PETSc's own.\n";

#include "../mat/common/check.h"
#include "../mat/common/problem.h"
#include <petscksp.h>

/* P's diagonal entries times 3 in the rows whose number is a multiple of 3, through the array of its block: P itself is not told */
static PetscErrorCode ChangeBlock(Mat P)
{
  Mat             block = P;
  PetscScalar    *a;
  const PetscInt *i, *j;
  PetscInt        n;
  PetscBool       done, mpi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectHasFunction((PetscObject)P, "MatMPIAIJSetPreallocation_C", &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(P, &block, NULL, NULL));
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(MatSeqAIJGetArray(block, &a));
  for (PetscInt row = 0; row < n; row++)
    for (PetscInt k = i[row]; k < i[row + 1]; k++)
      if (j[k] == row && row % 3 == 0) a[k] *= 3;
  PetscCall(MatSeqAIJRestoreArray(block, &a));
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five iterations with operators A and P give a residual that depends on P */
static PetscErrorCode Solve(KSP ksp, Mat A, Mat P, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(ksp, A, P));
  PetscCall(VecSet(x, 0.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Problem *p, KSPType fused, KSPType stock, PCType pctype)
{
  Mat A, P;
  Vec b, x[2];
  KSP ksp[2];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s, %s, block size %" PetscInt_FMT, fused, pctype, p->bs));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &P));
  PetscCall(MatCreateVecs(A, &b, &x[0]));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(CheckVecFill(b, 8));
  for (int k = 0; k < 2; k++) {
    PC pc;

    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[k]));
    PetscCall(KSPSetType(ksp[k], k ? stock : fused));
    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(PCSetType(pc, pctype));
    PetscCall(KSPSetTolerances(ksp[k], 1e-30, 1e-30, PETSC_CURRENT, 5));
  }
  for (int step = 0; step < 3; step++) {
    char text[32];

    PetscCall(PetscSNPrintf(text, sizeof(text), "solve %d", step));
    for (int k = 0; k < 2; k++) {
      PC pc;

      PetscCall(KSPGetPC(ksp[k], &pc));
      if (step) PetscCall(PCReset(pc));
      PetscCall(Solve(ksp[k], A, P, b, x[k]));
    }
    PetscCall(CheckVec(x[0], x[1], 1000 * CHECK_TOLERANCE, text));
    PetscCall(ChangeBlock(P));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(VecDestroy(&x[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt bs = 1; bs < 4; bs += 2) {
    const Problem p = {.pattern = "gh", .bs = bs, .rows = 60, .cols = 60, .seed = 3, .symmetric = PETSC_TRUE, .diagonal = 12 * bs};

    for (int block = 0; block < 2; block++) {
      PetscCall(Compare(&p, "fusedcg", KSPCG, block ? PCPBJACOBI : PCJACOBI));
      PetscCall(Compare(&p, "fusedbcgs", KSPBCGS, block ? PCPBJACOBI : PCJACOBI));
    }
  }
  return CheckFinish("pc_reset");
}

/*TEST

  testset:
    nsize: {{1 2}}
    output_file: output/pc_reset.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type {{sellp aij}}
    test:
      suffix: cuda
      requires: cuda

TEST*/

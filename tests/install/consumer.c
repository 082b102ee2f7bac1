/* A program that links heptane: registers the type itself, checks a product, and does so again after PetscFinalize().
   Calls HeptaneInitialize() once more than needed: it must not matter. */
#include <heptane.h>

static PetscErrorCode CheckProduct(void)
{
  Mat         A;
  Vec         x, y;
  PetscBool   same;
  PetscScalar sum;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 6, 6));
  PetscCall(MatSetType(A, MATBDIAGH));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < 6; i++) {
    PetscCall(MatSetValue(A, i, i, 2.0, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &same, MATSEQAIJBDIAGH, MATMPIAIJBDIAGH, ""));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "MatSetType(" MATBDIAGH ") gave another type");
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecSum(y, &sum));
  PetscCheck(PetscAbsScalar(sum - 7) < 1e-5, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "sum of A 1 is %g, not 7", (double)PetscRealPart(sum));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(HeptaneInitialize());
    PetscCall(HeptaneInitialize());
    PetscCall(CheckProduct());
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "round %d passed\n", i + 1));
    PetscCall(PetscFinalize());
  }
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

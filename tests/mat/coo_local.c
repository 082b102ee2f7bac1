static char help[] = "Assembly from coordinates in local numbers, in several orders, against AIJ.\n";

#include "coo.h"
#include "loop.h"

/* Local number l of every rank stands for the global number n - 1 - l */
static PetscErrorCode Backwards(PetscInt n, ISLocalToGlobalMapping *map)
{
  PetscInt *globals;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n, &globals));
  for (PetscInt l = 0; l < n; l++) globals[l] = n - 1 - l;
  PetscCall(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, n, globals, PETSC_OWN_POINTER, map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSetPreallocationCOOLocal(): the same list in local numbers, where negative ones are ignored as before */
static PetscErrorCode Local(const Problem *p, Mat R, CooOrder order, PetscBool device)
{
  const PetscInt         m = ProblemRows(p), n = ProblemCols(p);
  ISLocalToGlobalMapping rows, cols;
  Mat                    A;
  Coo                    c;
  char                   text[128];

  PetscFunctionBeginUser;
  PetscCall(Backwards(m, &rows));
  PetscCall(Backwards(n, &cols));
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(MatSetLocalToGlobalMapping(A, rows, cols));
  PetscCall(CooCreate(p, R, order, device, &c));
  for (PetscInt k = 0; k < c.n; k++) {
    if (c.i[k] >= 0) c.i[k] = m - 1 - c.i[k];
    if (c.j[k] >= 0) c.j[k] = n - 1 - c.j[k];
  }
  PetscCall(MatSetPreallocationCOOLocal(A, c.n, c.i, c.j));
  PetscCall(PetscSNPrintf(text, sizeof(text), "COO order %s, local numbers", CooOrders[order]));
  PetscCall(CooSet(p, &c, 1.0, INSERT_VALUES, A));
  PetscCall(CheckMat(A, R, text));
  PetscCall(CooSet(p, &c, 2.0, ADD_VALUES, A));
  PetscCall(MatScale(R, 3.0));
  PetscCall(CheckMat(A, R, text));
  PetscCall(ProblemFill(p, R));
  PetscCall(ISLocalToGlobalMappingDestroy(&rows));
  PetscCall(ISLocalToGlobalMappingDestroy(&cols));
  PetscCall(CooDestroy(&c));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coordinates(const Problem *p, Mat A, Mat R)
{
  PetscBool device = PETSC_FALSE;

  PetscFunctionBeginUser;
  (void)A;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-device_values", &device, NULL));
  for (int order = COO_ROWS; order <= COO_MIXED; order++) PetscCall(Local(p, R, (CooOrder)order, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckLoop(CHECK_ALL, Coordinates));
  return CheckFinish("coo_local");
}

/*TEST

  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8
    output_file: output/coo_local.out
    test:
      suffix: 1
    test:
      suffix: sellp
      comments: quick
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

TEST*/

/* An unmodified PETSc application: a one-dimensional Laplacian, 2 unknowns a cell, assembled, multiplied and solved.
   It includes petsc headers alone; the matrix type comes from the options.
     -times <n>  initialize and finalize PETSc n times
     -load_only  stop after PetscInitialize()
     -try <name> -values <v;...>  solve once with each of these values of the option -name: an error ends that solve alone */
#include <petscksp.h>

static PetscErrorCode Solve(void)
{
  Mat         A;
  Vec         x, b, r;
  KSP         ksp;
  MatType     type;
  PetscInt    n = 40, Istart, Iend;
  PetscReal   norm;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(A, 2));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &Istart, &Iend));
  for (PetscInt i = Istart; i < Iend; i++) {
    for (PetscInt s = 0; s < 2; s++) {
      const PetscInt cell = i / 2;

      PetscCall(MatSetValue(A, i, 2 * cell + s, i % 2 == s ? 4.0 : -0.5, INSERT_VALUES));
      if (cell > 0) PetscCall(MatSetValue(A, i, 2 * (cell - 1) + s, i % 2 == s ? -1.0 : 0.25, INSERT_VALUES));
      if (cell < n / 2 - 1) PetscCall(MatSetValue(A, i, 2 * (cell + 1) + s, i % 2 == s ? -1.0 : 0.25, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(VecZeroEntries(x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAXPY(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_INFINITY, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s ranks %d %s\n", type, size, norm < 1e-3 ? "solved" : "NOT SOLVED"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char caught[1024];

/* Keeps the message of the error and goes on */
static PetscErrorCode Catch(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message,
                            void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file, (void)ctx;
  if (type == PETSC_ERROR_INITIAL && message) (void)PetscStrncpy(caught, message, sizeof(caught));
  return code;
}

static PetscErrorCode Try(const char name[], const char values[])
{
  char option[64], **value;
  int  n;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name));
  PetscCall(PetscStrToArray(values, ';', &n, &value));
  for (int k = 0; k < n; k++) {
    PetscErrorCode code;

    caught[0] = 0;
    PetscCall(PetscOptionsSetValue(NULL, option, value[k]));
    PetscCall(PetscPushErrorHandler(Catch, NULL));
    code = Solve();
    PetscCall(PetscPopErrorHandler());
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s ended with %s\n", option, value[k], code ? caught : "no error"));
  }
  PetscCall(PetscStrToArrayDestroy(n, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      name[64] = "", values[512] = "";
  PetscInt  times     = 1;
  PetscBool load_only = PETSC_FALSE;

  /* MPI outlives PETSc when the program starts it: PETSc can then be initialized again */
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  for (PetscInt i = 0; i < times; i++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-times", &times, NULL));
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-load_only", &load_only, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-try", name, sizeof(name), NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-values", values, sizeof(values), NULL));
    if (name[0]) PetscCall(Try(name, values));
    else if (!load_only) PetscCall(Solve());
    PetscCall(PetscFinalize());
  }
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}

#include "sources.h"
#include "objects.h"

static PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Mat R;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(S, &R));
  PetscCall(MatMult(R, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of two by two blocks, one of which is not there */
static PetscErrorCode CreateNest(Mat R, Mat *S)
{
  Mat blocks[4] = {NULL, NULL, NULL, NULL};

  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++)
    if (k != 1) PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &blocks[k]));
  PetscCall(MatCreateNest(PetscObjectComm((PetscObject)R), 2, NULL, 2, NULL, blocks, S));
  for (int k = 0; k < 4; k++) PetscCall(MatDestroy(&blocks[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSubMatrix(Mat R, Mat *S)
{
  IS       rows, cols;
  PetscInt lo, hi, clo, chi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  PetscCall(MatGetOwnershipRangeColumn(R, &clo, &chi));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)R), (hi - lo) / 2, lo, 2, &rows));
  PetscCall(ISCreateStride(PetscObjectComm((PetscObject)R), (chi - clo) / 2, clo, 2, &cols));
  PetscCall(MatCreateSubMatrixVirtual(R, rows, cols, S));
  PetscCall(CheckDestroy(&rows, &cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateSource(size_t k, Mat R, Mat *S)
{
  const MPI_Comm    comm     = PetscObjectComm((PetscObject)R);
  const PetscScalar t[]      = {1, 0, 2, 3};
  Mat               twice[2] = {R, R};
  PetscInt          m, n;
  Vec               d;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(R, &m, &n));
  switch (sources[k].kind) {
  case CONVERTED:
    PetscCall(MatConvert(R, sources[k].name, MAT_INITIAL_MATRIX, S));
    break;
  case NEST:
    PetscCall(CreateNest(R, S));
    break;
  case SHELL:
  case SHELL_EMPTY:
    PetscCall(MatCreateShell(comm, m, n, PETSC_DETERMINE, PETSC_DETERMINE, R, S));
    if (sources[k].kind == SHELL) PetscCall(MatShellSetOperation(*S, MATOP_MULT, (PetscErrorCodeFn *)ShellMult));
    break;
  case DIAGONAL:
    PetscCall(MatCreateVecs(R, NULL, &d));
    PetscCall(MatGetDiagonal(R, d));
    PetscCall(MatCreateDiagonal(d, S));
    PetscCall(VecDestroy(&d));
    break;
  case CONSTANT:
    PetscCall(MatCreateConstantDiagonal(comm, m, n, PETSC_DETERMINE, PETSC_DETERMINE, 2.5, S));
    break;
  case TRANSPOSED:
    PetscCall(MatCreateTranspose(R, S));
    break;
  case COMPOSITE:
    PetscCall(MatCreateComposite(comm, 2, twice, S));
    break;
  case NORMAL:
    PetscCall(MatCreateNormal(R, S));
    break;
  case MAIJ:
    PetscCall(MatCreateMAIJ(R, 2, S));
    break;
  case KAIJ:
    PetscCall(MatCreateKAIJ(R, 2, 2, NULL, t, S));
    break;
  case SUBMATRIX:
    PetscCall(CreateSubMatrix(R, S));
  }
  PetscCall(MatAssemblyBegin(*S, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*S, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

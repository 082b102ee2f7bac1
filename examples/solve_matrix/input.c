/* The linear system: a matrix that is generated or loaded from a file, a right-hand side that is computed or follows it there. */
#include "solve_matrix.h"

static const char *const rhs_names[] = {"ones", "random", "file", "Rhs", "RHS_", NULL};

PetscErrorCode InputGetOptions(MPI_Comm comm, Input *in)
{
  const char *suffix;
  PetscBool   mtx;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(in, sizeof(*in)));
  in->n          = 50;
  in->seed       = 1;
  in->block_size = 1;
  PetscCall(PetscStrncpy(in->kind, "laplace7", sizeof(in->kind)));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", in->file, sizeof(in->file), &in->from_file));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-generate", in->kind, sizeof(in->kind), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &in->n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &in->seed, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-block_size", &in->block_size, &in->blocks));
  PetscCall(PetscOptionsGetEnum(NULL, NULL, "-rhs", rhs_names, (PetscEnum *)&in->rhs, NULL));
  PetscCheck(in->block_size > 0, comm, PETSC_ERR_USER_INPUT, "-block_size %" PetscInt_FMT " must be positive", in->block_size);
  PetscCheck(in->rhs != RHS_FILE || in->from_file, comm, PETSC_ERR_USER_INPUT,
             "-rhs file takes the vector that follows the matrix in a file: name the file with -f, or use -rhs ones or -rhs random");
  if (!in->from_file) PetscFunctionReturn(PETSC_SUCCESS);
  suffix = in->file;
  for (const char *c = in->file; *c; c++)
    if (*c == '.') suffix = c;
  PetscCall(PetscStrcasecmp(suffix, ".mtx", &mtx));
  PetscCheck(!mtx, comm, PETSC_ERR_USER_INPUT, "%s is a Matrix Market file: convert it with examples/solve_matrix/mtx2petsc %s FILE.petsc", in->file, in->file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ObtainMatrix(MPI_Comm comm, Input *in, Mat *A)
{
  PetscInt rows, cols;

  PetscFunctionBeginUser;
  if (!in->from_file) {
    PetscCall(MatrixGenerate(comm, in->kind, in->n, in->seed, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerBinaryOpen(comm, in->file, FILE_MODE_READ, &in->viewer));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetType(*A, MATAIJ));
  if (in->blocks) PetscCall(MatSetBlockSize(*A, in->block_size));
  PetscCall(MatLoad(*A, in->viewer));
  PetscCall(MatGetSize(*A, &rows, &cols));
  PetscCheck(rows == cols, comm, PETSC_ERR_USER_INPUT,
             "The matrix has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns: a linear system needs a square one", rows, cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vector behind the matrix. Its head is read apart, because VecLoad() at the end of a file cannot name the remedy. */
static PetscErrorCode LoadRhs(Input *in, Vec b)
{
  MPI_Comm    comm    = PetscObjectComm((PetscObject)b);
  PetscInt    head[2] = {0, 0}, count, rows;
  PetscMPIInt rank;
  int         descriptor;
  off_t       at;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(VecGetSize(b, &rows));
  PetscCall(PetscViewerBinaryRead(in->viewer, head, 2, &count, PETSC_INT));
  PetscCheck(count == 2 && head[0] == VEC_FILE_CLASSID, comm, PETSC_ERR_USER_INPUT,
             "%s holds no vector after its matrix: append one (VecView() into the same viewer, mtx2petsc --rhs), or use -rhs ones or -rhs random", in->file);
  PetscCheck(head[1] == rows, comm, PETSC_ERR_USER_INPUT,
             "%s has a matrix of %" PetscInt_FMT " rows and a vector of %" PetscInt_FMT " entries: write the two of one system", in->file, rows, head[1]);
  PetscCall(PetscViewerBinaryGetDescriptor(in->viewer, &descriptor));
  if (rank == 0) PetscCall(PetscBinarySeek(descriptor, -2 * (off_t)PETSC_BINARY_INT_SIZE, PETSC_BINARY_SEEK_CUR, &at));
  PetscCall(VecLoad(b, in->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers in [-1, 1) that do not depend on the number of processes */
static PetscErrorCode RandomRhs(PetscInt seed, Vec b)
{
  PetscRandom  random;
  PetscInt     lo, hi;
  PetscScalar *entry;
  PetscReal    u;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(VecGetOwnershipRange(b, &lo, &hi));
  PetscCall(VecGetArrayWrite(b, &entry));
  for (PetscInt row = lo; row < hi; row++) {
    PetscCall(PetscRandomSetSeed(random, (PetscInt64)seed + 2654435761u * (PetscInt64)row));
    PetscCall(PetscRandomSeed(random));
    for (int k = 0; k < 2; k++) PetscCall(PetscRandomGetValueReal(random, &u)); /* the first number after a seed hardly differs from row to row */
    entry[row - lo] = 2 * u - 1;
  }
  PetscCall(VecRestoreArrayWrite(b, &entry));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ObtainRhs(Input *in, Mat A, Vec x, Vec b)
{
  PetscFunctionBeginUser;
  if (in->rhs == RHS_FILE) PetscCall(LoadRhs(in, b));
  else if (in->rhs == RHS_RANDOM) PetscCall(RandomRhs(in->seed, b));
  else {
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(A, x, b));
  }
  PetscCall(PetscViewerDestroy(&in->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

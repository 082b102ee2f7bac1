static char help[] =
  "Solves a linear system with a matrix that is loaded or generated, with one matrix type after another; the exact solution is 1 everywhere.\n\
  -f FILE              a matrix in PETSc's binary format (Matrix Market files: convert them with mtx2petsc); -block_size b\n\
  -generate KIND       laplace5 (n x n grid), laplace7, laplace27, elasticity (n x n x n), banded, random, powerlaw (n rows)\n\
  -n size              of the generated matrix (50); -seed s (1)\n\
  -compare T,T,...     matrix types to solve with, one after another (default: that of -mat_type, else aij)\n\
  and all options of PETSc's solvers, for example -ksp_type fusedcg -pc_type jacobi\n\n";

#include "solve_matrix.h"
#include <petscdevice.h>
#include <petsctime.h>

typedef struct {
  KSPConvergedReason reason;
  PetscInt           iterations;
  PetscReal          residual, error; /* |b - A x| / |b| with the matrix as it was loaded; largest |x - 1| */
  PetscLogDouble     convert, setup, solve;
  char               type[64], solver[64], pc[64];
} Outcome;

/* The matrix as it was loaded or generated, of type aij */
static PetscErrorCode Obtain(MPI_Comm comm, Mat *A)
{
  char        file[PETSC_MAX_PATH_LEN], kind[64] = "laplace7";
  const char *suffix;
  PetscInt    n = 50, seed = 1, b = 1;
  PetscBool   from_file, blocks;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &from_file));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-generate", kind, sizeof(kind), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-block_size", &b, &blocks));
  if (!from_file) {
    PetscCall(MatrixGenerate(comm, kind, n, seed, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(b > 0, comm, PETSC_ERR_USER_INPUT, "-block_size %" PetscInt_FMT " must be positive", b);
  suffix = file;
  for (const char *c = file; *c; c++)
    if (*c == '.') suffix = c;
  {
    PetscBool mtx;

    PetscCall(PetscStrcasecmp(suffix, ".mtx", &mtx));
    PetscCheck(!mtx, comm, PETSC_ERR_USER_INPUT, "%s is a Matrix Market file: convert it with examples/solve_matrix/mtx2petsc %s FILE.petsc", file, file);
  }
  PetscCall(PetscViewerBinaryOpen(comm, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetType(*A, MATAIJ));
  if (blocks) PetscCall(MatSetBlockSize(*A, b));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time, when all that was asked of the device is done */
static PetscErrorCode Now(Mat A, PetscLogDouble *t)
{
  PetscFunctionBeginUser;
#if defined(PETSC_HAVE_DEVICE)
  VecType   type;
  PetscBool host;

  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrcmpAny(type, &host, VECSTANDARD, VECSEQ, VECMPI, ""));
  if (!host) {
    PetscDeviceContext device;

    PetscCall(PetscDeviceContextGetCurrentContext(&device));
    PetscCall(PetscDeviceContextSynchronize(device));
  }
#endif
  PetscCallMPI(MPI_Barrier(PetscObjectComm((PetscObject)A)));
  PetscCall(PetscTime(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with A0 converted to `type`; x is the solution in vectors of A0 */
static PetscErrorCode SolveWith(Mat A0, const char type[], Vec b0, Vec x0, Outcome *o)
{
  Mat            A;
  Vec            b, x, r;
  KSP            ksp;
  PC             pc;
  KSPType        ksp_type;
  PCType         pc_type;
  MatType        mat_type;
  PetscReal      norm;
  PetscLogDouble t[4];

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t[0]));
  PetscCall(MatConvert(A0, type, MAT_INITIAL_MATRIX, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecCopy(b0, b));
  PetscCall(Now(A, &t[1]));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(Now(A, &t[2]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Now(A, &t[3]));

  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  PetscCall(KSPGetIterationNumber(ksp, &o->iterations));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(MatGetType(A, &mat_type));
  PetscCall(PetscStrncpy(o->type, mat_type, sizeof(o->type)));
  PetscCall(PetscStrncpy(o->solver, ksp_type, sizeof(o->solver)));
  PetscCall(PetscStrncpy(o->pc, pc_type, sizeof(o->pc)));
  PetscCall(VecCopy(x, x0));
  PetscCall(VecDuplicate(b0, &r));
  PetscCall(MatMult(A0, x0, r));
  PetscCall(VecAYPX(r, -1, b0));
  PetscCall(VecNorm(r, NORM_2, &o->residual));
  PetscCall(VecNorm(b0, NORM_2, &norm));
  if (norm > 0) o->residual /= norm;
  PetscCall(VecCopy(x0, r));
  PetscCall(VecShift(r, -1));
  PetscCall(VecNorm(r, NORM_INFINITY, &o->error));
  o->convert = t[1] - t[0];
  o->setup   = t[2] - t[1];
  o->solve   = t[3] - t[2];
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MPI_Comm    comm;
  Mat         A;
  Vec         b, x, first;
  MatInfo     info;
  PetscInt    rows, cols, bs, ntypes = 16;
  char       *types[16], type[64] = MATAIJ;
  PetscBool   compare, converged  = PETSC_TRUE;
  PetscMPIInt size;
  Outcome     o;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  comm = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-compare", types, &ntypes, &compare));
  PetscCheck(!compare || ntypes, comm, PETSC_ERR_USER_INPUT, "-compare needs matrix types, for example -compare aij,sellp");
  if (!compare) {
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
    PetscCall(PetscStrallocpy(type, &types[0]));
    ntypes = 1;
  }
  PetscCall(Obtain(comm, &A));
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCheck(rows == cols, comm, PETSC_ERR_USER_INPUT,
             "The matrix has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns: a linear system needs a square one", rows, cols);
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(comm, "%" PetscInt_FMT " rows, %.0f nonzeros, block size %" PetscInt_FMT ", %d process%s\n", rows, info.nz_used, bs, size,
                        size > 1 ? "es" : ""));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &first));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, b));
  PetscCall(PetscPrintf(comm, "%-16s %-10s %-10s %10s %-22s %13s %11s %10s %10s %10s %12s %s\n", "matrix", "solver", "pc", "iterations", "reason",
                        "true residual", "|x - 1|", "convert s", "set-up s", "solve s", "ms/iteration", "from the first"));
  for (PetscInt k = 0; k < ntypes; k++) {
    PetscReal distance = 0, norm;

    PetscCall(SolveWith(A, types[k], b, x, &o));
    if (k == 0) PetscCall(VecCopy(x, first));
    PetscCall(VecNorm(first, NORM_2, &norm));
    PetscCall(VecAXPY(x, -1, first));
    PetscCall(VecNorm(x, NORM_2, &distance));
    PetscCall(PetscPrintf(comm, "%-16s %-10s %-10s %10" PetscInt_FMT " %-22s %13.3e %11.3e %10.4f %10.4f %10.4f %12.4f %.2e\n", o.type, o.solver, o.pc,
                          o.iterations, KSPConvergedReasons[o.reason], (double)o.residual, (double)o.error, o.convert, o.setup, o.solve,
                          1e3 * o.solve / (double)PetscMax(o.iterations, 1), (double)(norm > 0 ? distance / norm : distance)));
    converged = (PetscBool)(converged && o.reason > 0);
    PetscCall(PetscFree(types[k]));
  }
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}

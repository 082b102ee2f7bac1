static char help[] = "Solves a linear system with a matrix that is loaded or generated, with one matrix type after another.\n\
  -f FILE              a matrix in PETSc's binary format (Matrix Market files: convert them with mtx2petsc); -block_size b\n\
  -generate KIND       laplace5 (n x n grid), laplace7, laplace27, elasticity (n x n x n), banded, random, powerlaw (n rows)\n\
  -n size              of the generated matrix (50); -seed s (1)\n\
  -rhs ones            the right-hand side is A 1, so the solution is 1 everywhere (default); random: numbers in [-1, 1), by -seed;\n\
                       file: the vector that follows the matrix in FILE\n\
  -compare T,T,...     matrix types to solve with, one after another (default: that of -mat_type, else aij)\n\
  and all options of PETSc's matrices and solvers, for example -ksp_type fusedcg -pc_type jacobi -mat_sellp_slice_height 32.\n\
  Without -pc_type all types get the preconditioner that PETSc chooses for the first one. Each system is solved twice from zero and both times are\n\
  printed: a first solve also brings values to the device and finds formats.\n\n";

#include "solve_matrix.h"
#include <petscdevice.h>
#include <petsctime.h>

typedef struct {
  KSPConvergedReason reason;
  PetscInt           iterations;
  PetscReal          residual, error;              /* |b - A x| / |b| with the matrix as it was loaded; largest |x - 1| */
  PetscLogDouble     convert, setup, first, solve; /* `first` and `solve`: two solves from zero */
  char               type[64], solver[64], pc[64];
} Outcome;

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

/* A0 as a matrix of this type, with the options and what is known of its symmetry, by which PETSc chooses preconditioners */
static PetscErrorCode ConvertTo(Mat A0, const char type[], Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatConvert(A0, type, MAT_INITIAL_MATRIX, A));
  PetscCall(MatPropagateSymmetryOptions(A0, *A));
  PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was solved: x in vectors of A0, its residual with the matrix as it was loaded */
static PetscErrorCode Judge(Mat A0, Vec b0, Vec x, Vec x0, Outcome *o)
{
  Vec       r;
  PetscReal norm;

  PetscFunctionBeginUser;
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
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Describe(Mat A, KSP ksp, Outcome *o)
{
  PC      pc;
  KSPType ksp_type;
  PCType  pc_type;
  MatType mat_type;

  PetscFunctionBeginUser;
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  PetscCall(KSPGetIterationNumber(ksp, &o->iterations));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(MatGetType(A, &mat_type));
  PetscCall(PetscStrncpy(o->type, mat_type, sizeof(o->type)));
  PetscCall(PetscStrncpy(o->solver, ksp_type, sizeof(o->solver)));
  PetscCall(PetscStrncpy(o->pc, pc_type, sizeof(o->pc)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves twice with A0 converted to `type`; pc_type is the preconditioner unless the options name another, "" for PETSc's choice; x0 is the solution in vectors of A0 */
static PetscErrorCode SolveWith(Mat A0, const char type[], const char pc_type[], Vec b0, Vec x0, Outcome *o)
{
  Mat            A;
  Vec            b, x;
  KSP            ksp;
  PC             pc;
  PetscLogDouble t[6];

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&t[0]));
  PetscCall(ConvertTo(A0, type, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecCopy(b0, b));
  PetscCall(Now(A, &t[1]));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  if (pc_type[0]) PetscCall(PCSetType(pc, pc_type));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(Now(A, &t[2]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Now(A, &t[3]));
  PetscCall(VecZeroEntries(x)); /* -ksp_initial_guess_nonzero */
  PetscCall(Now(A, &t[4]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Now(A, &t[5]));
  o->convert = t[1] - t[0];
  o->setup   = t[2] - t[1];
  o->first   = t[3] - t[2];
  o->solve   = t[5] - t[4];
  PetscCall(Describe(A, ksp, o));
  PetscCall(Judge(A0, b0, x, x0, o));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintHead(MPI_Comm comm, Mat A)
{
  MatInfo     info;
  PetscInt    rows, bs;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(comm, "%" PetscInt_FMT " rows, %.0f nonzeros, block size %" PetscInt_FMT ", %d process%s\n", rows, info.nz_used, bs, size,
                        size > 1 ? "es" : ""));
  PetscCall(PetscPrintf(comm, "%-16s %-10s %-10s %10s %-22s %13s %11s %10s %10s %14s %10s %12s %s\n", "matrix", "solver", "pc", "iterations", "reason",
                        "true residual", "|x - 1|", "convert s", "set-up s", "first solve s", "solve s", "ms/iteration", "from the first"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `distance` is that of the solution from the first type's, relative to this */
static PetscErrorCode PrintOutcome(MPI_Comm comm, const Outcome *o, Rhs rhs, PetscReal distance)
{
  char error[32] = "-";

  PetscFunctionBeginUser;
  if (rhs == RHS_ONES) PetscCall(PetscSNPrintf(error, sizeof(error), "%.3e", (double)o->error));
  PetscCall(PetscPrintf(comm, "%-16s %-10s %-10s %10" PetscInt_FMT " %-22s %13.3e %11s %10.4f %10.4f %14.4f %10.4f %12.4f %.2e\n", o->type, o->solver, o->pc,
                        o->iterations, KSPConvergedReasons[o->reason], (double)o->residual, error, o->convert, o->setup, o->first, o->solve,
                        1e3 * o->solve / (double)PetscMax(o->iterations, 1), (double)distance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The types of -compare, else that of -mat_type, which is then no option any more: the types alone decide, whatever MatSetFromOptions() finds */
static PetscErrorCode GetTypes(MPI_Comm comm, PetscInt *n, char *types[])
{
  char      type[64] = MATAIJ;
  PetscBool compare;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-compare", types, n, &compare));
  PetscCheck(!compare || *n, comm, PETSC_ERR_USER_INPUT, "-compare needs matrix types, for example -compare aij,sellp");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_type"));
  if (compare) PetscFunctionReturn(PETSC_SUCCESS);
  *n = 1;
  PetscCall(PetscStrallocpy(type, &types[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MPI_Comm  comm;
  Mat       A;
  Vec       b, x, first;
  PetscInt  ntypes = 16;
  char     *types[16], pc_type[64] = "";
  PetscBool converged = PETSC_TRUE;
  Input     in;
  Outcome   o;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  comm = PETSC_COMM_WORLD;
  PetscCall(GetTypes(comm, &ntypes, types));
  PetscCall(InputGetOptions(comm, &in));
  PetscCall(ObtainMatrix(comm, &in, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &first));
  PetscCall(ObtainRhs(&in, A, x, b));
  PetscCall(PrintHead(comm, A));
  for (PetscInt k = 0; k < ntypes; k++) {
    PetscReal distance = 0, norm;

    PetscCall(SolveWith(A, types[k], pc_type, b, x, &o));
    if (k == 0) PetscCall(VecCopy(x, first));
    if (k == 0) PetscCall(PetscStrncpy(pc_type, o.pc, sizeof(pc_type)));
    PetscCall(VecNorm(first, NORM_2, &norm));
    PetscCall(VecAXPY(x, -1, first));
    PetscCall(VecNorm(x, NORM_2, &distance));
    PetscCall(PrintOutcome(comm, &o, in.rhs, norm > 0 ? distance / norm : distance));
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

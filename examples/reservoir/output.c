/* What a run leaves behind: the linear system as Matrix Market and PETSc binary, the solution, a slice of the permeability. Compares two solutions.
   Everything is written by PETSc's viewers or by the first process. */
#include "reservoir.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* An error before hours of work if <name><suffix>, which `option` asks for, cannot be written; an old file keeps what it has. Collective. */
PetscErrorCode OutputCheckWritable(MPI_Comm comm, const char option[], const char name[], const char suffix[])
{
  char        file[PETSC_MAX_PATH_LEN], fixed[PETSC_MAX_PATH_LEN];
  int         failure = 0;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  if (!name[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s%s", name, suffix));
  PetscCall(PetscFixFilename(file, fixed));
  if (!rank) {
    const PetscBool there = access(fixed, F_OK) ? PETSC_FALSE : PETSC_TRUE;
    FILE           *fp    = fopen(fixed, "ab");

    if (!fp) failure = errno;
    else fclose(fp);
    if (fp && !there) remove(fixed);
  }
  PetscCallMPI(MPI_Bcast(&failure, 1, MPI_INT, 0, comm));
  PetscCheck(!failure, comm, PETSC_ERR_FILE_OPEN, "-%s %s: %s cannot be written (%s): name a file in a folder that is there and that you may write to", option,
             name, file, strerror(failure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix Market with all digits of a PetscReal (PETSC_VIEWER_ASCII_MATRIXMARKET writes six). */
static PetscErrorCode OutputMatrixMarket(const char file[], Mat A)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)A);
  PetscViewer viewer;
  MatInfo     info;
  PetscInt    M, N, start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  PetscCall(PetscViewerASCIIOpen(comm, file, &viewer));
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "%%%%MatrixMarket matrix coordinate real general\n%" PetscInt_FMT " %" PetscInt_FMT " %.0f\n", M, N, (double)info.nz_used));
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  for (PetscInt row = start; row < end; row++) {
    const PetscInt    *col;
    const PetscScalar *value;
    PetscInt           n;

    PetscCall(MatGetRow(A, row, &n, &col, &value));
    for (PetscInt k = 0; k < n; k++)
      PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "%" PetscInt_FMT " %" PetscInt_FMT " %.*e\n", row + 1, col[k] + 1,
                                                   PetscDefined(USE_REAL_SINGLE) ? 8 : 16, (double)PetscRealPart(value[k])));
    PetscCall(MatRestoreRow(A, row, &n, &col, &value));
  }
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes <name>.mtx, if it is wanted, and <name>.petsc, the latter with the right-hand side after the matrix. Collective. */
PetscErrorCode OutputExport(const char name[], PetscBool mtx, Mat A, Vec b)
{
  char        file[PETSC_MAX_PATH_LEN];
  PetscViewer viewer;
  Mat         plain;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  if (mtx) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.mtx", name));
    PetscCall(OutputMatrixMarket(file, plain));
    PetscCall(PetscPrintf(PetscObjectComm((PetscObject)A), "    wrote %s\n", file));
  }
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.petsc", name));
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), file, FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(plain, viewer));
  PetscCall(VecView(b, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)A), "    wrote %s (matrix, then right-hand side)\n", file));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of all cells in natural order, zeros in inactive ones, whichever cells have unknowns. Collective. */
PetscErrorCode OutputSolution(const char file[], const System *s)
{
  const Grid        *g  = s->grid;
  const PetscInt     nc = s->fluid->nc;
  PetscViewer        viewer;
  Vec                all;
  const PetscScalar *u;
  PetscScalar       *v;

  PetscFunctionBeginUser;
  PetscCall(VecCreateFromOptions(g->comm, NULL, nc, (g->end - g->start) * nc, g->cells * nc, &all));
  PetscCall(VecZeroEntries(all));
  PetscCall(VecGetArrayRead(s->u, &u));
  PetscCall(VecGetArray(all, &v));
  for (PetscInt m = g->start; m < g->end; m++)
    if (GridNumber(g, m) >= 0) PetscCall(PetscArraycpy(v + (m - g->start) * nc, u + (GridNumber(g, m) - g->first) * nc, nc));
  PetscCall(VecRestoreArray(all, &v));
  PetscCall(VecRestoreArrayRead(s->u, &u));
  PetscCall(PetscViewerBinaryOpen(g->comm, file, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(all, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Horizontal permeability of one layer as CSV, a line for each h, a column for each j, 0 in inactive cells. Collective. */
PetscErrorCode OutputSlice(const char file[], PetscInt layer, const Grid *g)
{
  const PetscInt cells = g->nj * g->nh;
  PetscReal     *k, *all;
  PetscMPIInt    count;
  FILE          *fp;

  PetscFunctionBeginUser;
  PetscCall(PetscMPIIntCast(cells, &count));
  PetscCall(PetscCalloc2(cells, &k, cells, &all));
  for (PetscInt m = PetscMax(g->start, layer * cells); m < PetscMin(g->end, (layer + 1) * cells); m++) k[m - layer * cells] = g->kx[m - g->gstart];
  PetscCallMPI(MPI_Reduce(k, all, count, MPIU_REAL, MPIU_SUM, 0, g->comm));
  PetscCall(PetscFOpen(g->comm, file, "w", &fp));
  PetscCall(PetscFPrintf(g->comm, fp, "# horizontal permeability in mD, layer %" PetscInt_FMT " of %" PetscInt_FMT "\n", layer + 1, g->ni));
  for (PetscInt m = 0; m < cells; m++) PetscCall(PetscFPrintf(g->comm, fp, "%.6g%s", (double)all[m], m % g->nj == g->nj - 1 ? "\n" : ","));
  PetscCall(PetscFClose(g->comm, fp));
  PetscCall(PetscFree2(k, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OutputLoad(MPI_Comm comm, const char file[], Vec *v)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(VecCreate(comm, v));
  PetscCall(PetscViewerBinaryOpen(comm, file, FILE_MODE_READ, &viewer));
  PetscCall(VecLoad(*v, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares two solution files, unknown by unknown of a cell: an error if |a - b| > tolerance |a| for one of them. Collective. */
PetscErrorCode OutputCompare(MPI_Comm comm, const char first[], const char second[], PetscReal tolerance)
{
  Vec       a, b;
  PetscInt  na, nb, bs;
  PetscReal norm, difference, worst = 0;

  PetscFunctionBeginUser;
  PetscCall(OutputLoad(comm, first, &a));
  PetscCall(OutputLoad(comm, second, &b));
  PetscCall(VecGetSize(a, &na));
  PetscCall(VecGetSize(b, &nb));
  PetscCheck(na == nb, comm, PETSC_ERR_ARG_SIZ, "%s has %" PetscInt_FMT " unknowns, %s has %" PetscInt_FMT ": compare solutions of the same system", first, na,
             second, nb);
  PetscCall(VecGetBlockSize(a, &bs));
  PetscCall(VecSetBlockSize(b, bs));
  PetscCall(VecAYPX(b, -1, a));
  for (PetscInt k = 0; k < bs; k++) {
    PetscCall(VecStrideNorm(a, k, NORM_2, &norm));
    PetscCall(VecStrideNorm(b, k, NORM_2, &difference));
    difference = norm > 0 ? difference / norm : difference;
    if (!(difference <= worst)) worst = difference; /* keeps a NaN */
    if (PetscIsInfOrNanReal(worst)) break;
  }
  PetscCall(VecDestroy(&a));
  PetscCall(VecDestroy(&b));
  PetscCheck(worst <= tolerance, comm, PETSC_ERR_PLIB,
             "the solutions %s and %s differ by %.2e of their norm, allowed are %.2e: solve with a smaller -ksp_rtol to see which one changes", first, second,
             (double)worst, (double)tolerance);
  PetscCall(PetscPrintf(comm, "the solutions agree: largest relative difference of any unknown %.2e (allowed %.2e)\n", (double)worst, (double)tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

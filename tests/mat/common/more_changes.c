/*
   Operations that change the matrix on from the values that it has; the product shows them.
*/
#include "reader.h"

static PetscErrorCode RowsColumnsZeroed(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatZeroRowsColumns(A, hi > lo ? 1 : 0, &lo, 2.0, NULL, NULL));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DiagonalAdded(Mat A, Vec *y)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &d, 97, NULL, 0));
  PetscCall(MatDiagonalSet(A, d, ADD_VALUES));
  PetscCall(VecDestroy(&d));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MPIAIJ's keeps maps of the first matrix for all later ones, so that it serves one matrix per program */
static PetscErrorCode ScaledLocally(Mat A, Vec *y)
{
  const PetscMPIInt size = CheckProcesses();
  Vec               d;

  PetscFunctionBeginUser;
  if (size == 1) {
    PetscCall(CheckVecs(A, &d, 90, NULL, 0));
    PetscCall(MatDiagonalScaleLocal(A, d));
    PetscCall(VecDestroy(&d));
  }
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowSet(Mat A, Vec *y)
{
  PetscInt           lo, hi, n;
  const PetscScalar *v;
  PetscScalar       *w = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (hi > lo) {
    PetscCall(MatGetRow(A, lo, &n, NULL, &v));
    PetscCall(PetscMalloc1(n, &w));
    for (PetscInt k = 0; k < n; k++) w[k] = 3 - v[k];
    PetscCall(MatRestoreRow(A, lo, &n, NULL, &v));
    PetscCall(MatSetValuesRow(A, lo, w));
    PetscCall(PetscFree(w));
  }
  PetscCall(CheckAssemble(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZerosEliminated(Mat A, Vec *y)
{
  MatInfo     info;
  PetscScalar v;

  PetscFunctionBeginUser;
  PetscCall(MatEliminateZeros(A, PETSC_TRUE));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  v = info.nz_used;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Random(Mat A, Vec *y)
{
  PetscRandom r;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &r));
  PetscCall(MatSetRandom(A, r));
  PetscCall(PetscRandomDestroy(&r));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHANGE_READER(Imaginary, MatImaginaryPart(A))

static PetscErrorCode Doubled(void *ctx, Vec x, Vec f, void *unused)
{
  PetscFunctionBeginUser;
  (void)ctx;
  (void)unused;
  PetscCall(VecAXPBY(f, 2.0, 0.0, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Differences(Mat A, Vec *y)
{
  MatColoring   coloring;
  ISColoring    colors;
  MatFDColoring fd;
  Vec           x;

  PetscFunctionBeginUser;
  PetscCall(MatColoringCreate(A, &coloring));
  PetscCall(MatColoringSetType(coloring, MATCOLORINGGREEDY));
  PetscCall(MatColoringApply(coloring, &colors));
  PetscCall(MatColoringDestroy(&coloring));
  PetscCall(MatFDColoringCreate(A, colors, &fd));
  PetscCall(MatFDColoringSetFunction(fd, (MatFDColoringFn *)Doubled, NULL));
  PetscCall(MatFDColoringSetUp(A, colors, fd));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatScale(A, 3.0));
  PetscCall(MatFDColoringApply(A, fd, x, NULL));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscCall(VecDestroy(&x));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader more_change_readers[] = {
  {"MatZeroRowsColumns",    RowsColumnsZeroed},
  {"MatDiagonalSet",        DiagonalAdded    },
  {"MatDiagonalScaleLocal", ScaledLocally    },
  {"MatSetValuesRow",       RowSet           },
  {"MatEliminateZeros",     ZerosEliminated  },
  {"MatSetRandom",          Random           },
  {"MatImaginaryPart",      Imaginary        },
  {"MatFDColoringApply",    Differences      },
  {NULL,                    NULL             }
};

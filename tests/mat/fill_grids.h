/*
   Grids, and patterns without order, whose values are set all at once, for fill.c.
*/
#pragma once

#include "problem.h"

/* A grid of cells of b rows; far: so many cells are coupled with one far away; holes: every so many cells have no entry, 0 for none; irregular: columns anywhere */
typedef struct {
  PetscInt  n[3], b, far, holes;
  PetscBool irregular;
} Grid;

static const Grid grids[] = {
  {{400, 1, 1}, 1, 0, 0,  PETSC_FALSE},
  {{50, 4, 3},  1, 0, 0,  PETSC_FALSE},
  {{50, 4, 3},  1, 9, 0,  PETSC_FALSE},
  {{33, 5, 2},  3, 0, 7,  PETSC_FALSE},
  {{40, 3, 3},  3, 5, 0,  PETSC_FALSE},
  {{64, 2, 2},  8, 0, 0,  PETSC_FALSE},
  {{31, 3, 1},  2, 4, 11, PETSC_FALSE},
  {{300, 1, 1}, 1, 0, 0,  PETSC_TRUE },
  {{700, 1, 1}, 1, 0, 7,  PETSC_TRUE },
  {{90, 1, 1},  3, 0, 5,  PETSC_TRUE },
  {{1, 1, 1},   1, 0, 0,  PETSC_FALSE},
};

static inline PetscInt CellsOf(const Grid *g)
{
  return g->n[0] * g->n[1] * g->n[2];
}

/* The columns of a cell, each once */
static inline PetscInt Columns(const Grid *g, PetscInt cell, PetscInt column[])
{
  const PetscInt at[3] = {cell % g->n[0], cell / g->n[0] % g->n[1], cell / (g->n[0] * g->n[1])}, cells = CellsOf(g);
  PetscInt       count = 0, stride = 1;

  if (g->holes && cell % g->holes == 3) return 0;
  if (g->irregular) {
    for (PetscInt k = 0; k < cells; k++)
      if (k == cell || ProblemHash(1, cell, k) % 40 == 0) column[count++] = k;
    return count;
  }
  column[count++] = cell;
  for (PetscInt axis = 0; axis < 3; stride *= g->n[axis++]) {
    if (at[axis] > 0) column[count++] = cell - stride;
    if (at[axis] + 1 < g->n[axis]) column[count++] = cell + stride;
  }
  if (g->far && cell % (cells / g->far) == 5 && cell + 2 < cells / 2) column[count++] = cells - 1 - cell;
  return count;
}

static inline PetscErrorCode SetAll(const Grid *g, PetscInt round, Mat A)
{
  PetscInt    first, end, *column;
  PetscScalar block[64];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(CellsOf(g), &column));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt cell = first / g->b; cell < end / g->b; cell++) {
    const PetscInt count = Columns(g, cell, column);

    for (PetscInt k = 0; k < count; k++) {
      for (PetscInt i = 0; i < g->b * g->b; i++)
        block[i] = (PetscScalar)((PetscReal)ProblemHash(round, cell * g->b * g->b + i, column[k]) / 2147483648.0 - 1.0 + (column[k] == cell ? 4.0 : 0.0));
      PetscCall(MatSetValuesBlocked(A, 1, &cell, 1, &column[k], block, INSERT_VALUES));
    }
  }
  PetscCall(PetscFree(column));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Create(const Grid *g, PetscBool twin, Mat *A)
{
  const PetscInt n = CellsOf(g) * g->b, most = g->irregular ? n : 8 * g->b;
  PetscMPIInt    rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscInt local = CellsOf(g) / size * g->b; /* whole cells, the rest on the last process */
  if (rank == size - 1) local = n - local * (size - 1);
  PetscCall(MatSetSizes(*A, local, local, n, n));
  PetscCall(MatSetBlockSize(*A, g->b));
  PetscCall(MatSetType(*A, twin ? MATAIJ : "bdiagh"));
  if (!twin) PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, most, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, most, NULL, most, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "fill_grids.h"
#include "objects.h"
#include "problem.h"

PetscInt CellsOf(const Grid *g)
{
  return g->n[0] * g->n[1] * g->n[2];
}

/* The columns of a cell, each once */
static PetscInt Columns(const Grid *g, PetscInt cell, PetscInt column[])
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

PetscErrorCode SetAll(const Grid *g, PetscInt round, Mat A)
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

PetscErrorCode FillGridCreate(const Grid *g, PetscBool twin, Mat *A)
{
  const PetscInt n = CellsOf(g) * g->b, most = g->irregular ? n : 8 * g->b;
  PetscMPIInt    rank = CheckRank(), size = CheckProcesses();

  PetscFunctionBeginUser;
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

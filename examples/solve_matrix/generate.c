/* Matrices made on the spot: Laplacians, and random patterns whose rows are strictly diagonally dominant. */
#include "solve_matrix.h"

const char *const matrix_kinds[] = {"laplace5", "laplace7", "laplace27", "elasticity", "banded", "random", "powerlaw", NULL};

#define BAND        5000  /* banded: entries at most so far from the diagonal */
#define RANDOM_ROW  16    /* random: entries a row */
#define LONGEST_ROW 60000 /* powerlaw */

/* The columns of one row, and their values but for the diagonal entry, which comes first and is found last */
typedef struct {
  PetscInt     n, room, *column;
  PetscScalar *value;
} Row;

static PetscErrorCode RowAdd(Row *r, PetscInt column, PetscScalar value)
{
  PetscFunctionBeginUser;
  if (r->n == r->room) {
    r->room = PetscMax(64, 2 * r->room);
    PetscCall(PetscRealloc(sizeof(*r->column) * r->room, &r->column));
    PetscCall(PetscRealloc(sizeof(*r->value) * r->room, &r->value));
  }
  r->column[r->n]  = column;
  r->value[r->n++] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells within one step of the row's, in `steps` directions at most; the grid ends in a boundary where the solution is 0 */
static PetscErrorCode Stencil(PetscInt nx, PetscInt ny, PetscInt nz, int steps, PetscInt row, Row *r)
{
  const PetscInt at[3] = {row % nx, row / nx % ny, row / nx / ny}, size[3] = {nx, ny, nz};
  PetscInt       neighbours = 0;

  PetscFunctionBeginUser;
  PetscCall(RowAdd(r, row, 0));
  for (int k = 0; k < 27; k++) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, distance = PetscAbs(step[0]) + PetscAbs(step[1]) + PetscAbs(step[2]);
    PetscBool inside = PETSC_TRUE;

    if (!distance || distance > steps || (nz == 1 && step[2])) continue;
    neighbours++;
    for (int d = 0; d < 3; d++) inside = (PetscBool)(inside && at[d] + step[d] >= 0 && at[d] + step[d] < size[d]);
    if (inside) PetscCall(RowAdd(r, row + step[0] + nx * (step[1] + ny * step[2]), -1));
  }
  r->value[0] = (PetscScalar)neighbours;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many columns as wanted from [first, end), and values; the row decides all, whichever process makes it. Columns drawn twice are added up. */
static PetscErrorCode Drawn(PetscRandom random, PetscInt seed, const char kind[], PetscInt n, PetscInt row, Row *r)
{
  PetscInt    first = 0, end = n, wanted = RANDOM_ROW;
  PetscReal   u, skew = 1;
  PetscScalar sum = 0;
  PetscBool   banded, powerlaw;

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(kind, "banded", &banded));
  PetscCall(PetscStrcmp(kind, "powerlaw", &powerlaw));
  PetscCall(PetscRandomSetSeed(random, (PetscInt64)seed + 2654435761u * (PetscInt64)row));
  PetscCall(PetscRandomSeed(random));
  PetscCall(PetscRandomGetValueReal(random, &u));
  PetscCall(PetscRandomGetValueReal(random, &u));
  if (banded) {
    first  = PetscMax(0, row - BAND);
    end    = PetscMin(n, row + BAND + 1);
    wanted = 9 + (PetscInt)(16 * u);
  } else if (powerlaw) { /* exponent 2.5; columns from a skewed law */
    wanted = (PetscInt)PetscMin(PetscMin(LONGEST_ROW, n / 8 + 1), 3.45 * PetscPowReal(PetscMax(u, 1e-12), -1 / 1.5));
    skew   = 3;
  }
  PetscCall(RowAdd(r, row, 0));
  for (PetscInt k = 1; k < wanted; k++) {
    PetscInt  column;
    PetscReal v;

    PetscCall(PetscRandomGetValueReal(random, &u));
    PetscCall(PetscRandomGetValueReal(random, &v));
    column = first + PetscMin((PetscInt)(PetscPowReal(u, skew) * (end - first)), end - first - 1);
    if (column == row) continue;
    PetscCall(RowAdd(r, column, -v));
    sum += v;
  }
  r->value[0] = 1 + sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixGenerate(MPI_Comm comm, const char kind[], PetscInt n, PetscInt seed, Mat *A)
{
  PetscInt    k     = 0, rows, lo, hi;
  PetscBool   known = PETSC_FALSE;
  PetscRandom random;
  Row         r          = {0, 0, NULL, NULL};
  char        names[128] = "";

  PetscFunctionBeginUser;
  for (PetscInt i = 0; matrix_kinds[i]; i++) {
    PetscCall(PetscStrlcat(names, i ? ", " : "", sizeof(names)));
    PetscCall(PetscStrlcat(names, matrix_kinds[i], sizeof(names)));
    if (!known) PetscCall(PetscStrcmp(kind, matrix_kinds[i], &known));
    if (known && !k) k = i + 1;
  }
  PetscCheck(known, comm, PETSC_ERR_USER_INPUT, "-generate %s is unknown; the kinds are: %s", kind, names);
  PetscCheck(n > 0, comm, PETSC_ERR_USER_INPUT, "-n %" PetscInt_FMT ": the size must be positive", n);
  PetscCheck(k == 1 || k > 4 || n <= 1290, comm, PETSC_ERR_USER_INPUT, "-n %" PetscInt_FMT ": the edge of a cube must be at most 1290", n);
  if (k == 4) {
    PetscCall(MatrixElasticity(comm, n, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  rows = k == 1 ? n * n : k < 4 ? n * n * n : n;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  for (PetscInt row = lo; row < hi; row++) {
    r.n = 0;
    if (k == 1) PetscCall(Stencil(n, n, 1, 1, row, &r));
    else if (k == 2) PetscCall(Stencil(n, n, n, 1, row, &r));
    else if (k == 3) PetscCall(Stencil(n, n, n, 3, row, &r));
    else PetscCall(Drawn(random, seed, kind, n, row, &r));
    PetscCall(MatSetValues(*A, 1, &row, r.n, r.column, r.value, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  if (k < 4) PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(PetscFree(r.column));
  PetscCall(PetscFree(r.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

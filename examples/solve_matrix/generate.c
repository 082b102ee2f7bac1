/* Matrices made on the spot: Laplacians, and random patterns whose rows are strictly diagonally dominant. */
#include "solve_matrix.h"
#include <math.h>

typedef struct {
  const char *name;
  int         dimensions, unknowns; /* of the grid with n points in each direction, at each point; 0 dimensions: n rows without a grid */
  int         steps;                /* of a stencil: in how many directions at once */
} Kind;

static const Kind kinds[] = {
  {"laplace5",   2, 1, 1},
  {"laplace7",   3, 1, 1},
  {"laplace27",  3, 1, 3},
  {"elasticity", 3, 3, 0},
  {"banded",     0, 1, 0},
  {"random",     0, 1, 0},
  {"powerlaw",   0, 1, 0}
};

#define BAND        5000  /* banded: entries at most so far from the diagonal */
#define RANDOM_ROW  16    /* random: entries per row */
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

static PetscErrorCode FindKind(MPI_Comm comm, const char name[], const Kind **kind)
{
  char      names[128] = "";
  PetscBool same;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) {
    *kind = &kinds[k];
    PetscCall(PetscStrcmp(name, kinds[k].name, &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscStrlcat(names, k ? ", " : "", sizeof(names)));
    PetscCall(PetscStrlcat(names, kinds[k].name, sizeof(names)));
  }
  SETERRQ(comm, PETSC_ERR_USER_INPUT, "-generate %s is unknown; the kinds are: %s", name, names);
}

/* The number of rows; an error that names the largest size if PetscInt cannot number them */
static PetscErrorCode CountRows(MPI_Comm comm, const Kind *kind, PetscInt n, PetscInt *rows)
{
  PetscInt largest = PETSC_INT_MAX - (kind->dimensions ? 0 : BAND + 1);

  PetscFunctionBeginUser;
  PetscCheck(n > 0, comm, PETSC_ERR_USER_INPUT, "-n %" PetscInt_FMT ": the size must be positive", n);
  if (kind->dimensions) {
    const PetscInt most = PETSC_INT_MAX / kind->unknowns;

    largest = (PetscInt)pow((double)most, 1.0 / kind->dimensions) + 2; /* the root is rounded, so what fits is counted down to */
    while (largest > most / largest || (kind->dimensions == 3 && largest > most / largest / largest)) largest--;
  }
  PetscCheck(n <= largest, comm, PETSC_ERR_USER_INPUT,
             "-n %" PetscInt_FMT ": the rows of %s cannot be numbered by PetscInt; choose at most -n %" PetscInt_FMT
             ", or use a PETSc configured with --with-64-bit-indices",
             n, kind->name, largest);
  *rows = kind->unknowns;
  for (int d = 0; d < PetscMax(kind->dimensions, 1); d++) *rows *= n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InsertRows(Mat A, const Kind *kind, PetscInt n, PetscInt seed)
{
  PetscInt    lo, hi;
  PetscRandom random;
  Row         r = {0, 0, NULL, NULL};

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetType(random, PETSCRANDER48));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt row = lo; row < hi; row++) {
    r.n = 0;
    if (kind->dimensions) PetscCall(Stencil(n, n, kind->dimensions == 3 ? n : 1, kind->steps, row, &r));
    else PetscCall(Drawn(random, seed, kind->name, n, row, &r));
    PetscCall(MatSetValues(A, 1, &row, r.n, r.column, r.value, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(PetscFree(r.column));
  PetscCall(PetscFree(r.value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatrixGenerate(MPI_Comm comm, const char name[], PetscInt n, PetscInt seed, Mat *A)
{
  const Kind *kind;
  PetscInt    rows;

  PetscFunctionBeginUser;
  PetscCall(FindKind(comm, name, &kind));
  PetscCall(CountRows(comm, kind, n, &rows));
  if (kind->unknowns > 1) {
    PetscCall(MatrixElasticity(comm, n, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(InsertRows(*A, kind, n, seed));
  if (kind->dimensions) PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

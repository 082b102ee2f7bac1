static char help[] =
  "Matrices whose values are all set anew on the host, again and again: products, rows and duplicates against AIJ; what goes to the device is the values of the compressed rows.\n";

#include "check.h"
#include "check_device.h"

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
  {{1, 1, 1},   1, 0, 0,  PETSC_FALSE},
};

static PetscInt CellsOf(const Grid *g)
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

static PetscErrorCode SetAll(const Grid *g, PetscInt round, Mat A)
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

static PetscErrorCode Create(const Grid *g, PetscBool twin, Mat *A)
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

static PetscErrorCode Multiply(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one process with a device: the first product after new values sends these and nothing else */
static PetscErrorCode CheckSent(const Grid *g, PetscInt round, Mat A)
{
  PetscFunctionBeginUser;
#if PetscDefined(HAVE_DEVICE) && PetscDefined(USE_LOG)
  const PetscLogDouble before   = petsc_ctog_sz + petsc_ctog_sz_scalar;
  PetscBool            expected = PETSC_FALSE, seq;
  MatInfo              info;

  PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_cuda", &expected, NULL));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(Multiply(A));
  if (round && expected && seq && CellsOf(g) > 1 && !g->irregular) {
    const PetscLogDouble sent = petsc_ctog_sz + petsc_ctog_sz_scalar - before;
    char                 text[128];

    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    PetscCall(PetscSNPrintf(text, sizeof(text), "round %d: %g bytes sent, %g entries", (int)round, sent, info.nz_used));
    PetscCall(CheckTrue((PetscBool)(sent == sizeof(PetscScalar) * info.nz_used), text));
  }
#else
  (void)g, (void)round;
  PetscCall(Multiply(A));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Grid *g)
{
  Mat  A, R, D, S;
  char text[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%d x %d x %d, b = %d, far %d, holes %d, irregular %d", (int)g->n[0], (int)g->n[1], (int)g->n[2],
                          (int)g->b, (int)g->far, (int)g->holes, g->irregular));
  PetscCall(Create(g, PETSC_FALSE, &A));
  PetscCall(Create(g, PETSC_TRUE, &R));
  PetscCall(CheckDevice(A));
  for (PetscInt round = 0; round < 4; round++) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "round %d", (int)round));
    PetscCall(SetAll(g, round, A));
    PetscCall(SetAll(g, round, R));
    PetscCall(CheckSent(g, round, A));
    PetscCall(CheckProducts(A, R, text));
    if (round % 2) PetscCall(CheckMat(A, R, text));
  }
  /* the newest values are the format's: they go back when rows are asked for, once in the matrix and once in a duplicate that is filled anew afterwards */
  PetscCall(MatScale(A, -0.5));
  PetscCall(MatScale(R, -0.5));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &S));
  PetscCall(CheckMat(A, R, "scaled"));
  PetscCall(CheckMat(D, S, "a duplicate"));
  PetscCall(SetAll(g, 9, D));
  PetscCall(SetAll(g, 9, S));
  PetscCall(CheckProducts(D, S, "a duplicate, set anew"));
  PetscCall(CheckProducts(A, R, "the matrix after it"));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&R));
  PetscCall(MatDestroy(&D));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int code;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(grids); k++) PetscCall(Check(&grids[k]));
  PetscCall(CheckEnd("fill", &code));
  PetscCall(PetscFinalize());
  return code;
}

/*TEST

  testset:
    nsize: {{1 2 4}}
    output_file: output/fill.out
    test:
      suffix: 1
    test:
      suffix: sellp
      args: -mat_type sellp

  testset:
    requires: cuda
    args: -expect_cuda
    output_file: output/fill_cuda.out
    test:
      suffix: cuda
    test:
      suffix: sellp_cuda
      args: -mat_type sellp

  testset:
    requires: cuda
    nsize: 2
    args: -expect_cuda
    output_file: output/fill.out
    test:
      suffix: 2_cuda
    test:
      suffix: 2_sellp_cuda
      args: -mat_type sellp

TEST*/

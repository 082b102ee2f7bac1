static char help[] =
  "Products of every pattern, block size and distribution against AIJ, and twice bit for bit: as assembled, with other values, with another pattern.\n";

#include "common/loop.h"

/* The same product twice gives the same bits. Of a transpose in parallel on the device only the own part does: PETSc adds what other processes send by atomic operations. */
static PetscErrorCode Repeat(Mat A, PetscErrorCode (*mult)(Mat, Vec, Vec), PetscBool transpose, const char what[])
{
  Vec         x, y, z;
  PetscBool   same, device;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (transpose) PetscCall(MatCreateVecs(A, &y, &x));
  else PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)y, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(CheckVecFill(x, 11));
  PetscCall(mult(A, x, y));
  PetscCall(VecSet(z, 1.0));
  PetscCall(mult(A, x, z));
  PetscCall(VecEqual(y, z, &same));
  if (transpose && device && size > 1) PetscCall(CheckVec(y, z, CHECK_TOLERANCE, what));
  else PetscCall(CheckTrue(same, what));
  PetscCall(CheckDestroy(&x, &y, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Products(const Problem *p, Mat A, Mat R)
{
  const Mat both[2] = {A, R};
  PetscInt  lo, hi;

  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, "as assembled"));
  PetscCall(Repeat(A, MatMult, PETSC_FALSE, "MatMult twice"));
  PetscCall(Repeat(A, MatMultTranspose, PETSC_TRUE, "MatMultTranspose twice"));
  for (int k = 0; k < 2; k++) PetscCall(MatScale(both[k], -2.0));
  PetscCall(CheckProducts(A, R, "after MatScale()"));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatSetOption(both[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (hi > lo) PetscCall(MatSetValue(both[k], lo, PetscMax(ProblemCols(p) - 1 - lo % 3, 0), 0.75, INSERT_VALUES)); /* mostly of another process */
    PetscCall(CheckAssemble(both[k]));
  }
  PetscCall(CheckProducts(A, R, "after a new entry"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row counts around the sizes of warps, tiles and padding */
static PetscErrorCode Sizes(void)
{
  const PetscInt rows[]     = {0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1025};
  const char    *patterns[] = {"banded", "diagonal", "empty"};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rows); k++)
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(patterns); t++) {
      Problem p = {.pattern = patterns[t], .bs = 1, .rows = rows[k], .cols = rows[k], .seed = 2};

      PetscCall(CheckOne(&p, Products));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows around the lengths that are cut on the device (csr_group_entries), with and without empty ones between them */
static PetscErrorCode LongRows(void)
{
  const char *patterns[] = {"long", "long_gaps"};

  PetscFunctionBeginUser;
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(patterns); t++)
    for (PetscInt rows = 1; rows <= 64; rows *= 4)
      for (PetscInt split = 0; split < 3; split++) {
        Problem p = {.pattern = patterns[t], .bs = 1, .rows = rows, .cols = 6000, .split = split, .seed = 2};

        PetscCall(CheckOne(&p, Products));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool sizes = PETSC_FALSE, lengths = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-sizes", &sizes, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-long_rows", &lengths, NULL));
  if (lengths) PetscCall(LongRows());
  else if (sizes) PetscCall(Sizes());
  else PetscCall(CheckLoop(CHECK_ALL, Products));
  return CheckFinish("mult");
}

/*TEST
  testset:
    nsize: {{1 2}}
    output_file: output/mult.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 4
    args: -bs 2,5,17
    output_file: output/mult_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  test:
    suffix: patterns_cuda
    requires: cuda
    nsize: {{2 4}}
    args: -options_left 0 -bs 1,3,8 -mat_type {{bdiagh sellp}} -expect_cuda -heptane_comm {{auto peer}}
    output_file: output/mult_patterns.out

  # every way to store the matrix, wanted or not
  testset:
    nsize: 2
    args: -bs 2,4,16 -mat_bdiagh_block_size {{1 2}} -mat_bdiagh_max_fill {{1 100}} -mat_bdiagh_max_remainder {{0 1}} -mat_bdiagh_min_occupancy {{0 1}}
    args: -pattern gh,holes,wells,shifted,random,rectangle
    output_file: output/mult_options.out
    test:
      suffix: options
    test:
      suffix: options_cuda
      requires: cuda
      args: -expect_cuda

  test:
    suffix: sellp_cuda_small
    requires: cuda
    args: -mat_type sellp -bs 1,3,17 -pattern gh,wells,rectangle,random -expect_cuda
    output_file: output/mult_cuda_small.out

  test:
    suffix: cuda_small
    requires: cuda
    args: -bs 1,3,17 -pattern gh,wells,rectangle,random -expect_cuda

  # few rows of wide blocks, which several threads share on the device
  testset:
    nsize: {{1 2}}
    args: -bs 33,64 -pattern holes,wells,rectangle
    output_file: output/mult_wide.out
    test:
      suffix: wide
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: wide_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: wide_sellp_cuda
      requires: cuda
      args: -mat_type sellp -mat_sellp_sort_window {{1 64}} -mat_sellp_long_row {{0 6}} -expect_cuda

  testset:
    args: -sizes
    nsize: {{1 2}}
    output_file: output/mult_sizes.out
    test:
      suffix: sizes
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: sizes_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  # where no diagonal is kept, rows of any length are multiplied as one list; else long ones are added
  testset:
    args: -long_rows
    nsize: {{1 2}}
    output_file: output/mult_long_rows.out
    test:
      suffix: long_rows
      args: -mat_bdiagh_max_remainder {{0 1}}
    test:
      suffix: long_rows_sellp
      args: -mat_type sellp
    test:
      suffix: long_rows_cuda
      requires: cuda
      args: -mat_bdiagh_max_remainder {{0 1}} -expect_cuda
    test:
      suffix: long_rows_sellp_cuda
      requires: cuda
      args: -mat_type sellp -expect_cuda
TEST*/

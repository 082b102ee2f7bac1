static char help[] = "sellp: every way to store a matrix, options refused with the allowed range, the view.\n";

#include "common/loop.h"
#include "common/refuse.h"

static PetscErrorCode Products(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  (void)p;
  PetscCall(CheckMat(A, R, "as assembled"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSELLPGetStorage(), looked up in the library that -dll_append has loaded: a tridiagonal matrix of 640 rows needs no index, and its 20 or 10 slices three columns each */
static PetscErrorCode Storage(void)
{
  PetscErrorCode (*Get)(Mat, PetscInt *, PetscInt *, PetscReal *, PetscLogDouble *, PetscLogDouble *);
  const PetscInt n = 640;
  Mat            A;
  PetscInt       block, slice;
  PetscReal      padding;
  PetscLogDouble values, index;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("MatSELLPGetStorage"));
  PetscCall(PetscDLSym(NULL, "MatSELLPGetStorage", (void **)&Get));
  PetscCheck(Get, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "libheptane is not loaded: -dll_append path/to/libheptane.so");
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, n, n, n, n));
  PetscCall(MatSetType(A, "sellp"));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = PetscMax(i - 1, 0); j <= PetscMin(i + 1, n - 1); j++) PetscCall(MatSetValue(A, i, j, 1, INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  PetscCall((*Get)(A, &block, &slice, &padding, &values, &index));
  PetscCall(CheckTrue(block == 1 && (slice == 32 || slice == 64), "block and slice"));
  PetscCall(CheckTrue(PetscAbsReal(padding - (PetscReal)2 / (3 * n - 2)) < 1e-6, "padding"));
  PetscCall(CheckTrue(values == 3.0 * n * sizeof(PetscScalar), "bytes of values"));
  PetscCall(CheckTrue(index == 16.0 * (n / slice) + 3 * 4, "bytes of the slices and one list of distances"));
  PetscCall((*Get)(A, NULL, NULL, NULL, NULL, NULL));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Options(void)
{
  const Problem     gh       = {.pattern = "gh", .bs = 3, .rows = 60, .cols = 60, .seed = 1};
  const Problem     random   = {.pattern = "random", .bs = 1, .rows = 400, .cols = 400, .seed = 1};
  const char *const grid[]   = {"type: seqaijsellp", "block size 3, 2 slices of 32 block rows, sorted by length in windows of 256 block rows",
                                "padding ",          "blocks in slices: none for 58.33 %, 16 bits for 41.67 %",
                                "compressed rows",   "run on the host"};
  const char *const rest[]   = {"block size 1, 13 slices of 32 rows", "sorted by length in windows", "remainder 0 % of the nonzeros"};
  const Problem     lines    = {.pattern = "banded", .bs = 1, .rows = 2048, .cols = 2048, .seed = 1};
  const char *const long_[]  = {"block size 1, 32 slices of 64 rows, not sorted", "blocks in slices: none for 100 %"};
  const char *const bad[][2] = {
    {"-t_mat_sellp_slice_height 7",    "8 to 64"        },
    {"-t_mat_sellp_slice_height 72",   "8 to 64"        },
    {"-t_mat_sellp_slice_height -2",   "-1: all"        },
    {"-t_mat_sellp_sort_window 65537", "to 65536"       },
    {"-t_mat_sellp_sort_window -1",    "to 65536"       },
    {"-t_mat_sellp_long_row -1",       "from 0 to"      },
    {"-t_mat_sellp_block_size -1",     "from 0 to"      },
    {"-t_mat_sellp_block_size 7",      "does not divide"},
    {"-t_mat_sellp_max_fill 0.5",      "at least 1"     },
    {"-t_mat_sellp_index 8",           "auto, 16 or 32" }
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(bad); k++) PetscCall(Refused("sellp", &gh, bad[k][0], "mat_sellp_", bad[k][1]));
  PetscCall(PetscOptionsInsertString(NULL, "-other_mat_sellp_block_size 7 -other_mat_sellp_slice_height 7"));
  PetscCall(Use("sellp", &gh));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(Shown("sellp", &gh, grid, PETSC_STATIC_ARRAY_LENGTH(grid)));
  PetscCall(Shown("sellp", &lines, long_, PETSC_STATIC_ARRAY_LENGTH(long_)));
  PetscCall(Shown("sellp", &random, rest, PETSC_STATIC_ARRAY_LENGTH(rest)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool options = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-refused", &options, NULL));
  if (options) {
    PetscCall(Options());
    PetscCall(Storage());
  } else PetscCall(CheckLoop(CHECK_ALL, Products));
  return CheckFinish("sellp");
}

/*TEST
  # small slices, ELLPACK, everything sorted, everything but short rows put aside
  testset:
    nsize: {{1 2}}
    args: -mat_type sellp -bs 1,3,8,17 -pattern gh,holes,arrow,random,rectangle,ragged
    output_file: output/sellp_settings.out
    test:
      suffix: small
      args: -mat_sellp_slice_height 8
    test:
      suffix: ellpack
      args: -mat_sellp_slice_height -1 -mat_sellp_block_size 1
    test:
      suffix: sorted
      args: -mat_sellp_slice_height 16 -mat_sellp_sort_window 32 -mat_sellp_max_fill 100
    test:
      suffix: aside
      comments: quick
      args: -mat_sellp_long_row 3
    test:
      suffix: wide
      args: -mat_sellp_index 32 -mat_sellp_long_row 5
    test:
      suffix: small_cuda
      requires: cuda
      args: -mat_sellp_slice_height 8 -expect_cuda
    test:
      suffix: ellpack_cuda
      requires: cuda
      args: -mat_sellp_slice_height -1 -mat_sellp_block_size 1 -expect_cuda
    test:
      suffix: sorted_cuda
      requires: cuda
      args: -mat_sellp_slice_height 16 -mat_sellp_sort_window 32 -mat_sellp_max_fill 100 -mat_sellp_index {{auto 16}} -expect_cuda
    test:
      suffix: aside_cuda
      requires: cuda
      args: -mat_sellp_long_row 3 -expect_cuda
    test:
      suffix: wide_cuda
      requires: cuda
      args: -mat_sellp_index 32 -mat_sellp_long_row 5 -expect_cuda

  test:
    suffix: refused
    # what was being built when a refusal ended it is not given back
    args: -refused -checkfunctionlist 0 -malloc_dump 0
    output_file: output/sellp_refused.out
TEST*/

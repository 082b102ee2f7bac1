static char help[] =
  "-pc_pbjacobi_precision and -pc_blockjacobireg_precision single: what is applied, how it is stored, numbers that do not go into it, what crosses between host and device.\n";

#include "common/cuda_calls.h"
#include "common/system.h"

static const struct {
  const char *type, *options;
} kinds[] = {
  {PCPBJACOBI,       ""                                                           },
  {"blockjacobireg", "-pc_blockjacobireg_method inverse "                         },
  {"blockjacobireg", "-pc_blockjacobireg_method lu "                              },
  {"blockjacobireg", "-pc_blockjacobireg_method qr "                              },
  {"blockjacobireg", "-pc_blockjacobireg_pivoting 0 -pc_blockjacobireg_method lu "},
};

static PetscErrorCode Create(Mat A, size_t kind, PetscBool single, PC *pc)
{
  char options[256];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s-pc_%s_precision %s", kinds[kind].options, kinds[kind].type, single ? "single" : "double"));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CheckPCCreate(A, kinds[kind].type, pc));
  PetscCall(PCSetUp(*pc));
  for (int k = 0; k < 4; k++) {
    static const char *const names[] = {"-pc_blockjacobireg_method", "-pc_blockjacobireg_pivoting", "-pc_blockjacobireg_precision", "-pc_pbjacobi_precision"};

    PetscCall(PetscOptionsClearValue(NULL, names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view says so */
static PetscErrorCode CheckView(PC pc, const char text[])
{
  char view[1024];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)pc, PETSC_VIEWER_DEFAULT, view, sizeof(view)));
  PetscCall(CheckTrue(strstr(view, text) != NULL, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the two give, how far apart, relative to the largest component; host: vectors there, whatever the matrix gives */
static PetscErrorCode Difference(PC one, PC other, Mat A, PetscBool host, PetscBool transpose, PetscReal *difference)
{
  Vec       x, y[2];
  PetscReal size;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &n, NULL));
  if (host) PetscCall(VecCreateMPI(PETSC_COMM_WORLD, n, PETSC_DETERMINE, &x));
  else PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(CheckVecFill(x, 9));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckVecLike(x, 10, &y[k])); /* to be overwritten */
    PetscCall((transpose ? PCApplyTranspose : PCApply)(k ? other : one, x, y[k]));
  }
  PetscCall(VecNorm(y[0], NORM_INFINITY, &size));
  PetscCall(VecAXPY(y[1], -1.0, y[0]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, difference));
  *difference /= size;
  PetscCall(CheckDestroy(&y[0], &y[1], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A set-up after values that changed where products run takes no memory, and brings back what says whether it failed */
static PetscErrorCode CheckTraffic(Mat A, PC pc)
{
  CudaCalls before;
  PetscInt  rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatScale(A, 0.5));
  before = cuda_calls;
  PetscCall(PCSetUp(pc));
  PetscCall(CheckTrue(cuda_calls.bytes - before.bytes <= 256 + 128.0 * (double)(rows / 262144), "copies between host and device"));
  PetscCall(CheckTrue(cuda_calls.allocations == before.allocations, "no memory"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareKind(const System *s, size_t kind)
{
  Mat            A;
  PC             pc[2];
  PetscReal      difference;
  PCFailedReason reason;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%" PetscInt_FMT " cells, block size %" PetscInt_FMT ", %s %s", s->cells, s->bs, kinds[kind].type, kinds[kind].options));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  for (int single = 0; single < 2; single++) PetscCall(Create(A, kind, (PetscBool)single, &pc[single]));
  PetscCall(CheckView(pc[1], "stored in single precision"));
  for (int turn = 0; turn < 2; turn++) {
    for (int way = 0; way < 4; way++) {
      PetscCall(Difference(pc[0], pc[1], A, (PetscBool)(way % 2), (PetscBool)(way / 2), &difference));
      PetscCall(CheckTrue(difference > 1e-12 && difference < 1e-5,
                          CheckText("%g from what double precision gives", (double)difference))); /* it is rounded, and not more */
    }
    if (!turn) PetscCall(CheckTraffic(A, pc[1]));
    PetscCall(PCSetUp(pc[0]));
  }
  /* numbers that single precision has no room for: double precision, to the last bit; then such that it has */
  for (int turn = 0; turn < 3; turn++) {
    const PetscReal scales[] = {1e35, 1e-70, 1e35};

    PetscCall(MatScale(A, scales[turn]));
    for (int single = 0; single < 2; single++) PetscCall(PCSetUp(pc[single]));
    PetscCall(CheckView(pc[1], turn < 2 ? "stored in double precision: numbers out of the range" : "stored in single precision"));
    PetscCall(Difference(pc[0], pc[1], A, PETSC_FALSE, PETSC_FALSE, &difference));
    PetscCall(PCGetFailedReason(pc[1], &reason)); /* of one row: a pivot below the machine precision is none */
    PetscCall(CheckTrue(reason ? PetscIsInfOrNanReal(difference) : (PetscBool)((turn < 2) == (difference == 0)), "the inverses of numbers out of the range"));
  }
  for (int single = 0; single < 2; single++) PetscCall(PCDestroy(&pc[single]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero block on one process: the reason is the one of double precision */
static PetscErrorCode CompareSingular(const System *s, size_t kind)
{
  const PetscInt first = s->cells / 2 * s->bs;
  Mat            A;
  PetscInt       lo, hi;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = PetscMax(lo, first); i < PetscMin(hi, first + s->bs); i++)
    for (PetscInt j = first; j < first + s->bs; j++) PetscCall(MatSetValue(A, i, j, 0.0, INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  for (int single = 0; single < 2; single++) {
    PC             pc;
    PCFailedReason reason;

    PetscCall(Create(A, kind, (PetscBool)single, &pc));
    PetscCall(PCReduceFailedReason(pc));
    PetscCall(PCGetFailedReason(pc, &reason));
    PetscCall(CheckTrue(reason == PC_FACTOR_NUMERIC_ZEROPIVOT, single ? "a singular block" : "a singular block in double precision"));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt bs[32], cells = 67, n = 32;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  for (PetscInt k = 0; k < n; k++)
    for (size_t kind = 0; kind < PETSC_STATIC_ARRAY_LENGTH(kinds); kind++) {
      const System s = {.kind = "grid", .cells = cells, .bs = bs[k], .seed = 4 + k};

      PetscCall(CompareKind(&s, kind));
      PetscCall(CompareSingular(&s, kind));
    }
  return CheckFinish("pc_precision");
}

/*TEST
  testset:
    args: -bs 1,2,3,4,5,6,7,8,9,16,17,33 -mat_type {{bdiagh sellp}}
    output_file: output/pc_precision.out
    test:
      suffix: 1
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda

  testset:
    nsize: 2
    args: -bs 1,3,8,20 -mat_type {{bdiagh sellp}}
    output_file: output/pc_precision_2.out
    test:
      suffix: 2
      requires: double
    test:
      suffix: 2_cuda
      requires: cuda double
      args: -expect_cuda

  # more rows than are rounded at a time
  testset:
    args: -bs 3 -cells 88000 -mat_type bdiagh
    output_file: output/pc_precision_parts.out
    test:
      suffix: parts
      comments: quick
      requires: double
    test:
      suffix: parts_cuda
      requires: cuda double
      args: -expect_cuda
TEST*/

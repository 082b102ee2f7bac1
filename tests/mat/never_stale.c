static char help[] =
  "No operation of AIJ reads or writes values that are not the newest: all that PETSc has are walked, by every way in which values were set.\n";

#include "operations.h"
#include "ways.h"

static PetscErrorCode One(const Problem *p, Way way, const char name[], ReaderFn *read)
{
  Mat  B, S;
  Vec  y, r;
  char text[128];

  PetscFunctionBeginUser;
  PetscCall(SetValues(p, way, &B, &S));
  PetscCall(read(B, &y));
  PetscCall(read(S, &r));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s after %s", name, ways[way]));
  PetscCall(CheckVec(y, r, 10 * CHECK_TOLERANCE, text));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s after %s, the matrix after it", name, ways[way]));
  PetscCall(CheckMat(B, S, text));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NeverStale(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  (void)A;
  PetscCall(CheckOperations(R));
  PetscCall(CheckFunctions(R));
  for (int way = 0; way < WAYS; way++) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(more_readers); k++) PetscCall(One(p, (Way)way, more_readers[k].name, more_readers[k].read));
    if (way == PLAIN || way > ZEROED_SET) /* the other ways: tests/mat/lazy.c */
      for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(readers); k++) PetscCall(One(p, (Way)way, readers[k].name, readers[k].read));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CheckMain(argc, argv, help, CHECK_SQUARE, NeverStale, "never_stale");
}

/*TEST

  testset:
    args: -bs 2 -pattern wells -diagonal 50
    output_file: output/never_stale.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: format
      args: -heptane_test_changes_in_format
    test:
      suffix: host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  testset:
    nsize: 2
    args: -bs 2 -pattern wells -diagonal 50
    output_file: output/never_stale_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_format
      args: -heptane_test_changes_in_format -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_cuda
      requires: cuda
      args: -expect_cuda -device_values

TEST*/

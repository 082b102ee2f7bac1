static char help[] =
  "No operation of AIJ reads or writes values that are not the newest: all that PETSc has are walked, by every way in which values were set.\n";

#include "common/loop.h"
#include "common/operations.h"
#include "common/reader.h"
#include "common/ways.h"

static PetscErrorCode One(const Problem *p, Way way, const Reader *reader)
{
  Mat  B, S;
  Vec  y, r;
  char text[128];

  PetscFunctionBeginUser;
  PetscCall(SetValues(p, way, &B, &S));
  PetscCall(reader->read(B, &y));
  PetscCall(reader->read(S, &r));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s after %s", reader->name, ways[way]));
  PetscCall(CheckVec(y, r, 10 * CHECK_TOLERANCE, text));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s after %s, the matrix after it", reader->name, ways[way]));
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
    for (const Reader *const *list = more_readers; *list; list++)
      for (const Reader *r = *list; r->name; r++) PetscCall(One(p, (Way)way, r));
    if (way != PLAIN && way <= ZEROED_SET) continue; /* tests/mat/lazy.c */
    for (const Reader *const *list = readers; *list; list++)
      for (const Reader *r = *list; r->name; r++) PetscCall(One(p, (Way)way, r));
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

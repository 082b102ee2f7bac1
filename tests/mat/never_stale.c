static char help[] =
  "No operation of AIJ reads or writes values that are not the newest: all that PETSc has are walked, by every way in which values were set.\n"
  "  -few: the most common operations, by the most common ways, which are left out without it\n";

#include "common/loop.h"
#include "common/operations.h"
#include "common/reader.h"
#include "common/ways.h"

static PetscErrorCode One(const Problem *p, Way way, const Reader *reader)
{
  Mat B, S;
  Vec y, r;

  PetscFunctionBeginUser;
  PetscCall(SetValues(p, way, &B, &S));
  PetscCall(reader->read(B, &y));
  PetscCall(reader->read(S, &r));
  PetscCall(CheckVec(y, r, 10 * CHECK_TOLERANCE, CheckText("%s after %s", reader->name, ways[way])));
  PetscCall(CheckDestroy(&y, &r));
  PetscCall(CheckMat(B, S, CheckText("%s after %s, the matrix after it", reader->name, ways[way])));
  PetscCall(CheckDestroy(&B, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode All(const Problem *p, Way way, const Reader *const lists[])
{
  PetscFunctionBeginUser;
  for (const Reader *const *list = lists; *list; list++)
    for (const Reader *r = *list; r->name; r++) PetscCall(One(p, way, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NeverStale(const Problem *p, Mat A, Mat R)
{
  PetscBool few = CheckOption("-few");

  PetscFunctionBeginUser;
  (void)A;
  PetscCall(CheckOperations(R));
  PetscCall(CheckFunctions(R));
  for (int way = 0; way < WAYS; way++) {
    const PetscBool often = (PetscBool)(way >= SET && way <= ZEROED_SET);

    if (!few) PetscCall(All(p, (Way)way, more_readers));
    if (often == few) PetscCall(All(p, (Way)way, readers));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, NeverStale, "never_stale")

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

  # where every way has many patterns; then everything in the remainder part
  testset:
    nsize: {{1 2}}
    args: -few -bs 1,4 -pattern gh,wells,holes -diagonal 50
    output_file: output/never_stale_few.out
    test:
      suffix: few
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: few_host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: few_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  testset:
    args: -few -bs 3 -pattern random -diagonal 50 -mat_type {{bdiagh sellp}}
    output_file: output/never_stale_random.out
    test:
      suffix: random
      comments: quick
    test:
      suffix: random_cuda
      requires: cuda
      args: -expect_cuda -device_values
TEST*/

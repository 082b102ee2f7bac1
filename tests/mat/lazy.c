static char help[] = "Every operation that reads a matrix sees values that were just set where the products run, on the device if there is one.\n";

#include "common/loop.h"
#include "common/reader.h"
#include "common/ways.h"

static PetscErrorCode Lazy(const Problem *p, Mat A, Mat R)
{
  char text[128];

  PetscFunctionBeginUser;
  (void)A;
  (void)R;
  for (int way = SET; way <= ZEROED_SET; way++) /* the others: never_stale.c */
    for (const Reader *const *list = readers; *list; list++)
      for (const Reader *reader = *list; reader->name; reader++) {
        Mat B, S;
        Vec y, r;

        PetscCall(SetValues(p, (Way)way, &B, &S));
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
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CheckMain(argc, argv, help, CHECK_SQUARE, Lazy, "lazy");
}

/*TEST

  testset:
    nsize: {{1 2}}
    args: -bs 1,4 -pattern gh,wells,holes -diagonal 50
    output_file: output/lazy.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  # everything in the remainder part
  testset:
    args: -bs 3 -pattern random -diagonal 50
    output_file: output/lazy_random.out
    test:
      suffix: random
      comments: quick
    test:
      suffix: random_sellp
      args: -mat_type sellp
    test:
      suffix: random_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

TEST*/

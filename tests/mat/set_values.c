static char help[] = "A few values of an assembled matrix are set, in all ways: products and rows against AIJ, and only the rows set are filled again.\n";

#include "common/ahead.h"
#include "common/both_products.h"
#include "common/loop.h"
#include "common/moves.h"
#include "common/set_values.h"

/* Where the newest values are before */
typedef enum { MULTIPLIED, COO_SET, SCALED, SET_ONLY, BEFORES } Before;
static const char *const befores[] = {"a product", "COO", "MatScale", "nothing"};

static PetscErrorCode Prepare(Before before, Mat M)
{
  PetscFunctionBeginUser;
  if (before != SET_ONLY) PetscCall(BothProducts(M));
  if (before == COO_SET) PetscCall(Ahead(M));
  if (before == SCALED) PetscCall(MatScale(M, -2.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the products of CheckMat() a few values are set twice more: nothing is filled, and what is there is right */
static PetscErrorCode CheckFew(const Problem *p, How how, InsertMode mode, Mat A, Mat R)
{
  PetscInt before, after;

  PetscFunctionBeginUser;
  PetscCall(BothProducts(A));
  PetscCall(Moves(&before));
  for (int again = 0; again < 2; again++) {
    PetscCall(SetSome(p, how, mode, 60 + again, A));
    PetscCall(SetSome(p, how, mode, 60 + again, R));
    PetscCall(BothProducts(A));
  }
  PetscCall(Moves(&after));
  const char *const text = CheckText("%s, %s, %" PetscInt_FMT " fills or returns", hows[how], mode == ADD_VALUES ? "added" : "inserted", after - before);
  PetscCall(CheckTrue(after == before, text));
  PetscCall(CheckMat(A, R, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckHow(const Problem *p, How how, Before before, InsertMode mode)
{
  Mat M[2];

  PetscFunctionBeginUser;
  const char *const text = CheckText("%s, %s, after %s", hows[how], mode == ADD_VALUES ? "added" : "inserted", befores[before]);
  for (int k = 0; k < 2; k++) {
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, k ? MATAIJ : NULL, &M[k]));
    PetscCall(Prepare(before, M[k]));
    for (int again = 0; again < 3; again++) PetscCall(SetSome(p, how, mode, 50 + again, M[k]));
  }
  PetscCall(CheckMat(M[0], M[1], text));
  if (how < FEW) PetscCall(CheckFew(p, how, mode, M[0], M[1]));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&M[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every way after every state, a third of these pairs in each distribution; some ways are for one process */
static PetscErrorCode Values(const Problem *p, Mat A, Mat R)
{
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(PetscLogDefaultBegin());
  (void)A, (void)R;
  for (int how = 0; how < HOWS; how++)
    for (int before = 0; before < BEFORES; before++) {
      const InsertMode mode = how != SORTED && (how + before) % 2 ? ADD_VALUES : INSERT_VALUES;

      if ((how + before) % 3 != p->split || ((how == ROW || how == SORTED) && size > 1)) continue;
      PetscCall(CheckHow(p, (How)how, (Before)before, mode));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Values, "set_values")

/*TEST
  testset:
    nsize: 1
    args: -bs 1,3 -pattern wells,random,banded,shifted
    output_file: output/set_values.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: in_format
      args: -heptane_test_changes_in_format
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 2
    args: -bs 1,3 -pattern wells,random,banded,shifted
    output_file: output/set_values_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_in_format
      args: -heptane_test_changes_in_format
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

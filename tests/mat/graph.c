static char help[] = "MatCreateGraph() of the type under test against AIJ, bit by bit: absolute values, sums with the transpose, scaled diagonals, filters.\n";

#include "common/loop.h"

/* Zeros on the diagonal, and values that the format has and the compressed rows have not */
static PetscErrorCode Change(const Problem *p, Mat A)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    if (i % 13 == 2 && ProblemEntry(p, i, i, i / p->bs, i / p->bs)) PetscCall(MatSetValue(A, i, i, 0.0, INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  PetscCall(MatScale(A, 1.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareGraph(Mat A, Mat R, PetscBool symmetrize, PetscBool scale, PetscReal filter)
{
  Mat       G, H, plain;
  PetscBool same, known[2], symmetric[2];

  PetscFunctionBeginUser;
  const char *const text = CheckText("symmetrize %d, scale %d, filter %g", symmetrize, scale, (double)filter);
  PetscCall(MatCreateGraph(A, symmetrize, scale, filter, 0, NULL, &G));
  PetscCall(MatCreateGraph(R, symmetrize, scale, filter, 0, NULL, &H));
  PetscCall(MatConvert(G, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  PetscCall(MatEqual(plain, H, &same));
  PetscCall(CheckTrue(same, text));
  PetscCall(MatIsSymmetricKnown(G, &known[0], &symmetric[0]));
  PetscCall(MatIsSymmetricKnown(H, &known[1], &symmetric[1]));
  PetscCall(CheckTrue(known[0] == known[1] && (!known[0] || symmetric[0] == symmetric[1]), "what is known of its symmetry"));
  PetscCall(CheckDestroy(&plain, &G, &H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Graphs(const Problem *p, Mat A, Mat R)
{
  const PetscReal filters[] = {-1, 0, 0.3};

  PetscFunctionBeginUser;
  PetscCall(Change(p, A));
  PetscCall(Change(p, R));
  for (int told = 0; told < (p->symmetric ? 2 : 1); told++) {
    if (told) {
      PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
      PetscCall(MatSetOption(R, MAT_SYMMETRIC, PETSC_TRUE));
    }
    for (int kind = 0; kind < 4; kind++)
      for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(filters); f++) PetscCall(CompareGraph(A, R, (PetscBool)(kind & 1), (PetscBool)(kind / 2), filters[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_CELLS, Graphs, "graph")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -mat_type {{bdiagh sellp}}
    output_file: output/graph_1.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda

  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -mat_type {{bdiagh sellp}} -symmetric
    output_file: output/graph_symmetric.out
    test:
      suffix: symmetric
    test:
      suffix: symmetric_cuda
      requires: cuda
      args: -expect_cuda
TEST*/

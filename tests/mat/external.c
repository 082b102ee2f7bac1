static char help[] = "Preconditioners and direct solvers of libraries that copy the values in their set-up, against AIJ: values set in every way.\n"
                     "  -pc_type, -pc_factor_mat_solver_type: of which library\n";

#include "common/loop.h"
#include "common/ways.h"

typedef struct {
  Mat M[2]; /* ours and AIJ */
  PC  pc[2];
  Vec b[2], x[2];
} Both;

static PetscErrorCode BothCreate(Mat A, Mat R, Both *s)
{
  PetscFunctionBeginUser;
  s->M[0] = A;
  s->M[1] = R;
  for (int k = 0; k < 2; k++) {
    PetscCall(PCCreate(PETSC_COMM_WORLD, &s->pc[k]));
    PetscCall(PCSetOperators(s->pc[k], s->M[k], s->M[k]));
    PetscCall(PCSetFromOptions(s->pc[k]));
    PetscCall(CheckVecs(s->M[k], &s->x[k], 0, &s->b[k], 91));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BothApply(Both *s, const char after[])
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(PCSetUp(s->pc[k]));
    PetscCall(PCApply(s->pc[k], s->b[k], s->x[k]));
  }
  PetscCall(CheckVec(s->x[0], s->x[1], 10 * CHECK_TOLERANCE, after));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BothDestroy(Both *s)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(PCDestroy(&s->pc[k]));
    PetscCall(CheckDestroy(&s->b[k], &s->x[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One set-up, then two of the same pattern with new values */
static PetscErrorCode Ways(const Problem *p)
{
  PetscFunctionBeginUser;
  for (int way = 0; way < WAYS; way++) {
    Problem q = *p;
    Mat     A, R;
    Both    s;

    PetscCall(SetValues(p, (Way)way, &A, &R));
    PetscCall(BothCreate(A, R, &s));
    PetscCall(BothApply(&s, ways[way]));
    for (int k = 0; k < 2; k++) PetscCall(MatScale(s.M[k], -3.0));
    PetscCall(BothApply(&s, CheckText("%s, then MatScale", ways[way])));
    q.seed += 70;
    for (int k = 0; k < 2; k++) PetscCall(ProblemFill(&q, s.M[k]));
    PetscCall(BothApply(&s, CheckText("%s, then MatSetValues", ways[way])));
    PetscCall(CheckMat(A, R, "the matrix after it"));
    PetscCall(BothDestroy(&s));
    PetscCall(CheckDestroy(&A, &R));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values by coordinates between set-ups */
static PetscErrorCode Coordinates(const Problem *p)
{
  const PetscReal factor[] = {1, 3, -0.5};
  Mat             A, R;
  Both            s;
  Coo             c;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, &R));
  PetscCall(WithCoordinates(p, R, &A, &c));
  PetscCall(BothCreate(A, R, &s));
  for (int k = 0; k < 3; k++) {
    PetscCall(CooSet(p, &c, factor[k], INSERT_VALUES, A));
    PetscCall(MatScale(R, k ? factor[k] / factor[k - 1] : factor[0]));
    PetscCall(BothApply(&s, "MatSetValuesCOO between set-ups"));
  }
  PetscCall(BothDestroy(&s));
  PetscCall(CooDestroy(&c));
  PetscCall(CheckDestroy(&A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode External(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  (void)A;
  (void)R;
  PetscCall(Ways(p));
  PetscCall(Coordinates(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, External, "external")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -pattern gh,wells -diagonal 50 -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format {{0 1}}
    output_file: output/external.out
    test:
      suffix: hypre
      requires: hypre
      args: -pc_type hypre
    test:
      suffix: superlu_dist
      requires: superlu_dist
      args: -pc_type lu -pc_factor_mat_solver_type superlu_dist
    test:
      suffix: mumps
      requires: mumps
      args: -pc_type lu -pc_factor_mat_solver_type mumps
    test:
      suffix: mumps_cholesky
      requires: mumps
      args: -pc_type cholesky -pc_factor_mat_solver_type mumps -symmetric
    test:
      suffix: strumpack
      requires: strumpack
      args: -pc_type lu -pc_factor_mat_solver_type strumpack

  testset:
    args: -bs 1,3 -pattern gh,wells -diagonal 50 -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format {{0 1}}
    output_file: output/external.out
    test:
      suffix: superlu
      comments: quick
      requires: superlu
      args: -pc_type lu -pc_factor_mat_solver_type superlu
    test:
      suffix: umfpack
      requires: suitesparse
      args: -pc_type lu -pc_factor_mat_solver_type {{umfpack klu}}
    test:
      suffix: cholmod
      requires: suitesparse
      args: -pc_type cholesky -pc_factor_mat_solver_type cholmod -symmetric
TEST*/

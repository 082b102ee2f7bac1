static char help[] =
  "Where solves run (-ksp_fused_place): from vectors on the host and of the matrix's own type, on either side and by the number of rows, with the answers of PETSc's solver.\n";

#include "common/system.h"
#include "../mat/common/check_device.h"
#include <petscviewer.h>

static PetscInt looks, strange; /* of the monitor: how often, and how often it saw something wrong */
static Vec      given;          /* the program's own solution */

/*
   A monitor sees the program's vectors, whose values are those of the iterate, and that has the residual that is told:
   left preconditioning is none here
*/
static PetscErrorCode Watch(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Mat       A;
  Vec       x, r, b;
  PetscReal own;

  PetscFunctionBeginUser;
  (void)it, (void)ctx;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetSolution(ksp, &x));
  if (x != given) strange++;
  PetscCall(KSPBuildSolution(ksp, NULL, &x));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &own));
  looks++;
  if (PetscAbsReal(own - norm) > (PetscDefined(USE_REAL_SINGLE) ? 1e-2 : 1e-6) * (norm + 1)) strange++;
  PetscCall(KSPBuildResidual(ksp, NULL, NULL, &b));
  PetscCall(VecAXPY(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &own));
  if (own > (PetscDefined(USE_REAL_SINGLE) ? 1e-2 : 1e-6) * (norm + 1)) strange++;
  PetscCall(CheckDestroy(&b, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fail(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)norm, (void)ctx;
  return it < 3 ? PETSC_SUCCESS : PETSC_ERR_USER;
}

/* Whether the view of the solver has the text */
static PetscErrorCode Says(KSP ksp, const char text[], PetscBool *says)
{
  char view[4096];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_DEFAULT, view, sizeof(view)));
  PetscCheck(view[0], PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "no view");
  *says = (PetscBool)(strstr(view, text) != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat A, const char type[], const char pc[], PetscReal rtol, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(CheckKSPCreate(A, type, pc, rtol, PETSC_CURRENT, ksp));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three solves by one solver: from zero, from a guess, and with other values, as PETSc's; where: `place` takes them there */
static PetscErrorCode Place(Mat A, Mat R, const char type[], const char twin[], const char pc[], PetscBool plain, const char place[], PetscBool device)
{
  const char *const where = device ? " on the device" : " on the host";

  const PetscReal rtol = PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-10, near = 100 * rtol;
  KSP             ksp, own;
  Vec             b, x, y, bs;
  PetscBool       says;
  char            by[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(by, sizeof(by), "placed by %s%s", place, where));
  PetscCall(CheckWhere("%s %s %s, %s vectors", type, pc, place, plain ? "host" : "matrix's"));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_place", place));
  PetscCall(MatCreateVecs(R, &bs, &y)); /* AIJ's: on the host */
  if (plain) PetscCall(VecDuplicate(bs, &b));
  else PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(Solver(A, type, pc, rtol, &ksp));
  PetscCall(Solver(R, twin, pc, rtol, &own));
  for (int k = 0; k < 3; k++) {
    PetscCall(CheckVecFill(b, 5 + k));
    PetscCall(CheckVecFill(bs, 5 + k));
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(k == 1)));
    PetscCall(KSPSetInitialGuessNonzero(own, (PetscBool)(k == 1)));
    if (k == 2) {
      PetscCall(MatScale(A, 2.0));
      PetscCall(MatScale(R, 2.0));
    }
    if (k != 1) PetscCall(VecSet(x, 7.0)); /* no guess: not to be read */
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPSolve(own, bs, y));
    PetscCall(CheckVec(x, y, near, "solution"));
    PetscCall(CheckVecFill(y, 5 + k)); /* the right-hand side is as it was, for the next solve with it */
    PetscCall(CheckSame(b, y, "right-hand side"));
    PetscCall(Says(ksp, by, &says));
    PetscCall(CheckTrue(says, by));
  }
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatScale(R, 0.5));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_fused_place"));
  PetscCall(CheckDestroy(&ksp, &own, &b, &bs, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a monitor sees; after a solve that ends with an error x is the iterate, and the solver can be used again */
static PetscErrorCode Within(Mat A, const char place[])
{
  KSP       ksp;
  Vec       b, x;
  PetscReal norm;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("within a solve, %s", place));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_place", place));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &b));
  PetscCall(VecSetSizes(b, n, PETSC_DECIDE));
  PetscCall(VecSetType(b, VECSTANDARD));
  PetscCall(VecDuplicate(b, &x));
  given = x;
  PetscCall(CheckVecFill(b, 5));
  PetscCall(Solver(A, "fusedcg", PCNONE, 1e-5, &ksp));
  PetscCall(KSPMonitorSet(ksp, Watch, NULL, NULL));
  looks = strange = 0;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckTrue(looks > 3 && !strange, "the monitor's iterate"));
  PetscCall(KSPMonitorCancel(ksp));
  PetscCall(KSPMonitorSet(ksp, Fail, NULL, NULL));
  PetscCall(VecZeroEntries(x));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(CheckTrue(code != PETSC_SUCCESS, "an error"));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(CheckTrue(norm > 0, "the iterate after an error"));
  PetscCall(KSPMonitorCancel(ksp));
  PetscCall(KSPMonitorSet(ksp, Watch, NULL, NULL));
  looks = strange = 0;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckTrue(looks > 3 && !strange, "a solve after an error"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_fused_place"));
  PetscCall(CheckDestroy(&b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const solvers[][2] =
    {
      {"fusedcg",   KSPCG  },
      {"fusedbcgs", KSPBCGS},
      {"fusedbicg", KSPBICG}
  },
                    *const pcs[]    = {PCNONE, PCJACOBI, PCPBJACOBI};
  const char *const        places[] = {"auto", "host", "device"};
  PetscBool                cuda = PETSC_FALSE, moves = PETSC_FALSE;
  PetscMPIInt              size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_cuda", &cuda, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_move", &moves, NULL));
  moves = (PetscBool)(moves || cuda);
  for (PetscInt bs = 1; bs <= 3; bs += 2) { /* fewer rows than `auto` moves, and more */
    const System s = {.kind = "grid", .cells = size * (bs == 1 ? 300 : 700), .bs = bs, .seed = 6, .symmetric = PETSC_TRUE};
    Mat          A, R;

    PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
    PetscCall(CheckDevice(A));
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
    for (int k = 0; k < 3; k++)
      for (int p = 0; p < 3; p++)
        for (int plain = 0; plain < 2; plain++)
          for (int w = 0; w < 3; w++) {
            const PetscBool device = (PetscBool)(w == 2 ? moves : w == 0 && ((cuda && !plain) || (moves && bs == 3)));

            PetscCall(Place(A, R, solvers[k][0], solvers[k][1], pcs[p], (PetscBool)plain, places[w], device));
          }
    for (int w = 0; w < 3; w++) PetscCall(Within(A, places[w]));
    PetscCall(CheckDestroy(&A, &R));
  }
  return CheckFinish("place");
}

/*TEST
  testset:
    output_file: output/place.out
    args: -options_left 0
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp aij}}
    test:
      suffix: twin
      args: -mat_type bdiagh -ksp_fused_mode kernels
    # solves are moved to other vectors on the host
    test:
      suffix: moved
      comments: quick
      args: -mat_type {{bdiagh sellp}} -heptane_test_move
    test:
      suffix: moved_2
      nsize: 2
      args: -mat_type bdiagh -heptane_test_move
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
    test:
      suffix: cuda_2
      requires: cuda
      nsize: 2
      args: -mat_type bdiagh -expect_cuda -heptane_test_comm_share_gpu
TEST*/

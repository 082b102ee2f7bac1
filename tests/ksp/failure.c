static char help[] =
  "After a solve that ended with an error everything is as if it had ended without: vectors, the iterate, the next solve; on a device with calls that fail.\n";

#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "compare.h"
#include <dlfcn.h>

/* The calls of the CUDA run time that are to fail: the one after so many, -1: none. In a program that never calls CUDA they are never called. */
static struct {
  int cooperative, launch, pinned;
} fail = {-1, -1, -1};

static int Fails(int *countdown)
{
  if (*countdown < 0) return 0;
  return (*countdown)-- == 0;
}

#define CUDA_FAILING(countdown, code, name, parameters, arguments) \
  __attribute__((visibility("default"))) int name parameters; \
  int name                                        parameters \
  { \
    int(*real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
\
    if (Fails(&fail.countdown)) return code; \
    return real ? real arguments : 35; \
  }

typedef struct {
  unsigned int x, y, z;
} CudaDim;

CUDA_FAILING(cooperative, 720, cudaLaunchCooperativeKernel, (const void *f, CudaDim g, CudaDim b, void **a, size_t m, void *s), (f, g, b, a, m, s))
CUDA_FAILING(launch, 719, cudaLaunchKernelExC, (const void *c, const void *f, void **a), (c, f, a))
CUDA_FAILING(pinned, 2, cudaMallocHost, (void **p, size_t n), (p, n))

static const System system_ = {.kind = "grid", .cells = 300, .bs = 1, .seed = 12, .symmetric = PETSC_TRUE};

/* Indefinite with a positive diagonal: CG breaks down after some iterations */
static PetscErrorCode Indefinite(Mat *A)
{
  Vec         d;
  PetscReal   least;
  PetscScalar shift;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, A));
  PetscCall(MatCreateVecs(*A, &d, NULL));
  PetscCall(MatGetDiagonal(*A, d));
  PetscCall(VecMin(d, NULL, &least));
  shift = -0.5 * least;
  PetscCall(MatShift(*A, shift));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves and takes the error, if there is one */
static PetscErrorCode TrySolve(KSP ksp, Vec b, Vec x, PetscErrorCode *code)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  *code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Same(Vec x, Vec y, PetscReal allowed, const char what[])
{
  PetscReal distance;
  char      text[128];

  PetscFunctionBeginUser;
  PetscCall(VecDistance(x, y, &distance));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %.2g from the twin's", what, (double)distance));
  PetscCall(CheckTrue((PetscBool)(distance <= allowed), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that does not converge, which is an error, then one of another system with other vectors by the same solver */
static PetscErrorCode NotConverged(const char options[])
{
  const PetscReal allowed = PETSC_SQRT_MACHINE_EPSILON;
  Mat             A, B;
  KSP             ksp[2];
  Vec             b, x[2], y[2];
  PetscErrorCode  code[2];

  PetscFunctionBeginUser;
  PetscCall(Where(&system_, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(Indefinite(&A));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &B));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(CheckVecFill(b, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(VecDuplicate(b, &y[k]));
    PetscCall(VecSet(x[k], 0.0));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPSetErrorIfNotConverged(ksp[k], PETSC_TRUE));
    PetscCall(TrySolve(ksp[k], b, x[k], &code[k]));
    PetscCall(KSPSetOperators(ksp[k], B, B));
    PetscCall(KSPSolve(ksp[k], b, y[k]));
  }
  PetscCall(CheckTrue((PetscBool)(code[0] == PETSC_ERR_NOT_CONVERGED && code[1] == code[0]), "both are errors"));
  PetscCall(Same(x[0], x[1], allowed, "the iterate of the solve that did not converge"));
  PetscCall(Same(y[0], y[1], allowed, "the next solution"));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(VecDestroy(&x[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor that gives up, after which the solver goes on to be used */
static PetscErrorCode GivesUp(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)norm;
  return it == 3 && *(PetscBool *)ctx ? PETSC_ERR_USER : PETSC_SUCCESS;
}

static PetscErrorCode MonitorFails(const char options[])
{
  Mat            A;
  KSP            ksp[2];
  Vec            b, x, y[2];
  PetscErrorCode code = PETSC_SUCCESS;
  PetscBool      on;

  PetscFunctionBeginUser;
  PetscCall(Where(&system_, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &A));
  PetscCall(MatCreateVecs(A, &b, &x));
  PetscCall(CheckVecFill(b, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &y[k]));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPMonitorSet(ksp[k], GivesUp, &on, NULL));
    on = PETSC_TRUE;
    PetscCall(TrySolve(ksp[k], b, x, &code));
    PetscCall(CheckTrue((PetscBool)(code == PETSC_ERR_USER), "the monitor's error"));
    on = PETSC_FALSE;
    PetscCall(KSPSolve(ksp[k], b, y[k]));
  }
  PetscCall(Same(y[0], y[1], PETSC_SQRT_MACHINE_EPSILON, "the next solution"));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a device: a call fails; the solve is an error where it has to be, and the next one is right */
static PetscErrorCode CallFails(const char options[], int *which, int after, PetscBool error)
{
  Mat            A;
  KSP            ksp[2];
  Vec            b, y[2];
  PetscErrorCode code = PETSC_SUCCESS;
  PetscBool      met;

  PetscFunctionBeginUser;
  PetscCall(Where(&system_, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &A));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(CheckVecFill(b, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &y[k]));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    if (!k) *which = after;
    PetscCall(TrySolve(ksp[k], b, y[k], &code));
    met    = (PetscBool)(*which == -1);
    *which = -1;
    if (!k) PetscCall(CheckTrue(met, "the call that is to fail was made"));
    if (!k) PetscCall(CheckTrue((PetscBool)((code != PETSC_SUCCESS) == error), error ? "an error" : "no error"));
    if (code) PetscCall(VecSet(y[k], 0.0));
    if (code) PetscCall(KSPSolve(ksp[k], b, y[k]));
  }
  PetscCall(Same(y[0], y[1], PETSC_SQRT_MACHINE_EPSILON, "the solution"));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Failures(void)
{
  PetscBool   cuda = PETSC_FALSE, bdiagh = PETSC_FALSE;
  PetscMPIInt size;
  char        type[64] = "";

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_cuda", &cuda, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  PetscCall(PetscStrcmp(type, "bdiagh", &bdiagh));
  if (TwinIs(KSPCG)) {
    PetscCall(NotConverged("-pc_type jacobi"));
    PetscCall(NotConverged("-pc_type none"));
    PetscCall(NotConverged("-pc_type jacobi -ksp_fused_fold yes"));
    PetscCall(NotConverged("-pc_type jacobi -ksp_fused_fold yes -ksp_norm_type natural"));
  }
  PetscCall(MonitorFails("-pc_type jacobi"));
  PetscCall(MonitorFails("-pc_type jacobi -ksp_fused_fold yes"));
  PetscCall(MonitorFails("-pc_type bjacobi"));
  if (!cuda || size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int after = 0; after < 6; after++) PetscCall(CallFails("-pc_type jacobi", &fail.pinned, after, PETSC_TRUE));
  for (int after = 0; after < 12; after += 3) PetscCall(CallFails("-pc_type none -ksp_fused_mode graph", &fail.launch, after, PETSC_TRUE));
  if (bdiagh && !TwinIs(KSPBICG)) {
    PetscCall(CallFails("-pc_type none -ksp_fused_mode auto", &fail.cooperative, 0, PETSC_FALSE));
    PetscCall(CallFails("-pc_type jacobi -ksp_fused_mode auto", &fail.cooperative, 0, PETSC_FALSE));
    PetscCall(CallFails("-pc_type jacobi -ksp_fused_mode persistent -ksp_fused_check_interval 5", &fail.cooperative, 1, PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(Failures));
  return CompareFinish("failure");
}

/*TEST

  testset:
    output_file: output/failure.out
    args: -options_left 0
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

TEST*/

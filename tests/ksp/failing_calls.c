static char help[] = "Calls of the CUDA run time that fail during a solve: it is an error or goes on in another mode, and the next solve is right.\n";

#define _GNU_SOURCE
#include "common/try.h"
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

/* The solution of a solve in which a call failed is as good as the twin's */
static PetscErrorCode CheckSolution(KSP ksp[2], Vec b, Vec x)
{
  static Result r;
  Twins         p = {
            .ksp = {ksp[0], ksp[1]},
              .solve = KSPSolve, .b = b
  };
  PetscReal norm[2][2];

  PetscFunctionBeginUser;
  PetscCall(ResultSolve(ksp[1], PETSC_TRUE, KSPSolve, b, NULL, &r));
  PetscCall(TwinsReference(&p, &system_, 1));
  PetscCall(TrueNorms(&p, x, norm[0]));
  PetscCall(TrueNorms(&p, r.x, norm[1]));
  PetscCall(CheckTrue(norm[0][1] <= 10 * norm[1][1], "the solution"));
  PetscCall(MatDestroy(&p.R));
  PetscCall(ResultDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A call fails; the solve is an error where it has to be, and the next one is right */
static PetscErrorCode CallFails(const char options[], int *which, int after, PetscBool error)
{
  Mat            A;
  KSP            ksp[2];
  Vec            b, x;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(&system_, options));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &A));
  PetscCall(CheckVecs(A, &b, 5, &x, 0));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  *which = after;
  PetscCall(TrySolve(ksp[0], b, x, &code));
  PetscCall(CheckTrue(*which == -1, "the call that is to fail was made"));
  *which = -1;
  PetscCall(CheckTrue((code != PETSC_SUCCESS) == error, error ? "an error" : "no error"));
  if (!code) PetscCall(CheckSolution(ksp, b, x));
  PetscCall(ComparePair(&system_, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x, &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Failures(void)
{
  char      type[64] = "";
  PetscBool bdiagh   = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  PetscCall(PetscStrcmp(type, "bdiagh", &bdiagh));
  for (int after = 0; after < 6; after++) PetscCall(CallFails("-pc_type jacobi", &fail.pinned, after, PETSC_TRUE));
  for (int after = 0; after < 12; after += 3) PetscCall(CallFails("-pc_type none -ksp_fused_mode graph", &fail.launch, after, PETSC_TRUE));
  if (bdiagh && !TwinIs(KSPBICG)) {
    PetscCall(CallFails("-pc_type none -ksp_fused_mode auto", &fail.cooperative, 0, PETSC_FALSE));
    PetscCall(CallFails("-pc_type jacobi -ksp_fused_mode auto", &fail.cooperative, 0, PETSC_FALSE));
    PetscCall(CallFails("-pc_type jacobi -ksp_fused_mode persistent -ksp_fused_check_interval 5", &fail.cooperative, 1, PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Failures, CompareSmall, "failing_calls", 10000)

/*TEST
  test:
    suffix: cuda
    requires: cuda
    args: -mat_type {{bdiagh sellp}} -options_left 0 -expect_cuda
    output_file: output/failing_calls.out
TEST*/

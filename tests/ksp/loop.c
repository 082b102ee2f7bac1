static char help[] = "What an iteration costs besides arithmetic: many iterations more make no allocation and no copy but the few scalars the host looks at.\n";

#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "common/cuda_calls.h"
#include "common/compare.h"
#include "common/view.h"

#define INTERVAL 10 /* iterations between two looks */
#define LOOKS    (SOLVE_MORE / INTERVAL)

typedef struct {
  CudaCalls      cuda;
  PetscLogDouble peak;            /* of PetscMalloc() during the solve, over what there was before */
  PetscLogDouble up, down, bytes; /* PETSc's own counters of copies to the device and back */
} Cost;

static PetscErrorCode Copies(Cost *c, int sign)
{
#if PetscDefined(HAVE_DEVICE)
  PetscLogEvent      event;
  PetscEventPerfInfo info;
#endif

  PetscFunctionBeginUser;
#if PetscDefined(HAVE_DEVICE)
  PetscCall(PetscLogEventGetId("KSPSolve", &event));
  PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
  c->up += sign * info.CpuToGpuCount;
  c->down += sign * info.GpuToCpuCount;
  c->bytes += sign * (info.CpuToGpuSize + info.GpuToCpuSize);
#else
  (void)c, (void)sign;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(KSP ksp, Vec b, Vec x, PetscInt its, Cost *c)
{
  PetscLogDouble before;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, its));
  PetscCall(Copies(c, -1));
  PetscCall(PetscMallocGetCurrentUsage(&before));
  PetscCall(PetscMallocPushMaximumUsage(0));
  cuda_calls = c->cuda;
  PetscCall(KSPSolve(ksp, b, x));
  c->cuda = cuda_calls;
  PetscCall(PetscMallocPopMaximumUsage(0, &c->peak));
  c->peak -= before;
  PetscCall(Copies(c, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckLoop(const System *s, Mat A, Vec b, const char options[])
{
  static Plan plan;
  Cost        c[2];
  KSP         ksp;
  Vec         x;
  PetscBool   device, graph, persistent;
  long        kernels;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(s, options));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
  for (int k = 0; k < 4; k++) PetscCall(Measure(ksp, b, x, k % 2 ? SOLVE_LONG : SOLVE_SHORT, &c[k % 2])); /* the first two set up */
  PetscCall(Look(ksp, &plan));
  PetscCall(CheckTrue(plan.fused && plan.its == SOLVE_LONG, "fused"));
  PetscCall(CheckTrue(c[1].peak == c[0].peak, "memory on the host"));
  PetscCall(CheckTrue(c[1].cuda.allocations == c[0].cuda.allocations, "allocations of the CUDA run time"));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(CheckTrue(!device || c[1].cuda.kernels + c[1].cuda.graphs > 0, "calls of the CUDA run time are counted"));
  if (device) {
    PetscCall(PetscStrcmp(plan.mode, "graph", &graph));
    PetscCall(PetscStrcmp(plan.mode, "persistent", &persistent));
    kernels = c[1].cuda.kernels - c[0].cuda.kernels;
    PetscCall(CheckTrue(plan.interval == INTERVAL || persistent, "the interval asked for"));
    /* at each look the scalars and one or two pieces of the history, and what goes up to begin with */
    PetscCall(CheckTrue(c[1].cuda.copies - c[0].cuda.copies <= 3 * LOOKS + 3, "copies"));
    PetscCall(CheckTrue(c[1].cuda.bytes - c[0].cuda.bytes <= 1024.0 * (LOOKS + 1) + 8 * SOLVE_MORE, "bytes copied"));
    PetscCall(CheckTrue(c[1].up - c[0].up <= 1 && c[1].down - c[0].down <= 2 * LOOKS + 2, "copies by PETSc's log"));
    PetscCall(CheckTrue(c[1].bytes - c[0].bytes <= 1024.0 * (LOOKS + 1) + 8 * SOLVE_MORE, "bytes copied by PETSc's log"));
    PetscCall(CheckTrue(c[1].cuda.waits - c[0].cuda.waits <= LOOKS + 1, "waits for a stream, an event or the device"));
    if (graph) PetscCall(CheckTrue(kernels == 0 && PetscAbsInt(c[1].cuda.graphs - c[0].cuda.graphs - LOOKS) <= 1, "a graph for each interval"));
    else if (persistent) PetscCall(CheckTrue(kernels <= LOOKS + 1, "launches of a persistent kernel"));
    else PetscCall(CheckTrue(kernels >= SOLVE_MORE * plan.launches && kernels <= (SOLVE_MORE + INTERVAL) * plan.launches, "kernels: as the budget says"));
  }
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a solver allocates until it has solved once: at most two vectors more than its twin, and some scalars */
static PetscErrorCode CheckMemory(const System *s, Mat A, Vec b)
{
  PetscLogDouble before, after, host[2];
  double         device[2];
  PetscInt       n;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "memory"));
  PetscCall(OptionsSwitch("-pc_type none -ksp_max_it 3", PETSC_TRUE));
  PetscCall(VecGetLocalSize(b, &n));
  for (int k = 0; k < 4; k++) { /* the first two bring to the device what stays there */
    KSP ksp;
    Vec x;

    PetscCall(VecDuplicate(b, &x));
    PetscCall(VecSet(x, 0.0));
    PetscCall(PetscMallocGetCurrentUsage(&before));
    cuda_calls.device = 0;
    PetscCall(SolverCreate(A, A, k % 2 ? compare_twin : compare_type, &ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscMallocGetCurrentUsage(&after));
    host[k % 2]   = after - before;
    device[k % 2] = cuda_calls.device;
    PetscCall(CheckDestroy(&ksp, &x));
  }
  PetscCall(CheckTrue(host[0] > 0 && host[0] - host[1] <= 2.0 * (double)n * sizeof(PetscScalar) + 65536, "memory on the host"));
  PetscCall(CheckTrue(device[0] - device[1] <= 2.0 * (double)n * sizeof(PetscScalar) + 524288, "memory on the device"));
  PetscCall(OptionsSwitch("-pc_type none -ksp_max_it 3", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Loop(void)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none -ksp_fused_wait blocking"};
  System            s         = {.kind = "grid", .cells = 400, .bs = 3, .seed = 20, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  for (int large = 0; large < 2; large++) {
    Mat A;
    Vec b;

    if (large) s.cells = 40000;
    PetscCall(SystemWithSide(&s, &A, &b));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options) && !large; k++) PetscCall(CheckLoop(&s, A, b, options[k]));
    if (large) PetscCall(CheckMemory(&s, A, b));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(CompareEach(Loop, CompareSmall));
  return CompareFinish("loop", 20);
}

/*TEST
  testset:
    output_file: output/loop.out
    args: -ksp_fused_check_interval 10
    test:
      suffix: 1
      comments: quick
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: chebyshev
      args: -type fusedchebyshev
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -type fusedchebyshev -mode kernels,graph -expect_cuda
TEST*/

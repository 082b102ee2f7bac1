static char help[] =
  "Chebyshev iteration, fused, against PETSc's: bounds given and estimated, guesses, norms and none; without norms no sum, no wait and a launch for each iteration.\n";

#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "common/cuda_calls.h"
#include "common/compare.h"
#include "common/view.h"
#include <math.h>

#define BOUNDS "-ksp_chebyshev_esteig 0,0.05,0,1.05 "

static const char *const pcs[] = {"-pc_type none", "-pc_type jacobi", "-pc_type pbjacobi", "-pc_type bjacobi -sub_pc_type ilu"};

/* Whole solves to a loose tolerance, and smoothers of five iterations, of which one, two and three are compared too */
static const char *const solves[] = {
  BOUNDS "-ksp_rtol 1e-3",
  BOUNDS "-ksp_rtol 1e-3 -ksp_norm_type unpreconditioned",
  "-ksp_norm_type none -ksp_max_it 5",
};

/* The guess of the cases with one */
static PetscErrorCode CompareOptions(const System *s, Mat A, Vec b, Vec guess, const char options[])
{
  return CompareSolver(s, A, A, b, guess, options, KSPSolve, NULL, NULL);
}

static PetscErrorCode Methods(const System *s, Mat A, Vec b)
{
  Vec               guess;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(CheckVecLike(b, 7, &guess));
  for (size_t p = size > 2 ? 2 : 0; p < (size > 2 ? 3 : PETSC_STATIC_ARRAY_LENGTH(pcs)); p++) /* processes that share a core take turns, milliseconds each */
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(solves); k++)
      for (int g = 0; g < 2; g++) {
        if ((k == 1 && g) || (size > 2 && k < 2 && k + g > 0)) continue;
        PetscCall(CompareOptions(s, A, b, g ? guess : NULL, CheckText("%s %s%s", pcs[p], solves[k], g ? " -ksp_initial_guess_nonzero" : "")));
      }
  PetscCall(VecDestroy(&guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the bounds are given, what ends a solve, and what PETSc's own loop does */
static PetscErrorCode Settings(const System *s, Mat A, Vec b)
{
  static const char *const options[] = {
    "-ksp_chebyshev_eigenvalues 0.1,2.2 -ksp_rtol 1e-3",
    "-ksp_chebyshev_eigenvalues 0.1,2.2 -ksp_norm_type none -ksp_max_it 4",
    "-ksp_chebyshev_esteig_noisy 0 -ksp_norm_type none -ksp_max_it 3",
    "-ksp_chebyshev_esteig_steps 5 -esteig_ksp_type cg -ksp_norm_type none -ksp_max_it 2",
    BOUNDS "-ksp_max_it 7",
    BOUNDS "-ksp_max_it 7 -ksp_converged_maxits",
    BOUNDS "-ksp_max_it 0",
    BOUNDS "-ksp_max_it 1",
    BOUNDS "-ksp_norm_type none -ksp_max_it 0",
    BOUNDS "-ksp_min_it 12 -ksp_rtol 1e-1",
    BOUNDS "-ksp_check_norm_iteration 3 -ksp_rtol 1e-1",
    BOUNDS "-ksp_convergence_test skip -ksp_max_it 9",
    BOUNDS "-ksp_atol 1e3",
    "-ksp_chebyshev_eigenvalues 0.1,0.5 -ksp_max_it 400", /* diverges */
    "-ksp_chebyshev_kind fourth -ksp_norm_type none -ksp_max_it 3",
    "-ksp_chebyshev_kind opt_fourth -ksp_max_it 6",
    "-ksp_pc_side right -ksp_norm_type none -ksp_max_it 4",
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) {
    PetscCall(CompareOptions(s, A, b, NULL, CheckText("-pc_type jacobi %s", options[k])));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two and six iterations of a smoother: the four more are as many launches, of which the bytes are counted by hand, and no sum; the host waits for none and copies nothing */
static PetscErrorCode Smoother(const System *s, Mat A, Vec b)
{
  static Plan       p[2];
  CudaCalls         calls[2];
  const double      vectors[] = {4, 4, 4}; /* p, the one before, b, and what is written; with the matrix's own diagonal or blocks nothing else */
  PetscBool         device, bdiagh, sellp;
  const PetscMPIInt size = CheckProcesses();
  MatType           type;
  Vec               x;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrendswith(type, "bdiagh", &bdiagh));
  PetscCall(PetscStrendswith(type, "sellp", &sellp));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 3; k++) {
    KSP    ksp;
    double inverse = k == 1 && !(device && bdiagh) ? 1 : k == 2 && sellp && !device ? (double)s->bs : 0;

    PetscCall(WhereWith(s, pcs[k]));
    PetscCall(SolverCreate(A, A, compare_type, &ksp));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    for (int t = 0; t < 4; t++) { /* the first two set up */
      PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, t % 2 ? 6 : 2));
      PetscCall(PetscMemzero(&cuda_calls, sizeof(cuda_calls)));
      PetscCall(KSPSolve(ksp, b, x));
      calls[t % 2] = cuda_calls;
      PetscCall(Look(ksp, &p[t % 2]));
    }
    PetscCall(CheckTrue(p[1].fused && p[1].its == 6 && p[0].its == 2, "a fused solve without norms"));
    PetscCall(CheckTrue(p[1].reductions == 0 && p[1].all_reductions == 0, "no sums"));
    PetscCall(CheckTrue(p[1].waits == 0 && p[1].all_waits == 0, "no waits"));
    if (size == 1 && (bdiagh || sellp)) {
      const double matrix = p[1].bytes - sizeof(PetscScalar) * (vectors[k] + inverse), grid = 7. * (double)s->bs * sizeof(PetscScalar);

      PetscCall(CheckTrue(p[1].kernels == 1 && p[1].launches == 1 && p[1].all_launches == 6, "a launch for each iteration"));
      PetscCall(CheckTrue(bdiagh ? fabs(matrix - grid) < 0.01 : matrix > 0.7 * grid && matrix < 1.5 * grid,
                          CheckText("%g bytes per row, of these %g of the matrix", p[1].bytes, matrix)));
    }
    if (device && size == 1 && (bdiagh || sellp)) {
      PetscCall(CheckTrue(calls[1].waits == calls[0].waits, "waits for a stream, an event or the device"));
      PetscCall(CheckTrue(calls[1].copies == calls[0].copies && calls[1].allocations == calls[0].allocations, "copies and allocations"));
      PetscCall(CheckTrue(calls[1].kernels - calls[0].kernels == 4, "kernels"));
    }
    PetscCall(KSPDestroy(&ksp));
    PetscCall(OptionsSwitch(pcs[k], PETSC_FALSE));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients of PETSc's loop grow until they are no numbers. The KSP holds the solution then too, and not a work vector that it would destroy twice. */
static PetscErrorCode Overflow(const System *s, Mat A, Vec b)
{
  const char *const  options = "-grow_ksp_fused_mode twin -grow_pc_type jacobi -grow_ksp_chebyshev_eigenvalues 0.2,2 -grow_ksp_rtol 0 -grow_ksp_max_it 3000";
  KSPConvergedReason reason;
  KSP                ksp;
  Vec                x, held;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(s, options));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "grow_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, compare_type));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(CheckKSPSolve(ksp, b, x, NULL, &reason));
  PetscCall(KSPGetSolution(ksp, &held));
  PetscCall(CheckTrue(reason == KSP_DIVERGED_NANORINF, "PETSc's loop ends without a number"));
  PetscCall(CheckTrue(held == x, "the KSP holds the solution"));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Chebyshev(void)
{
  PetscInt  cells[8] = {1, 32, 65}, bs[8] = {1, 3, 8}, splits[3] = {0}, ncells = 8, nbs = 8, nsplits = 3;
  PetscBool given, given_bs, given_split;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, &given));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, &given_bs));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-split", splits, &nsplits, &given_split));
  if (!given) ncells = 3;
  if (!given_bs) nbs = 3;
  if (!given_split) nsplits = 1;
  for (PetscInt c = 0; c < ncells; c++)
    for (PetscInt b = 0; b < nbs; b++)
      for (PetscInt p = 0; p < nsplits; p++) {
        const System s = {.kind = "grid", .cells = cells[c], .bs = bs[b], .split = splits[p], .seed = 1 + c, .symmetric = PETSC_TRUE};

        PetscCall(SystemUse(&s, Methods));
      }
  if (!given) {
    const System s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 16, .symmetric = PETSC_TRUE};

    PetscCall(SystemUse(&s, Settings));
    PetscCall(SystemUse(&s, Smoother));
    PetscCall(SystemUse(&s, Overflow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Chebyshev, CompareSmall, "chebyshev", 5000)

/*TEST
  testset:
    output_file: output/chebyshev.out
    args: -type fusedchebyshev
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: 4
      nsize: 4
      args: -cells 65 -bs 3 -split 1 -rejects 0
    # ranks without rows
    test:
      suffix: empty
      comments: quick
      nsize: 2
      args: -cells 1,2 -bs 1,5 -split 1,2 -rejects 0
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -mode kernels,graph -expect_cuda
    test:
      suffix: 2_cuda
      nsize: 2
      requires: cuda
      args: -cells 65 -bs 3 -split 0,1 -expect_cuda -heptane_test_comm_check -heptane_comm {{mpi peer}}
TEST*/

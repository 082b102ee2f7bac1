static char help[] =
  "A preconditioner folded into a copy of the matrix: where it is done and where not, what an iteration moves less, and that the copy is kept.\n";

#include "common/cuda_calls.h"
#include "common/compare.h"
#include "common/view.h"

#define CG   1
#define BCGS 2
#define BICG 4
#define ALL  7

static const struct {
  int         methods;
  PetscInt    bs;
  const char *kind, *options;
  PetscBool   monitor;      /* of the user's, who may look at the iterate */
  const char *text;         /* in the view */
  double      host, device; /* bytes per row that an iteration moves less than with -ksp_fused_fold no, in double precision */
} cases[] = {
  {CG,        1, "grid",        "-pc_type jacobi",                                                              PETSC_FALSE, "folded: half of the preconditioner from either side",  32,  32 },
  {CG,        1, "grid",        "-pc_type jacobi -ksp_norm_type unpreconditioned",                              PETSC_FALSE, "norm of r / S, sums (r, r)",                           32,  32 },
  {CG,        1, "grid",        "-pc_type jacobi -ksp_norm_type natural",                                       PETSC_FALSE, "residual: r -= a w, sums (r, r)",                      40,  40 },
  {CG,        3, "grid",        "-pc_type jacobi",                                                              PETSC_FALSE, "product: w = S A S p",                                 0,   0  },
  {CG,        1, "alternating", "-pc_type jacobi",                                                              PETSC_FALSE, "not folded: the diagonal of the preconditioner",       0,   0  },
  {CG,        1, "grid",        "-pc_type jacobi",                                                              PETSC_TRUE,  "not folded: a monitor or convergence test",            0,   0  },
  {CG,        3, "grid",        "-pc_type pbjacobi",                                                            PETSC_FALSE, "not folded: point blocks: CG would need",              0,   0  },
  {BCGS,      1, "grid",        "-pc_type jacobi",                                                              PETSC_FALSE, "product: v = (D A) p",                                 32,  16 },
  {BCGS,      1, "grid",        "-pc_type jacobi",                                                              PETSC_TRUE,  "folded: the preconditioner in a copy",                 32,  16 },
  {BCGS,      1, "alternating", "-pc_type jacobi",                                                              PETSC_FALSE, "folded: the preconditioner in a copy",                 32,  16 },
  {BCGS,      1, "grid",        "-pc_type jacobi -ksp_pc_side right",                                           PETSC_FALSE, "product: v = (A D) p",                                 80,  96 },
  {BCGS,      3, "grid",        "-pc_type pbjacobi",                                                            PETSC_FALSE, "product: v = (B A) p",                                 48,  48 },
  {BCGS,      8, "grid",        "-pc_type pbjacobi",                                                            PETSC_FALSE, "product: v = (B A) p",                                 128, 128},
  {BCGS,      3, "grid",        "-pc_type pbjacobi -ksp_pc_side right",                                         PETSC_FALSE, "product: v = (A B) p",                                 144, 160},
  {BCGS,      3, "grid",        "-pc_type pbjacobi -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1", PETSC_FALSE, "product: v = (B A) p",                                 48,  48 },
  {BCGS,      3, "partial",     "-pc_type pbjacobi -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1", PETSC_FALSE, "that are not whole blocks",                            0,   0  },
  {BCGS,      1, "grid",        "-pc_type jacobi -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1",   PETSC_FALSE, "folded: the preconditioner in a copy",                 32,  16 },
  {BCGS,      1, "grid",        "-pc_type jacobi -mat_sellp_long_row 2",                                        PETSC_FALSE, "not folded: rows are stored in the remainder",         0,   0  },
  {BCGS,      3, "grid",        "-pc_type pbjacobi -mat_sellp_index 32 -mat_sellp_sort_window 256",             PETSC_FALSE, "product: v = (B A) p",                                 48,  48 },
  {BICG,      1, "grid",        "-pc_type jacobi",                                                              PETSC_FALSE, "not folded: the method multiplies with the transpose", 0,   0  },
  {ALL,       1, "grid",        "-pc_type bjacobi -sub_pc_type jacobi",                                         PETSC_FALSE, "not folded: the preconditioner is called",             0,   0  },
  {CG | BCGS, 1, "grid",        "-pc_type jacobi -ksp_fused_fold_after 3",                                      PETSC_FALSE, "from iteration 3 on",                                  -1,  -1 },
  {CG | BCGS, 1, "grid",        "-pc_type jacobi -ksp_fused_fold_after 400",                                    PETSC_FALSE, "not folded: it pays from iteration 400 on",            -1,  -1 },
  {CG | BCGS, 1, "grid",        "-pc_type jacobi -ksp_fused_fold_after -1",                                     PETSC_FALSE, "not folded: it pays from iteration",                   -1,  -1 },
};

static PetscErrorCode Monitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)it, (void)norm, (void)ctx;
  return PETSC_SUCCESS;
}

/* A solve with these options and with `fold`, and what the view says of it */
static PetscErrorCode View(Mat A, Vec b, const char fold[], const char options[], PetscBool monitor, Plan *p)
{
  KSP ksp;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(fold, PETSC_TRUE));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  if (monitor) PetscCall(KSPMonitorSet(ksp, Monitor, NULL, NULL));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Look(ksp, p));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscCall(OptionsSwitch(fold, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckCase(size_t k)
{
  const System      s    = {.kind = cases[k].kind, .cells = 128, /* whole slices */ .bs = cases[k].bs, .seed = 5, .symmetric = TwinIs(KSPCG)};
  const char       *text = cases[k].text;
  static Plan       p[2];
  double            less;
  PetscBool         bdiagh, sellp, device;
  const PetscMPIInt size = CheckProcesses();
  VecType           type;
  MatType           format;
  Mat               A;
  Vec               b;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(cases[k].options, PETSC_TRUE)); /* the matrix has some of them */
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(OptionsSwitch(cases[k].options, PETSC_FALSE));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  PetscCall(VecGetType(b, &type));
  PetscCall(PetscStrendswith(type, "cuda", &device));
  PetscCall(MatGetType(A, &format));
  PetscCall(PetscStrendswith(format, "bdiagh", &bdiagh));
  PetscCall(PetscStrendswith(format, "sellp", &sellp));
  PetscCall(Where(&s, cases[k].options));
  if ((strstr(cases[k].options, "-mat_bdiagh") && !bdiagh) || (strstr(cases[k].options, "-mat_sellp") && !sellp)) { /* of another type */
    PetscCall(SystemDestroy(&A, &b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(View(A, b, cases[k].host < 0 ? "" : "-ksp_fused_fold yes", cases[k].options, cases[k].monitor, &p[0]));
  PetscCall(View(A, b, "-ksp_fused_fold no", cases[k].options, cases[k].monitor, &p[1]));
  if ((!bdiagh && !sellp) || (size > 1 && device)) text = strstr(text, "is called") ? text : "not folded: ";
  PetscCall(CheckTrue(strstr(p[0].text, text) != NULL, CheckText("the view says \"%s\"", text)));
  PetscCall(CheckTrue(!strstr(p[1].text, "folded: "), "nothing of it with -ksp_fused_fold no"));
  less = device && bdiagh ? cases[k].device : cases[k].host;
  if ((bdiagh || sellp) && size == 1 && less >= 0) {
    less *= (double)sizeof(PetscScalar) / 8;
    if ((cases[k].methods & CG) && less > 0) {
      /* in single precision the entries of these systems are the same as those opposite up to rounding alone */
      const PetscBool upper = (PetscBool)(bdiagh && PetscDefined(USE_REAL_DOUBLE));

      PetscCall(
        CheckTrue(upper == (PetscBool)(strstr(p[0].text, "in a copy of the upper half of the matrix") != NULL), "the upper half of a symmetric matrix"));
      if (!upper) less -= 24. * (double)sizeof(PetscScalar) / 8; /* the copy has both halves */
    }
    if (sellp && !device && strstr(cases[k].text, "(B A)")) less *= 2; /* its host product without folding reads the diagonal blocks and the inverses */
    if (sellp && less > 0) less -= (cases[k].methods & CG ? 2. : 4.) / cases[k].bs;  /* which block each cell leaves out, in each product */
    if (sellp && device && less > 0) less = PetscMax(less, p[1].bytes - p[0].bytes); /* at least */
    PetscCall(CheckTrue(PetscAbsReal((PetscReal)(p[1].bytes - p[0].bytes - less)) < 0.01,
                        CheckText("%g bytes per row, without %g, %g less expected", p[0].bytes, p[1].bytes, less)));
  }
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device new values of one pattern are folded into the memory that is there, and a solve with nothing new does not fold */
static PetscErrorCode CheckKept(const char options[])
{
  const System s = {.kind = "grid", .cells = 500, .bs = 3, .seed = 6, .symmetric = TwinIs(KSPCG)};
  Mat          A;
  Vec          b, x;
  KSP          ksp;
  CudaCalls    before, solve[2];
  VecType      type;
  PetscBool    device;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(&s, options));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(CheckVecs(A, &b, 5, &x, 0));
  PetscCall(VecGetType(b, &type));
  PetscCall(PetscStrendswith(type, "cuda", &device));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 6));
  for (int k = 0; k < 5; k++) { /* three to get going, one with nothing new, one with new values */
    if (k == 2 || k == 4) PetscCall(MatScale(A, 0.5));
    before = cuda_calls;
    PetscCall(KSPSolve(ksp, b, x));
    if (k < 3) continue;
    solve[k - 3].kernels     = cuda_calls.kernels - before.kernels;
    solve[k - 3].allocations = cuda_calls.allocations - before.allocations;
  }
  PetscCall(CheckTrue(solve[0].allocations == 0 && solve[1].allocations == 0, "no memory is taken or given back"));
  PetscCall(CheckTrue((solve[0].kernels < solve[1].kernels) == device, "more kernels with new values alone"));
  PetscCall(CheckDestroy(&ksp, &x, &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With several unknowns per cell only the copy has a persistent kernel: a small matrix is folded early for it */
static PetscErrorCode CheckForPersistent(void)
{
  const System s       = {.kind = "grid", .cells = 5000, .bs = 3, .seed = 7}; /* planes far enough apart for such a kernel */
  const char  *modes[] = {"-ksp_fused_mode auto", "-ksp_fused_mode graph"};
  static Plan  p;
  PetscBool    bdiagh;
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, "seqbdiagh", &bdiagh));
  for (int k = 0; k < 2 && PetscDefined(USE_REAL_DOUBLE); k++) {
    PetscCall(WhereWith(&s, modes[k]));
    PetscCall(View(A, b, "-ksp_fused_fold auto", "-pc_type pbjacobi", PETSC_FALSE, &p));
    PetscCall(OptionsSwitch(modes[k], PETSC_FALSE));
    PetscCall(CheckTrue((strstr(p.text, "from iteration 4 on") != NULL) == (bdiagh && k == 0 && CheckOption("-expect_cuda")), "folded early"));
  }
  PetscCall(OptionsSwitch(compare_mode, PETSC_TRUE));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Folds(void)
{
  const int method = TwinIs(KSPCG) ? CG : (TwinIs(KSPBCGS) ? BCGS : BICG);

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++)
    if (cases[k].methods & method) PetscCall(CheckCase(k));
  PetscCall(CheckKept(method == BCGS ? "-pc_type pbjacobi -ksp_fused_fold yes" : "-pc_type jacobi -ksp_fused_fold yes"));
  if (method == BCGS) PetscCall(CheckForPersistent());
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Folds, CompareSmall, "fold", 30)

/*TEST
  testset:
    output_file: output/fold.out
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type bdiagh -heptane_groups 2
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -mode kernels,graph -expect_cuda

  # for compute-sanitizer: few iterations; the view says that CG has the upper half of the matrix
  testset:
    args: -type fusedcg -mode kernels -ksp_max_it 5 -rejects 0
    output_file: output/fold.out
    test:
      suffix: small
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda
TEST*/

static char help[] =
  "Mixed precision with systems that are hard for it: conditions up to 1e12, numbers that single precision has no room for, ill-conditioned blocks, indefinite matrices.\n";

#include "common/compare.h"
#include "common/hard.h"

/* What a solve has to end with, whatever it is made of: the reason of the twin in double precision, and a residual as small as is asked for, or as the twin's */
static PetscErrorCode CheckHardEnd(KSP twin, Mat R, Vec b, const Result *f, const Result *t, const Plan *p)
{
  const PetscBool left = (PetscBool)(strstr(p->text, "precision: double") || strstr(p->text, "on in double precision"));
  PetscReal       rtol, size, norm, of_twin;

  PetscFunctionBeginUser;
  /* whether and how BiCGStab fails where the twin does not converge, and which tolerance a residual of zero meets, is a matter of rounding */
  PetscCall(CheckTrue(f->reason == t->reason || (f->reason > 0 && t->reason > 0) || (!TwinIs(KSPCG) && t->reason < 0),
                      CheckText("%s after %" PetscInt_FMT ", the twin %s after %" PetscInt_FMT "\n%s", KSPConvergedReasons[f->reason], f->its,
                                KSPConvergedReasons[t->reason], t->its, p->text)));
  if (f->reason < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetTolerances(twin, &rtol, NULL, NULL, NULL));
  PetscCall(MethodNorm(twin, KSPSolve, b, &size));
  PetscCall(LongResidual(twin, R, b, f->x, &norm));
  PetscCall(LongResidual(twin, R, b, t->x, &of_twin));
  const char *const text = CheckText("true residual %g, the twin's %g, reported %g, first %g", (double)norm, (double)of_twin, (double)f->rnorm, (double)size);
  PetscCall(CheckTrue(norm <= PetscMax(1.001 * rtol * size, t->reason > 0 ? 10 * of_twin : left ? 100 * rtol * size : 0), text));
  if (!left) PetscCall(CheckTrue(norm <= 1.1 * rtol * size, "mixed precision alone: the true residual is what is asked for"));
  result_values += 3;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* says: what the view has to say, one of several between bars; NULL: anything */
static PetscErrorCode SolveHard(Mat A, Vec b, const char options[], const char says[])
{
  static Result r[2];
  static Plan   p;
  char        **wanted;
  PetscBool     said = (PetscBool)!says;
  int           n    = 0;
  KSP           twin;
  Mat           R;
  char          all[256];

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(PetscSNPrintf(all, sizeof(all), MIXED "%s -ksp_max_it 4000", options));
  PetscCall(TwinSolve(R, b, NULL, all + sizeof(MIXED) - 1, &twin, &r[1]));
  PetscCall(MixedSolve(A, b, NULL, all, &r[0], &p));
  PetscCall(CheckHardEnd(twin, R, b, &r[0], &r[1], &p));
  if (says) PetscCall(PetscStrToArray(says, '|', &n, &wanted));
  for (int k = 0; k < n; k++) said = (PetscBool)(said || strstr(p.text, wanted[k]));
  if (says) PetscCall(PetscStrToArrayDestroy(n, wanted));
  PetscCall(CheckTrue(said, p.text));
  for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
  PetscCall(CheckDestroy(&twin, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetric positive definite, of a known condition. x is of order one, so that a small residual can be had. From 1e9 on a matrix that is rounded need not be definite. */
static PetscErrorCode CheckConditions(void)
{
  static const char *const options[] = {"-pc_type none -ksp_rtol 1e-12", "-pc_type jacobi -ksp_rtol 1e-12"};

  PetscFunctionBeginUser;
  for (int digits = 0; digits <= (TwinIs(KSPCG) ? 12 : 6); digits += 2) /* from 1e8 on BiCGStab takes 1000 to 20000 iterations in any precision, or none help */
    for (size_t o = 0; o < PETSC_STATIC_ARRAY_LENGTH(options); o++) {
      const char *says = digits <= 4 ? "precision: mixed, " : NULL;
      Mat         A;
      Vec         b;

      const char *const what = CheckText("condition 1e%d, %s", digits, options[o]);
      PetscCall(HardWhere(what));
      PetscCall(HardDense(32, PetscPowReal(10, digits), &A));
      PetscCall(HardRhs(A, &b));
      PetscCall(SolveHard(A, b, options[o], digits >= 10 && TwinIs(KSPCG) ? "on in double precision: " : says));
      PetscCall(SystemDestroy(&A, &b));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One system of modest condition, its numbers changed: an entry of the diagonal, all of the matrix, the right-hand side */
static const struct {
  const char *what, *options;
  PetscReal   entry, all, rhs;
  const char *says;
} numbers[] = {
  {"nothing",                        "-pc_type none",   1,        1,     1,     "precision: mixed, "                                           },
  {"one entry above 1e38",           "-pc_type none",   1e39,     1,     1,     "out of the range of single precision"                         },
  {"one entry no number",            "-pc_type none",   NAN,      1,     1,     "out of the range of single precision|residual"                },
  {"one entry no number",            "-pc_type jacobi", NAN,      1,     1,     NULL                                                           },
  {"one entry infinite",             "-pc_type none",   INFINITY, 1,     1,     NULL                                                           },
  {"all entries above 1e38",         "-pc_type none",   1,        1e42,  1e20,  "out of the range of single precision"                         },
  {"all entries above 1e38, scaled", "-pc_type jacobi", 1,        1e42,  1,     "out of the range of single precision|mixed, "                 },
  {"all entries zero once rounded",  "-pc_type none",   1,        1e-46, 1e-20, "out of the range of single precision"                         },
  {"all entries small, scaled",      "-pc_type jacobi", 1,        1e-46, 1,     "out of the range of single precision|on in double precision: "},
  {"a solution above 1e38",          "-pc_type none",   1,        1e-29, 1e12,  "out of the range of single precision|on in double precision: "},
  {"a right-hand side above 1e38",   "-pc_type none",   1,        1,     1e39,  "out of the range of single precision"                         },
  {"a right-hand side below 1e-38",  "-pc_type none",   1,        1,     1e-39, "out of the range of single precision"                         },
  {"no right-hand side",             "-pc_type none",   1,        1,     0,     NULL                                                           },
};

static PetscErrorCode CheckHardNumbers(void)
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(numbers); k++) {
    const System s = {.kind = "grid", .cells = 120, .bs = 1, .seed = 5, .symmetric = TwinIsSymmetric()};
    Mat          A;
    Vec          b;
    PetscBool    jacobi;
    char         options[256];

    PetscCall(Where(&s, numbers[k].what));
    PetscCall(PetscStrcmp(numbers[k].options, "-pc_type jacobi", &jacobi));
    PetscCall(PetscSNPrintf(options, sizeof(options), "%s", numbers[k].options));
    if (TwinIs(KSPCHEBYSHEV)) { /* of what is well scaled: PETSc does not survive estimates that fail */
      const double scale = jacobi ? 1 : numbers[k].all;

      PetscCall(PetscSNPrintf(options, sizeof(options), "%s -ksp_chebyshev_eigenvalues %g,%g", numbers[k].options, 0.05 * scale, (jacobi ? 2 : 20) * scale));
    }
    PetscCall(SystemWithSide(&s, &A, &b));
    if (numbers[k].entry != 1) PetscCall(MatSetValue(A, 50, 50, numbers[k].entry, INSERT_VALUES));
    PetscCall(CheckAssemble(A));
    PetscCall(MatScale(A, numbers[k].all));
    PetscCall(VecScale(b, numbers[k].rhs));
    PetscCall(SolveHard(A, b, options, numbers[k].says));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of each cell mixed by a block of that condition: with point blocks the system is the one before */
static PetscErrorCode CheckBlocks(void)
{
  PetscFunctionBeginUser;
  for (int digits = 0; digits <= 12; digits += 3) {
    Mat A;
    Vec b;

    const char *const what = CheckText("blocks of condition 1e%d", digits);
    PetscCall(HardWhere(what));
    PetscCall(HardBlocks(60, 3, PetscPowReal(10, digits), &A));
    PetscCall(HardRhs(A, &b));
    PetscCall(SolveHard(A, b, "-pc_type pbjacobi", digits <= 3 ? "precision: mixed, " : NULL));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckIndefinite(void)
{
  const System s = {.kind = "alternating", .cells = 120, .bs = 1, .seed = 5, .symmetric = TwinIsSymmetric()};
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(Where(&s, "indefinite"));
  PetscCall(SolveHard(A, b, "-pc_type none", TwinIs(KSPCG) ? "the matrix is not positive definite in single precision" : NULL));
  PetscCall(SolveHard(A, b, "-pc_type jacobi", TwinIs(KSPCG) ? "precision: double: the diagonal" : NULL));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three displacements a node, bars of very different stiffness, long cells: as the stiffness matrices of structural mechanics */
static PetscErrorCode CheckFrame(void)
{
  PetscFunctionBeginUser;
  for (int digits = 0; digits <= 6; digits += 3) {
    Mat A;
    Vec b;

    const char *const what = CheckText("frame, stiffness from 1 to 1e%d", digits);
    PetscCall(HardWhere(what));
    PetscCall(HardFrame(6, 20, PetscPowReal(10, digits), &A));
    PetscCall(HardRhs(A, &b));
    PetscCall(SolveHard(A, b, "-pc_type jacobi -ksp_rtol 1e-8", NULL));
    if (!TwinIs(KSPCG)) PetscCall(SolveHard(A, b, "-pc_type pbjacobi -ksp_rtol 1e-8", NULL));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MixedHard(void)
{
  PetscFunctionBeginUser;
  PetscCall(CheckHardNumbers());
  if (TwinIs(KSPCHEBYSHEV)) PetscFunctionReturn(PETSC_SUCCESS); /* it is told the spectrum */
  PetscCall(CheckConditions());
  if (!TwinIs(KSPCG)) PetscCall(CheckBlocks());
  PetscCall(CheckIndefinite());
  PetscCall(CheckFrame());
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(MixedHard, NULL, "mixed_hard", 100)

/*TEST
  testset:
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0 -mat_type {{bdiagh sellp}}
    output_file: output/mixed_hard.out
    test:
      suffix: 1
      comments: quick
      requires: double
    test:
      suffix: 2
      requires: double
      nsize: 2
    test:
      suffix: cuda
      requires: cuda double
      args: -mode graph -expect_cuda
TEST*/

static char help[] = "Mixed precision where it cannot be: solves in double precision, with the reason.\n";

#include "common/mixed.h"

/* Refused before the first iteration, and what the view says. The result has the bits of a solve in double precision. */
static const struct {
  const char *twin, *options, *why, *type; /* the matrix's; NULL: any */
} refused[] = {
  {NULL,         "-pc_type jacobi -ksp_norm_type none -ksp_max_it 9",                                     "no norm is computed",                 NULL    },
  {NULL,         "-pc_type jacobi -ksp_check_norm_iteration 3",                                           "no norm is computed",                 NULL    },
  {NULL,         "-pc_type jacobi -ksp_monitor_true_residual ascii:monitored",                            "a monitor or convergence test reads", NULL    },
  {NULL,         "-pc_type bjacobi -sub_pc_type jacobi",                                                  "the preconditioner is called",        NULL    },
  {KSPCG,        "-pc_type pbjacobi",                                                                     "point blocks: CG would need",         NULL    },
  {KSPBCGS,      "-pc_type jacobi -ksp_pc_side right",                                                    "preconditioning from the right",      NULL    },
  {KSPBCGS,      "-pc_type pbjacobi -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1",          "point blocks, and ",                  "bdiagh"},
  {KSPBCGS,      "-pc_type pbjacobi -mat_sellp_long_row 5",                                               "point blocks",                        "sellp" },
  {KSPBICG,      "-pc_type jacobi",                                                                       "the method has double precision",     NULL    },
  {KSPCHEBYSHEV, "-pc_type jacobi -ksp_monitor_true_residual ascii:monitored",                            "precision: double: PETSc's own loop", NULL    },
  {KSPCHEBYSHEV, "-pc_type pbjacobi -ksp_norm_type unpreconditioned -ksp_chebyshev_esteig 0,0.05,0,1.05", "with point blocks the norm",          NULL    },
  {KSPCHEBYSHEV, "-pc_type bjacobi -sub_pc_type jacobi",                                                  "the preconditioner is called",        NULL    },
};

/* A system that is scaled: A(i, j) s_i s_j, s_i = exp(spread (2 i / n - 1)), and b times `size` */
static const struct {
  const char *twin, *what;
  double      spread, size;
  const char *text; /* in the view */
} ranges[] = {
  {NULL,    "small right-hand side",            0,  1e-18, "precision: mixed"                         },
  {NULL,    "tiny right-hand side",             0,  1e-40, "precision: double: the residual is out of"},
  {NULL,    "large right-hand side",            0,  1e80,  "precision: double: the residual is out of"},
  {NULL,    "diagonal from 1e-20 to 1e20",      23, 1,     "precision: mixed"                         },
  {KSPCG,   "diagonal from 1e-40 to 1e40",      46, 1,     "out of the range of single precision"     },
  {KSPBCGS, "solution from 1e-40 to 1e40",      92, 1,     "out of the range of single precision"     },
  {NULL,    "no number in the right-hand side", 0,  NAN,   ""                                         },
};

static PetscErrorCode CheckRefused(void)
{
  static Result r[2];
  static Plan   p;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(refused); k++) {
    const System s = {.kind = refused[k].type ? "partial" : "grid", .cells = 128, .bs = 3, .seed = 5, .symmetric = TwinIsSymmetric()};
    Mat          A;
    Vec          b;
    char         all[256], type[64] = "bdiagh";
    PetscBool    same = PETSC_TRUE;

    if (refused[k].twin ? !TwinIs(refused[k].twin) : TwinIs(KSPCHEBYSHEV)) continue;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
    if (refused[k].type) PetscCall(PetscStrcmp(refused[k].type, type, &same));
    if (!same) continue;
    PetscCall(WhereWith(&s, refused[k].options)); /* the matrix has some of them */
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
    PetscCall(OptionsSwitch(refused[k].options, PETSC_FALSE));
    PetscCall(CheckVecs(A, &b, 5, NULL, 0));
    PetscCall(MixedSolve(A, b, NULL, refused[k].options, &r[1], &p));
    PetscCall(CheckTrue(!strstr(p.text, "precision: "), "nothing of precision without the option"));
    PetscCall(PetscSNPrintf(all, sizeof(all), MIXED "%s", refused[k].options));
    PetscCall(MixedSolve(A, b, NULL, all, &r[0], &p));
    PetscCall(CheckRepeat(&r[0], &r[1], "refused"));
    PetscCall(CheckTrue(strstr(p.text, refused[k].why) && strstr(p.text, "precision: double: ") && !strstr(p.text, "precision: mixed"), p.text));
    for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRanges(void)
{
  static Result r[2];
  static Plan   p;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(ranges); k++) {
    const System s = {.kind = "grid", .cells = 200, .bs = 1, .seed = 5, .symmetric = TwinIsSymmetric()};
    Mat          A, R;
    Vec          b, d;
    KSP          twin;
    PetscInt     lo, hi;

    if (ranges[k].twin && !TwinIs(ranges[k].twin)) continue;
    PetscCall(Where(&s, ranges[k].what));
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
    PetscCall(CheckVecs(A, &b, 5, &d, 0));
    PetscCall(VecScale(b, ranges[k].size));
    PetscCall(VecGetOwnershipRange(d, &lo, &hi));
    for (PetscInt i = lo; i < hi; i++) PetscCall(VecSetValue(d, i, PetscExpReal(ranges[k].spread * (2.0 * (double)i / (double)s.cells - 1)), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(d));
    PetscCall(VecAssemblyEnd(d));
    PetscCall(MatDiagonalScale(A, d, d));
    PetscCall(VecPointwiseMult(b, b, d));
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
    PetscCall(TwinSolve(R, b, NULL, "-pc_type jacobi", &twin, &r[1]));
    PetscCall(MixedSolve(A, b, NULL, MIXED "-pc_type jacobi", &r[0], &p));
    PetscCall(CheckTrue(r[0].reason == r[1].reason, "the same reason"));
    PetscCall(CheckTrue(strstr(p.text, ranges[k].text) != NULL, p.text));
    if (r[1].reason > 0) PetscCall(CheckPromise(twin, R, b, NULL, &r[0], &r[1], ranges[k].what));
    for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
    PetscCall(CheckDestroy(&twin, &b, &d, &R, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `auto`: in double precision on the host and with small matrices; -auto cells: with so many cells of three unknowns in mixed precision, on a device */
static PetscErrorCode CheckAuto(void)
{
  System        s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 5, .symmetric = TwinIsSymmetric()};
  PetscInt      large;
  PetscBool     device = CheckOption("-expect_cuda"), asked;
  static Result r;
  static Plan   p;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-auto", &large, &asked));
  for (int k = 0; k < (asked ? 2 : 1); k++) {
    const char *says = k ? "precision: mixed, " : device ? "precision: double: too small a matrix" : "precision: double: on the host";
    Mat         A;
    Vec         b;

    if (k) s.cells = large;
    PetscCall(Where(&s, "auto"));
    PetscCall(SystemWithSide(&s, &A, &b));
    PetscCall(MixedSolve(A, b, NULL, TwinIs(KSPCG) ? "-ksp_fused_precision auto -pc_type jacobi" : "-ksp_fused_precision auto -pc_type pbjacobi", &r, &p));
    PetscCall(CheckTrue(r.reason > 0 && strstr(p.text, says), p.text));
    PetscCall(ResultDestroy(&r));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MixedDouble(void)
{
  PetscBool only;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-auto", &only));
  if (only) {
    PetscCall(CheckAuto());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckRefused());
  if (TwinIs(KSPBICG)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAuto());
  PetscCall(CheckRanges());
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(MixedDouble, NULL, "mixed_double", 30)

/*TEST
  testset:
    args: -rejects 0 -type fusedcg,fusedbcgs,fusedbicg,fusedchebyshev
    output_file: output/mixed_double.out
    test:
      suffix: 1
      requires: double
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2
      comments: quick
      requires: double
      nsize: 2
      args: -mat_type {{bdiagh sellp}} -heptane_test_comm_check -heptane_comm {{mpi peer}}
    test:
      suffix: cuda
      requires: cuda double
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: cuda_sellp
      requires: cuda double
      args: -mode kernels,graph -mat_type sellp -expect_cuda
    test:
      suffix: cuda_2
      requires: cuda double
      nsize: 2
      args: -mode kernels,graph -mat_type {{bdiagh sellp}} -heptane_test_comm_check -heptane_comm peer -expect_cuda
    # 40 MB, less where the shape of the grid leaves couplings out
    test:
      suffix: cuda_auto
      requires: cuda double
      args: -type fusedcg,fusedbcgs,fusedchebyshev -auto 80000 -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

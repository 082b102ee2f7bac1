static char help[] =
  "-pc_gridmg_precision auto: what is chosen for which solver, and why; from solve to solve, inside other solvers, without any, on several processes.\n";

#include "common/precision.h"
#include "common/ranks_grid.h"
#include "common/system.h"

static const Grid grid_ = {CELLS(9, 8, 10), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-2, STRENGTHS(1, 2, 3)};

static const char single_[] = "precision: single", double_[] = "precision: double";

static PetscErrorCode Never(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  PetscFunctionBeginUser;
  *reason = it > 3 ? KSP_CONVERGED_ITS : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve with these options as well, and what the view says of it then */
static PetscErrorCode Solve(KSP ksp, Mat A, Vec b, const char options[], const char precision[], const char why[])
{
  PC           pc;
  Vec          x;
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s", options));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsPush(own));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Says(pc, precision, "the precision"));
  PetscCall(Says(pc, why, why));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *options, *precision, *why;
} cases[] = {
  {"-ksp_type cg -ksp_rtol 1e-10",                                               single_, "precision: single, because cg does not require a linear preconditioner"         },
  {"-ksp_type fusedcg -ksp_rtol 1e-10",                                          single_, "because fusedcg does not require a linear preconditioner"                       },
  {"-ksp_type fgmres -ksp_rtol 1e-10",                                           single_, "because fgmres does not require a linear preconditioner"                        },
  {"-ksp_type richardson",                                                       single_, "because richardson does not require a linear preconditioner"                    },
  {"-ksp_type cg -ksp_norm_type none -ksp_max_it 5",                             single_, "because cg does not require a linear preconditioner"                            },
  {"-ksp_type gmres -ksp_rtol 1e-10",                                            double_, "precision: double, because gmres at rtol 1e-10 requires a linear preconditioner"},
  {"",                                                                           double_, "precision: double, because gmres at rtol 1e-05 requires a linear preconditioner"},
  {"-ksp_rtol 0 -ksp_atol 1e-2",                                                 double_, "because gmres at rtol 0"                                                        },
  {"-ksp_rtol 1e-3",                                                             single_, "precision: single, because gmres stops at rtol 0.001"                           },
  {"-ksp_rtol 1e-3 -ksp_pc_side right",                                          single_, "because gmres stops at rtol 0.001"                                              },
  {"-ksp_type fusedbcgs -ksp_rtol 1e-3",                                         single_, "because fusedbcgs stops at rtol 0.001"                                          },
  {"-ksp_type fusedbcgs -ksp_rtol 1e-6",                                         double_, "because fusedbcgs at rtol 1e-06 requires a linear preconditioner"               },
  {"-ksp_type bcgs -ksp_rtol 1e-3 -ksp_pc_side right",                           double_, "because bcgs at rtol 0.001 requires a linear preconditioner"                    },
  {"-ksp_type fusedbcgs -ksp_rtol 1e-10 -ksp_pc_side right",                     single_, "because fusedbcgs does not require a linear preconditioner"                     },
  {"-ksp_type fusedbcgs -ksp_rtol 1e-3 -ksp_pc_side right -ksp_fused_mode twin", double_, "because fusedbcgs at rtol 0.001 requires a linear preconditioner"               },
  {"-ksp_type tfqmr -ksp_rtol 1e-2",                                             double_, "because tfqmr requires a linear preconditioner"                                 },
  {"-ksp_type preonly",                                                          double_, "because preonly without norms may have to be linear"                            },
  {"-ksp_type richardson -ksp_norm_type none -ksp_max_it 3",                     double_, "because richardson without norms may have to be linear"                         },
  {"-ksp_type gmres -ksp_rtol 1e-3 -ksp_norm_type none -ksp_max_it 3",           double_, "because gmres without norms may have to be linear"                              },
  {"-ksp_type cg -pc_gridmg_precision double",                                   double_, "cycle"                                                                          },
  {"-ksp_rtol 1e-10 -pc_gridmg_precision single",                                single_, "cycle"                                                                          },
};

/* What follows from the type, the side and the tolerance; then from a guess and a test */
static PetscErrorCode Types(Mat A, Vec b)
{
  KSP ksp;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    PetscCall(CreateKSP(&ksp));
    PetscCall(Solve(ksp, A, b, cases[k].options, cases[k].precision, cases[k].why));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(CreateKSP(&ksp));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-3 -ksp_converged_use_initial_residual_norm", single_, "because gmres stops at rtol 0.001"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CreateKSP(&ksp));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(
    Solve(ksp, A, b, "-ksp_rtol 1e-3", double_, "because gmres from an initial guess, which may be far from the solution, requires a linear preconditioner"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CreateKSP(&ksp));
  PetscCall(KSPSetConvergenceTest(ksp, Never, NULL, NULL));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-3", double_, "because gmres with another convergence test requires a linear preconditioner"));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves one after the other, and an application between them */
static PetscErrorCode Sequence(Mat A, Vec b)
{
  const char because[] = "because gmres at rtol 1e-10 requires a linear preconditioner";
  KSP        ksp;
  PC         pc;
  Vec        x;

  PetscFunctionBeginUser;
  PetscCall(CreateKSP(&ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Says(pc, "precision: single until a solve needs the other one", "before all solves"));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-3", single_, "because gmres stops at rtol 0.001"));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-10", double_, because));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-3", double_, because)); /* stays */
  PetscCall(Solve(ksp, A, b, "-ksp_type cg", single_, "because cg"));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(PCApply(pc, b, x));
  PetscCall(Says(pc, "precision: double, because an application without a solver may have to be linear", "an application"));
  PetscCall(Solve(ksp, A, b, "-ksp_type cg", single_, "because cg"));
  PetscCall(Solve(ksp, A, b, "-ksp_type gmres -ksp_rtol 1e-10", double_, because));
  PetscCall(KSPReset(ksp));
  PetscCall(Solve(ksp, A, b, "-ksp_rtol 1e-3", single_, "because gmres stops at rtol 0.001"));
  PetscCall(CheckDestroy(&x, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* %s: of the inner preconditioner */
static const char *const nests[] = {
  "-pc_type gridmg -pc_gridmg_divide 0 %s",
  "-pc_type gridmg -pc_gridmg_divide 1 %s",
  "-pc_type bjacobi -sub_pc_type gridmg -sub_%s",
  "-pc_type bjacobi -sub_ksp_type richardson -sub_ksp_max_it 2 -sub_pc_type gridmg -sub_%s",
  "-pc_type ksp -ksp_ksp_type richardson -ksp_ksp_max_it 2 -ksp_pc_type gridmg -ksp_%s",
  "-pc_type ksp -ksp_ksp_type preonly -ksp_pc_type gridmg -ksp_%s",
  "-pc_type composite -pc_composite_pcs jacobi,gridmg -sub_1_%s",
  "-pc_type mg -pc_mg_levels 1 -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 2 -mg_levels_pc_type gridmg -mg_levels_%s",
};

/* The outer solver takes the inner one for linear, and ends as with a cycle in double precision; with one in single precision it does not */
static PetscErrorCode Nested(Mat A, Vec b)
{
  char              options[3][256];
  PreciseEnd        twin;
  PetscInt          before[2];
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  for (size_t k = 0; k < (size > 1 ? 3 : PETSC_STATIC_ARRAY_LENGTH(nests)); k++) {
    const Precise     c       = {.A = A, .b = b, .type = KSPGMRES, .norm = KSP_NORM_UNPRECONDITIONED, .side = PC_RIGHT, .rtol = 1e-12};
    const char *const names[] = {"pc_gridmg_precision double", "pc_gridmg_precision auto", "pc_gridmg_precision single"};

    for (int p = 0; p < 3; p++) {
      const char *name = k < 2 ? (p == 0 ? "-pc_gridmg_precision double" : p == 1 ? "-pc_gridmg_precision auto" : "-pc_gridmg_precision single") : names[p];

      PetscCall(PetscSNPrintf(options[p], sizeof(options[p]), nests[k], name));
    }
    PetscCall(CheckWhere("nested"));
    PetscCall(PreciseSolve(&c, options[0], &twin));
    PetscCall(CheckTrue(twin.reason > 0 && twin.left < 1e-11, options[0]));
    PetscCall(PreciseCheck(&c, &twin, PETSC_TRUE, options[1]));
    if (size > 1 && k == 2) continue; /* so many iterations that gmres restarts from the true residual */
    RejectBegin(before);
    PetscCall(PreciseCheck(&c, &twin, PETSC_TRUE, options[2]));
    PetscCall(RejectEnd(before, options[2]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt bs = 1; bs <= 3; bs += 2) {
    Grid g = grid_;

    g.bs = bs;
    PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
    PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
    PetscCall(CheckVecs(A, NULL, 0, &b, 3));
    if (bs == 1) PetscCall(Sequence(A, b));
    if (bs == 3) PetscCall(Types(A, b));
    PetscCall(Nested(A, b));
    PetscCall(CheckDestroy(&b, &A));
  }
  return CheckFinish("gridmg_precision");
}

/*TEST
  testset:
    requires: double
    output_file: output/gridmg_precision.out
    test:
      suffix: quick
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda

  testset:
    requires: double
    nsize: {{2 3}}
    output_file: output/gridmg_precision_ranks.out
    test:
      suffix: ranks
      args: -heptane_comm {{mpi peer}}
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2
    test:
      suffix: ranks_cuda
      requires: cuda
      args: -heptane_comm peer -expect_cuda
TEST*/

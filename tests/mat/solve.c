static char help[] = "Krylov methods and preconditioners with the type, values updated between solves as in Newton's method, against AIJ.\n";

#include "common/loop.h"
#include <petscksp.h>

static const struct {
  const char *name, *options;
} solvers[] = {
  {"gmres, jacobi",                            "-ksp_type gmres -pc_type jacobi"                                                        },
  {"cg, none",                                 "-ksp_type cg -pc_type none"                                                             },
  {"bcgs, pbjacobi",                           "-ksp_type bcgs -pc_type pbjacobi"                                                       },
  {"bicg, bjacobi with ilu",                   "-ksp_type bicg -pc_type bjacobi -sub_pc_type ilu"                                       },
  {"gmres, bjacobi with lu",                   "-ksp_type gmres -pc_type bjacobi -sub_pc_type lu"                                       },
  {"gmres, asm",                               "-ksp_type gmres -pc_type asm -pc_asm_overlap 2 -sub_pc_type ilu -sub_pc_factor_levels 1"},
  {"richardson, sor",                          "-ksp_type richardson -pc_type sor"                                                      },
  {"fgmres, gamg",                             "-ksp_type fgmres -pc_type gamg -pc_gamg_coarse_eq_limit 8"                              },
  {"gmres, gamg without aggregation squaring",
   "-ksp_type gmres -pc_type gamg -pc_gamg_aggressive_coarsening 0 -pc_gamg_agg_nsmooths 0 -pc_gamg_coarse_eq_limit 8"                  },
  {"gmres, redundant lu",                      "-ksp_type gmres -pc_type redundant"                                                     },
  {"gmres, fieldsplit",                        "-ksp_type gmres -pc_type fieldsplit -pc_fieldsplit_type additive"                       },
  {"fgmres, schur",                            "-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_type schur"                         },
};

/* Solves with the operator's present values */
static PetscErrorCode Solve(KSP ksp, Vec x)
{
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(CheckVecLike(x, 101, &b));
  PetscCall(VecSet(x, 0.0));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveWith(const Problem *p, Mat A, Mat R, int k)
{
  const PetscReal tolerance = PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-11;
  PetscOptions    options;
  KSP             ksp[2];
  Vec             x[2];
  Problem         q = *p;
  IS              field, rest;
  char           *fields;
  PetscInt        lo, hi, n;

  PetscFunctionBeginUser;
  PetscCall(PetscStrstr(solvers[k].options, "fieldsplit", &fields));
  if (fields && (p->ragged || p->bs < 2)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, solvers[k].options));
  for (int t = 0; t < 2; t++) {
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[t]));
    PetscCall(PetscObjectSetOptions((PetscObject)ksp[t], options));
    PetscCall(KSPSetOperators(ksp[t], t ? R : A, t ? R : A));
    PetscCall(KSPSetTolerances(ksp[t], tolerance, PETSC_CURRENT, PETSC_CURRENT, 500));
    PetscCall(KSPSetFromOptions(ksp[t]));
    if (fields) { /* the first unknown of each cell, and the others */
      PC pc;

      PetscCall(KSPGetPC(ksp[t], &pc));
      PetscCall(MatGetOwnershipRange(A, &lo, &hi));
      PetscCall(ISCreateStride(PETSC_COMM_WORLD, (hi - lo) / p->bs, lo, p->bs, &field));
      PetscCall(PCFieldSplitSetIS(pc, "0", field));
      PetscCall(ISComplement(field, lo, hi, &rest));
      PetscCall(PCFieldSplitSetIS(pc, "1", rest));
      PetscCall(CheckDestroy(&field, &rest));
    }
    PetscCall(MatCreateVecs(t ? R : A, &x[t], NULL));
  }
  for (n = 0; n < 3; n++) {
    KSPConvergedReason reason;

    q.seed = p->seed + 100 * n;
    PetscCall(ProblemFill(&q, A));
    PetscCall(ProblemFill(&q, R));
    for (int t = 0; t < 2; t++) PetscCall(Solve(ksp[t], x[t]));
    PetscCall(KSPGetConvergedReason(ksp[0], &reason));
    PetscCall(CheckTrue(reason > 0, CheckText("%s, solve %" PetscInt_FMT ", converged", solvers[k].name, n + 1)));
    PetscCall(CheckVec(x[0], x[1], 100 * tolerance, CheckText("%s, solve %" PetscInt_FMT, solvers[k].name, n + 1)));
  }
  PetscCall(CheckDestroy(&ksp[0], &x[0], &ksp[1], &x[1]));
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveAll(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  if (p->split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(R, MAT_SPD, PETSC_TRUE));
  for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(solvers); k++) PetscCall(SolveWith(p, A, R, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, SolveAll, "solve")

/*TEST
  testset:
    args: -bs 1,2,5 -pattern gh,inactive,wells,ragged -symmetric -diagonal 40
    output_file: output/solve.out
    nsize: {{1 2}}
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    args: -bs 4 -pattern gh,wells -symmetric -diagonal 40
    output_file: output/solve_4.out
    nsize: 4
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

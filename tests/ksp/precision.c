static char help[] =
  "All types of KSP with preconditioners and solvers in all precisions: who says that it has converged has a true residual as good as the same solve in double precision.\n"
  "Options: -brief (a small grid), -part K (0, 2: 1, 3 unknowns; 1, 3: not symmetric), -least N (comparisons that the output has at most).\n";

#include "common/precision.h"
#include "common/system.h"

/* Preconditioners and what they are compared with; fused: for the fused types alone */
static const struct {
  const char *twin, *others[5];
  PetscBool   grid, fused;
} groups[] = {
  {"-pc_type gridmg -pc_gridmg_precision double", {"-pc_type gridmg"},                                                                 PETSC_TRUE,  PETSC_FALSE},
  {"-pc_type jacobi",
   {"-pc_type jacobi -ksp_fused_precision mixed", "-pc_type jacobi -ksp_fused_precision auto", "-pc_type jacobi -ksp_fused_fold yes"},
   PETSC_FALSE,                                                                                                                                     PETSC_TRUE },
  {"-pc_type pbjacobi",                           {"-pc_type pbjacobi -ksp_fused_precision mixed"},                                    PETSC_FALSE, PETSC_TRUE },
  {"-pc_type none",                               {"-pc_type none -ksp_fused_precision mixed"},                                        PETSC_FALSE, PETSC_TRUE },
};

static const PetscReal few[] = {1e-4, 1e-10}, all[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12};
static PetscBool       brief = PETSC_FALSE;

static PetscBool OneOf(const char type[], size_t n, const char *const types[])
{
  for (size_t k = 0; k < n; k++)
    if (!strcmp(types[k], type)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* One application; other matrices; normal equations, whose condition is squared; for symmetric matrices alone, where they may iterate for ever else */
static PetscBool Left(const char type[], PetscBool symmetric)
{
  static const char *const others[]     = {KSPPREONLY, KSPNONE, KSPFETIDP, KSPLSQR, KSPCGNE, KSPCGLS};
  static const char *const symmetrics[] = {KSPCG,   KSPGROPPCG, KSPPIPECG,  KSPPIPECGRR, KSPPIPELCG, KSPPIPEPRCG, KSPPIPECG2, KSPNASH,  KSPSTCG,
                                           KSPGLTR, KSPFCG,     KSPPIPEFCG, KSPMINRES,   KSPSYMMLQ,  KSPCR,       KSPPIPECR,  "fusedcg"};

  if (OneOf(type, PETSC_STATIC_ARRAY_LENGTH(others), others)) return PETSC_TRUE;
  return (PetscBool)(!symmetric && OneOf(type, PETSC_STATIC_ARRAY_LENGTH(symmetrics), symmetrics));
}

/* One type, side and norm, with all preconditioners that it takes */
static PetscErrorCode Walk(Precise *c, PetscBool grid)
{
  const PetscBool fused = (PetscBool)(strstr(c->type, "fused") != NULL);
  PreciseEnd      twin;

  PetscFunctionBeginUser;
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(groups); g++) {
    if ((groups[g].grid && !grid) || (groups[g].fused && !fused)) continue;
    for (size_t k = 0; k < (brief ? PETSC_STATIC_ARRAY_LENGTH(few) : PETSC_STATIC_ARRAY_LENGTH(all)); k++) {
      c->rtol = brief ? few[k] : all[k];
      if (c->rtol < 1e-10 && !groups[g].grid) continue; /* what recurrences of hundreds of iterations reach below is chance */
      PetscCall(PreciseSolve(c, groups[g].twin, &twin));
      if (!twin.reason) break;
      for (int o = 0; groups[g].others[o] && twin.reason > 0; o++) PetscCall(PreciseCheck(c, &twin, groups[g].grid, groups[g].others[o]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows scaled: not symmetric */
static PetscErrorCode Skew(Mat A)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, NULL, 0, &d, 7));
  PetscCall(VecShift(d, 2));
  PetscCall(MatDiagonalScale(A, d, NULL));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Setting(const Grid *g, PetscBool skew, Precise *c)
{
  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_WORLD, g, &c->A));
  if (skew) PetscCall(Skew(c->A));
  PetscCall(CheckVecs(c->A, NULL, 0, &c->b, 3));
  PetscCall(CheckWhere("%d x %d x %d cells of %d, std %g, %ssymmetric", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)g->bs, (double)g->std,
                       skew || (g->bs > 1 && !g->symmetric) ? "not " : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode All(const Grid *g, PetscBool skew)
{
  const PetscBool symmetric = (PetscBool)(!skew && (g->bs == 1 || g->symmetric));
  Precise         c         = {0};
  const char    **types;
  PetscBool       grid;
  int             n;

  PetscFunctionBeginUser;
  PetscCall(Setting(g, skew, &c));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)c.A, &grid, "seqaijbdiagh", "mpiaijbdiagh", ""));
  PetscCall(PetscFunctionListGet(KSPList, &types, &n));
  for (int k = 0; k < n; k++)
    for (int norm = KSP_NORM_PRECONDITIONED; norm <= KSP_NORM_NATURAL && !Left(types[k], symmetric); norm++)
      for (int side = PC_LEFT; side <= PC_RIGHT; side++) {
        if (norm == KSP_NORM_NATURAL && !strcmp(types[k], KSPCGS)) continue; /* a scalar product that may be small by chance */
        c.type = types[k];
        c.norm = (KSPNormType)norm;
        c.side = (PCSide)side;
        PetscCall(Walk(&c, grid));
      }
  PetscCall(PetscFree(types));
  PetscCall(CheckDestroy(&c.b, &c.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What single precision does to a method that takes its preconditioner for linear has to be noticed */
static PetscErrorCode Rejects(const Grid *g)
{
  Precise    c = {.type = KSPGMRES, .norm = KSP_NORM_UNPRECONDITIONED, .side = PC_RIGHT, .rtol = 1e-10};
  PreciseEnd twin;
  PetscInt   before[2];

  PetscFunctionBeginUser;
  PetscCall(Setting(g, PETSC_FALSE, &c));
  PetscCall(PreciseSolve(&c, groups[0].twin, &twin));
  RejectBegin(before);
  PetscCall(PreciseCheck(&c, &twin, PETSC_TRUE, "-pc_type gridmg -pc_gridmg_precision single"));
  PetscCall(RejectEnd(before, "a residual of single precision"));
  PetscCall(CheckDestroy(&c.b, &c.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid     g     = {CELLS(6, 5, 7), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-2, STRENGTHS(1, 2, 3)};
  PetscInt least = PETSC_INT_MAX, part = -1;
  char     type[32] = "";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  if (!brief) PetscCall(PetscArraycpy(g.n, ((PetscInt[]){10, 9, 11}), 3));
  for (g.bs = 1; g.bs <= 3; g.bs += 2)
    for (int skew = 0; skew < 2; skew++) {
      if (part >= 0 && part != g.bs - 1 + skew) continue;
      g.symmetric = (PetscBool)!skew;
      PetscCall(All(&g, (PetscBool)skew));
    }
  g.bs = 1;
  if (strcmp(type, "sellp") && part <= 0) PetscCall(Rejects(&g));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-least", &least, NULL));
  if (check_count > least) check_count = least; /* how many converge in double precision may depend on its rounding */
  return CheckFinish("precision");
}

/*TEST
  # what solvers that end with an error have is not given back
  testset:
    requires: double
    output_file: output/precision_quick.out
    args: -brief -least 500 -checkfunctionlist 0 -malloc_dump 0
    test:
      suffix: quick
      comments: quick
    test:
      suffix: cuda_quick
      requires: cuda
      args: -expect_cuda

  testset:
    requires: double
    output_file: output/precision_sellp.out
    args: -brief -mat_type sellp -least 200 -checkfunctionlist 0 -malloc_dump 0
    test:
      suffix: sellp
    test:
      suffix: cuda_sellp
      requires: cuda
      args: -expect_cuda

  testset:
    requires: double
    args: -part {{0 1 2 3}} -checkfunctionlist 0 -malloc_dump 0
    test:
      suffix: long
      output_file: output/precision.out
      args: -least 400
    test:
      suffix: cuda_long
      requires: cuda
      output_file: output/precision_cuda.out
      args: -least 400 -expect_cuda
TEST*/

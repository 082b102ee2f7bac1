static char help[] =
  "All types of KSP with our preconditioners and precisions: whoever says that it has converged has a true residual as good as the same solve in double precision.\n";

#include "grid.h"

typedef struct {
  Mat         A;
  Vec         b, x, r;
  KSPType     type;
  KSPNormType norm;
  PCSide      side;
  PetscReal   rtol;
} Case;

typedef struct {
  KSPConvergedReason reason;
  PetscReal          left, norm; /* true residual; the method's own; both relative to the first ones */
  PetscInt           its;
} Outcome;

static PetscBool show = PETSC_FALSE;

/* An error is the answer that the type has no such side or norm, or no such preconditioner: reason 0 */
static PetscErrorCode Try(KSP ksp, const Case *c, Outcome *o)
{
  PetscReal history[1000], norm;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, c->type));
  PetscCall(KSPSetOperators(ksp, c->A, c->A));
  PetscCall(KSPSetTolerances(ksp, c->rtol, 0, PETSC_CURRENT, 300));
  PetscCall(KSPSetNormType(ksp, c->norm));
  PetscCall(KSPSetPCSide(ksp, c->side));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetResidualHistory(ksp, history, PETSC_STATIC_ARRAY_LENGTH(history), PETSC_TRUE));
  PetscCall(KSPSolve(ksp, c->b, c->x));
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(KSPGetResidualNorm(ksp, &norm));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &n));
  o->norm = n > 0 && history[0] > 0 ? norm / history[0] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const Case *c, const char options[], Outcome *o)
{
  PetscOptions   own;
  PetscReal      whole;
  PetscErrorCode code;
  KSP            ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsPush(own));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)c->A), &ksp));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = Try(ksp, c, o);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&own));
  if (code) o->reason = KSP_CONVERGED_ITERATING;
  else {
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatMult(c->A, c->x, c->r));
    PetscCall(VecAYPX(c->r, -1, c->b));
    PetscCall(VecNorm(c->r, NORM_2, &o->left));
    PetscCall(VecNorm(c->b, NORM_2, &whole));
    o->left /= whole;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Walk(Case *c, const char twin[], int n, const char *const others[])
{
  static const PetscReal rtols[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rtols); k++) {
    Outcome t, o;

    c->rtol = rtols[k];
    PetscCall(Run(c, twin, &t));
    if (!t.reason) PetscFunctionReturn(PETSC_SUCCESS);
    if (t.reason < 0) { printf("%s %s %s %g %s: %s\n", c->type, KSPNormTypes[c->norm], PCSides[c->side], c->rtol, twin, KSPConvergedReasons[t.reason]); continue;}
    for (int i = 0; i < n; i++) {
      PetscCall(Run(c, others[i], &o));
      if (show) printf("%s %s %s %g %s: %s %g %d vs %s %g %d, norms %g %g%s\n", c->type, KSPNormTypes[c->norm], PCSides[c->side], c->rtol, others[i], KSPConvergedReasons[o.reason], o.left, (int)o.its, KSPConvergedReasons[t.reason], t.left, (int)t.its, o.norm, t.norm,
         o.reason <= 0 ? " FAILS" : o.left > 10 * t.left * PetscMax(1, c->rtol / t.norm) ? " WRONG": "");
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode System_(Grid g, PetscBool symmetric)
{
  PetscFunctionList list = KSPList;
  Case c = {0};
  Vec d;
  const char **names; int n;
  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &c.A));
  PetscCall(MatCreateVecs(c.A, &c.x, &c.b));
  PetscCall(VecDuplicate(c.b, &c.r));
  PetscCall(CheckVecFill(c.b, 3));
  if (!symmetric) {
    PetscCall(VecDuplicate(c.b, &d));
    PetscCall(CheckVecFill(d, 7));
    PetscCall(VecShift(d, 2));
    PetscCall(MatDiagonalScale(c.A, d, NULL));
    PetscCall(MatSetOption(c.A, MAT_SYMMETRIC, PETSC_FALSE));
    PetscCall(VecDestroy(&d));
  }
  char only[64] = ""; PetscBool given;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, 64, &given));
  PetscCall(PetscFunctionListGet(list, &names, &n));
  for (int i = 0; i < n; i++) {
    if (given && strcmp(only, names[i])) continue;
    if (!strcmp(names[i], KSPPREONLY) || !strcmp(names[i], KSPNONE) || !strcmp(names[i], KSPFETIDP)) continue;
    for (int norm = 1; norm <= 3; norm++) for (int side = 0; side <= 1; side++) {
      const char *const others[] = {"-pc_type gridmg -pc_gridmg_precision single", "-pc_type gridmg"};
      c.type = names[i]; c.norm = (KSPNormType)norm; c.side = (PCSide)side;
      printf("== %s %s %s\n", names[i], KSPNormTypes[norm], PCSides[side]); fflush(stdout);
      PetscCall(Walk(&c, "-pc_type gridmg -pc_gridmg_precision double", 2, others));
    }
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = { .n = {12, 13, 14}, .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, .strength = {1, 2, 3}};
  PetscBool sym = PETSC_TRUE;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-show", &show, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", &g.bs, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-sym", &sym, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-std", &g.std, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-acc", &g.accumulation, NULL));
  g.symmetric = (PetscBool)(sym && g.bs > 1);
  PetscCall(System_(g, (PetscBool)(sym || g.bs > 1)));
  return CheckFinish("precision");
}

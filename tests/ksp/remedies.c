static char help[] = "Errors that name a remedy: each is provoked, and with the remedy that it names the system is solved.\n"
                     "  -quick: those of periodic grids\n";

#include "common/remedies.h"
#include "../mat/common/caught.h"
#include "../mat/common/check.h"

/* The cell beside one on a side, -1: there is none */
static PetscInt Beside(const System *s, PetscInt cell, int side)
{
  const int      a     = side / 2;
  PetscInt       at[3] = {cell % s->n[0], cell / s->n[0] % s->n[1], cell / s->n[0] / s->n[1]}, to;
  const PetscInt st    = a == 0 ? 1 : a == 1 ? s->n[0] : s->n[0] * s->n[1];

  if (s->n[a] < 2 || (s->apart && a == 0)) return -1;
  to = at[a] + (side % 2 ? 1 : -1);
  if (a < s->periodic) to = (to + s->n[a]) % s->n[a];
  return to < 0 || to >= s->n[a] ? -1 : cell + (to - at[a]) * st;
}

static PetscErrorCode Fill(const System *s, DM da, Mat A)
{
  const PetscInt cells = s->n[0] * s->n[1] * s->n[2], bs = s->bs;
  PetscInt       lo, hi, *number;
  AO             order;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(cells * bs, &number));
  for (PetscInt i = 0; i < cells * bs; i++) number[i] = i;
  for (PetscInt i = cells * bs - 1; i > 0 && s->shuffled; i--) {
    const PetscInt other = (i * i * 17 + 7919) % (i + 1), was = number[i];

    number[i]     = number[other];
    number[other] = was;
  }
  if (da) PetscCall(DMDAGetAO(da, &order));
  if (da) PetscCall(AOApplicationToPetsc(order, cells * bs, number));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = 0; i < cells * bs; i++) {
    const PetscInt cell = i / bs, p = i % bs;
    PetscScalar    sum = 0.05;

    if (number[i] < lo || number[i] >= hi) continue;
    for (int side = 0; side < 8; side++) {
      const PetscInt other = side < 6 ? Beside(s, cell, side) : s->far && cell % s->far == 0 ? cell + (side == 6 ? -2 : 2) : -1;

      if (other < 0 || other >= cells || i < s->zeros) continue;
      for (PetscInt q = 0; q < bs; q++) PetscCall(MatSetValue(A, number[i], number[other * bs + q], p == q ? -1 : 0, INSERT_VALUES));
      sum += 1;
    }
    if (s->large > 0 && i == 1) PetscCall(MatSetValue(A, number[i], number[2], -s->large, INSERT_VALUES));
    for (PetscInt q = 0; q < bs; q++)
      PetscCall(MatSetValue(A, number[i], number[cell * bs + q], i < s->zeros ? 0 : s->singular && cell < 2 ? sum : p == q ? sum : 0, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const System *s, DM *da, Mat *A)
{
  const PetscInt cells = s->n[0] * s->n[1] * s->n[2];

  PetscFunctionBeginUser;
  *da = NULL;
  if (s->da) {
    DMBoundaryType b[3];

    for (int a = 0; a < 3; a++) b[a] = a < s->periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, b[0], b[1], b[2], DMDA_STENCIL_STAR, s->n[0], s->n[1], s->n[2], PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, s->bs, 1,
                           NULL, NULL, NULL, da));
    PetscCall(DMSetMatType(*da, "bdiagh"));
    PetscCall(DMSetUp(*da));
    PetscCall(DMCreateMatrix(*da, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CheckMatCreate(PETSC_COMM_WORLD, PETSC_DECIDE, cells * s->bs, s->bs, "bdiagh", PETSC_TRUE, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system from nothing, with the options that are there; left: the relative residual */
static PetscErrorCode Use(const System *s, Heal heal, PetscReal *left)
{
  PetscReal size;
  DM        da;
  Mat       A;
  Vec       x, b;
  KSP       ksp;

  PetscFunctionBeginUser;
  PetscCall(Create(s, &da, &A));
  PetscCall(Fill(s, da, A));
  if (heal >= SYMMETRIC) PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(CheckVecs(A, &x, 0, &b, 5));
  if (heal == ONES_ON_DIAGONAL) {
    PetscInt rows[] = {0, 1}, lo, hi;

    PetscCall(MatGetOwnershipRange(A, &lo, &hi));
    PetscCall(MatZeroRowsColumns(A, lo ? 0 : s->zeros, rows, 1, x, b));
  }
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(ResidualNorm(A, x, b, left));
  PetscCall(VecNorm(b, NORM_2, &size));
  *left /= size;
  PetscCall(CheckDestroy(&ksp, &A, &x, &b, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Heals(const Case *c, const char remedy[])
{
  const PetscReal enough =
    c->s->large > 0 ? PETSC_MAX_REAL : 1e-3; /* norms of some solvers are preconditioned; that of a large coupling is not small to rounding */
  PetscReal left = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, remedy));
  PetscCall(Use(c->s, c->heal, &left));
  PetscCall(CheckTrue(left <= enough, CheckText("%s, then %s: residual %g", c->options, remedy, (double)left)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Try(const Case *c)
{
  const char *const all = "-pc_type -mat_type -ksp_type -ksp_error_if_not_converged -pc_gridmg_grid -pc_gridmg_cycle -pc_gridmg_precision "
                          "-mat_bdiagh_min_occupancy -mat_bdiagh_max_remainder -mat_bdiagh_strict -mat_bdiagh_block_size -mat_sellp_block_size "
                          "-pc_blockjacobireg_block_size -ksp_fused_check_interval -ksp_fused_precision_factor -sub_pc_type";
  PetscErrorCode    code;
  PetscReal         left;
  PetscBool         good;
  char            **names;
  int               n;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, c->options));
  PetscCall(CheckWhere("%d x %d x %d cells of %d", c->s->n[0], c->s->n[1], c->s->n[2], c->s->bs));
  CheckCaught(code, Use(c->s, c->heal == SYMMETRIC_BEFORE ? c->heal : OPTIONS, &left));
  good = (PetscBool)(code && strstr(caught, c->named) && (!c->also || strstr(caught, c->also)));
  PetscCall(CheckTrue(good, CheckText("%s: error %d, %.600s", c->options, (int)code, caught)));
  PetscCall(Heals(c, c->remedy));
  if (c->also) PetscCall(Heals(c, c->also));
  PetscCall(PetscStrToArray(all, ' ', &n, &names));
  for (int k = 0; k < n; k++) PetscCall(PetscOptionsClearValue(NULL, names[k]));
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool   quick = PETSC_FALSE;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-quick", &quick, NULL));
  for (size_t k = 0; k < (quick ? 3 : PETSC_STATIC_ARRAY_LENGTH(cases)); k++)
    if (!cases[k].processes || size <= cases[k].processes) PetscCall(Try(&cases[k]));
  return CheckFinish("remedies");
}

/*TEST
  testset:
    requires: double
    # what was being built when an error ended it is not given back
    args: -checkfunctionlist 0 -malloc_dump 0 -options_left 0
    test:
      suffix: 1
    test:
      suffix: 2
      nsize: 2
    test:
      suffix: quick
      comments: quick
      args: -quick
    test:
      suffix: cuda
      requires: cuda
      output_file: output/remedies_1.out
TEST*/

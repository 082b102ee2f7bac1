static char help[] =
  "KSPFUSEDCG without red columns on several processes, whose levels of PCGRIDMG are in slabs, against PETSc's cg on one: iterations, true residuals, norms.\n";

#include "common/gridcg.h"
#include "common/ranks_grid.h"
#include "common/view.h"
#include "../mat/common/check_device.h"

static const KSPNormType norms[] = {KSP_NORM_UNPRECONDITIONED, KSP_NORM_PRECONDITIONED, KSP_NORM_NATURAL, KSP_NORM_NONE};

/* again: the solution of another run, which has to be the same to the last bit; null: it is kept */
static PetscErrorCode Run(KSP ksp, Mat A, PetscBool guess, Outcome *o, Vec *again)
{
  PetscBool same = PETSC_TRUE;
  Vec       x;

  PetscFunctionBeginUser;
  PetscCall(CgRun(ksp, A, guess, o, &x));
  if (again && *again) PetscCall(VecEqual(x, *again, &same));
  PetscCall(CheckTrue(same, "the same bits again"));
  if (again) PetscCall(VecDestroy(again));
  if (again) *again = x;
  else PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSlabs(const Outcome *ours, const Outcome *cg)
{
  return CgCompare(ours, cg, cg->reason == KSP_DIVERGED_ITS ? 1.2 : 100);
}

/* One grid: so many of the norms, both starts, twice, and with other values. without: red columns are left out, no: they are not */
static PetscErrorCode Case(Grid g, const char options[], int kinds, PetscBool without)
{
  Mat     A, R;
  Outcome cg, ours;
  KSP     ksp, one;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  for (int k = 0; k < kinds; k++)
    for (int guess = 0; guess < 2; guess++) {
      Vec  again = NULL;
      Plan plan;

      PetscCall(CheckWhere("%d x %d x %d, %s, %s%s", (int)g.n[0], (int)g.n[1], (int)g.n[2], options, KSPNormTypes[norms[k]], guess ? ", guess" : ""));
      PetscCall(GridCreate(PETSC_COMM_SELF, &g, &R));
      PetscCall(CgCreate(R, KSPCG, norms[k], &one));
      PetscCall(Run(one, R, (PetscBool)guess, &cg, NULL));
      PetscCall(Divided(&g, 0, "bdiagh", &A));
      PetscCall(CheckDevice(A));
      PetscCall(CgCreate(A, "fusedcg", norms[k], &ksp));
      PetscCall(Run(ksp, A, (PetscBool)guess, &ours, &again));
      PetscCall(CompareSlabs(&ours, &cg));
      PetscCall(Run(ksp, A, (PetscBool)guess, &ours, &again));
      PetscCall(VecDestroy(&again));
      PetscCall(Look(ksp, &plan));
      PetscCall(CheckTrue((strstr(plan.text, "reduced CG") != NULL) == without, "CG without red columns"));
      for (int values = 0; values < 2; values++) {
        Grid other = g;

        other.seed += 3 + values;
        PetscCall(GridFill(&other, A));
        PetscCall(GridFill(&other, R));
        PetscCall(Run(ksp, A, (PetscBool)guess, &ours, NULL));
        PetscCall(Run(one, R, (PetscBool)guess, &cg, NULL));
        PetscCall(CompareSlabs(&ours, &cg));
      }
      PetscCall(CheckDestroy(&ksp, &one, &A, &R));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g = {CELLS(9, 35, 8), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 4)};
  Grid      h;
  PetscBool slabs;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  slabs = (PetscBool)(!ByMessages() && !strcmp(SlabsBy(), "memory to memory")); /* they have CG without red columns */
  PetscCall(Case(g, "-pc_gridmg_divide 1", 4, slabs));
  PetscCall(Case(g, "-pc_gridmg_divide 1 -pc_gridmg_precision double", 2, slabs));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_precision", "single"));
  h      = g;
  h.n[0] = 6;
  h.n[1] = 11;
  h.n[2] = 36; /* slabs along the axis by which rows are divided */
  PetscCall(Case(h, "-pc_gridmg_divide 1 -pc_gridmg_line_axis x", 1, slabs));
  PetscCall(Case(h, "-pc_gridmg_divide 1 -pc_gridmg_line_axis y -pc_gridmg_cycle w", 1, slabs));
  PetscCall(PetscOptionsInsertString(NULL, "-pc_gridmg_line_axis auto -pc_gridmg_cycle v"));
  h          = g;
  h.inactive = 0.2;
  PetscCall(Case(h, "-pc_gridmg_divide 1 -pc_gridmg_levels 2", 1, slabs));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_levels", "0"));
  h      = g;
  h.n[1] = 6; /* slabs too narrow */
  PetscCall(Case(h, "-pc_gridmg_divide 1", 1, PETSC_FALSE));
  h      = g;
  h.n[1] = 70; /* slabs of several divided levels */
  PetscCall(Case(h, "-pc_gridmg_divide 2", 2, slabs));
  PetscCall(Case(h, "-pc_gridmg_divide 3", 1, slabs));
  h.strength[0] = 9; /* levels are not paired along the slabs' axis at first */
  PetscCall(Case(h, "-pc_gridmg_divide 2", 1, slabs));
  PetscCall(Case(g, "-pc_gridmg_divide 1 -pc_gridmg_smooths 2", 1, PETSC_FALSE));
  PetscCall(Case(g, "-pc_gridmg_smooths 1 -pc_gridmg_reduced no", 1, PETSC_FALSE));
  return CheckFinish("gridmg_slabs");
}

/*TEST
  testset:
    output_file: output/gridmg_slabs.out
    requires: double
    test:
      suffix: 1
      nsize: 3
    test:
      suffix: groups
      nsize: 3
      args: -heptane_groups 2
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: peer
      nsize: {{2 4}}
      args: -heptane_test_comm_check -heptane_comm peer
    test:
      suffix: mpi
      nsize: 2
      args: -heptane_comm mpi
    test:
      suffix: nccl
      nsize: 2
      args: -log_sync 0 -heptane_comm nccl
    test:
      suffix: cuda
      nsize: 2
      requires: cuda
      args: -expect_cuda -heptane_test_comm_check -heptane_comm {{peer mpi}}
TEST*/

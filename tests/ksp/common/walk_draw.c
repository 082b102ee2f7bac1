#include "walk_draw.h"
#include <petscsys.h>

PetscErrorCode DrawPC(const Walk *w, Settings *s)
{
  const char *const jacobi[] = {"diagonal", "diagonal", "rowmax", "rowl1"}, *const cycles[] = {"v", "v", "w"};
  const char *const yes[] = {"no", "yes"}, *const axes[] = {"auto", "auto", "x", "z"}, *const precisions[] = {"single", "double"},
                    *const methods[] = {"inverse", "lu", "qr"};
  const PetscInt          *n         = w->drawn.n;
  const PetscBool          often     = (PetscBool)!OneIn(8);
  PetscBool                grid_type, cuda = CheckOption("-expect_cuda");
  const PetscMPIInt        size     = CheckProcesses();
  PetscInt                 type     = Below(4);
  const PetscInt           absolute = OneIn(5), fix = !OneIn(5);
  char                     grid[64] = "";

  PetscFunctionBeginUser;
  if (cuda && size > 1 && type == 3) type = 2; /* PETSc 3.26 fixes signs of rowl1 on the host, where sums of several processes that are on a device are not */
  s->pc = (Preconditioner)(OneIn(2) ? Below(3) : Below(PCS));
  if (w->plain && s->pc >= REGISTERS) s->pc = JACOBI;
  if (w->drawn.zeros && s->pc != NONE) s->pc = JACOBI;
  if (s->pc == BJACOBI && s->solver == BICG && OneIn(2)) s->pc = PBJACOBI;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)w->A, &grid_type, "seqaijbdiagh", "mpiaijbdiagh", ""));
  if (!grid_type && s->pc == GRIDMG && often) s->pc = REGISTERS;
  s->pc_options[0] = 0;
  if (s->pc == JACOBI)
    PetscCall(PetscSNPrintf(s->pc_options, sizeof(s->pc_options), "-pc_jacobi_type %s -pc_jacobi_abs %s -pc_jacobi_fixdiagonal %s", jacobi[type],
                            yes[absolute && type < 3], yes[fix]));
  if (s->pc == REGISTERS)
    PetscCall(PetscSNPrintf(s->pc_options, sizeof(s->pc_options), "-pc_blockjacobireg_block_size %d -pc_blockjacobireg_method %s", (int)w->drawn.bs,
                            methods[Below(3)]));
  if (s->pc == BJACOBI)
    PetscCall(PetscSNPrintf(s->pc_options, sizeof(s->pc_options), "-sub_pc_type %s%s", s->solver == CG && OneIn(2) ? "icc" : "ilu",
                            cuda ? " -sub_pc_factor_mat_solver_type petsc" : "")); /* that of cuSPARSE: see pair.h */
  if (s->pc == GRIDMG && OneIn(2)) PetscCall(PetscSNPrintf(grid, sizeof(grid), "-pc_gridmg_grid %d,%d,%d ", (int)n[0], (int)n[1], (int)n[2]));
  if (s->pc == GRIDMG)
    PetscCall(PetscSNPrintf(s->pc_options, sizeof(s->pc_options), "%s-pc_gridmg_precision %s -pc_gridmg_cycle %s -pc_gridmg_line_axis %s -pc_gridmg_divide %d",
                            grid, precisions[Below(2)], cycles[Below(3)], axes[Below(4)], (int)Below(4) - 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void DrawNorm(Settings *s)
{
  s->side = PC_LEFT;
  s->norm = OneIn(2) ? KSP_NORM_PRECONDITIONED : KSP_NORM_UNPRECONDITIONED;
  if (s->solver == CG && OneIn(4)) s->norm = KSP_NORM_NATURAL;
  if (s->solver == BCGS && s->norm == KSP_NORM_UNPRECONDITIONED) s->side = PC_RIGHT;
  if (OneIn(12)) s->norm = KSP_NORM_NONE;
}

void DrawTolerances(Settings *s)
{
  const PetscReal rtol[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

  s->rtol       = rtol[Below(9)];
  s->atol       = OneIn(10) ? 1e-3 : 1e-50;
  s->most       = OneIn(6) ? Below(9) : 2000;
  s->least      = OneIn(8) ? 1 + Below(4) : 0;
  s->check_from = OneIn(15) ? Below(4) : -1;
  if (s->norm == KSP_NORM_NONE) s->most = 1 + Below(4);
  s->least = PetscMin(s->least, s->most); /* PETSc demands it */
}

PetscErrorCode DrawFused(const Walk *w, Settings *s)
{
  const char *const modes[]      = {"auto", "auto", "auto", "twin", "kernels", "graph", "persistent"};
  const char *const precisions[] = {"double", "double", "double", "mixed", "mixed", "mixed", "auto"};
  const char *const folds[] = {"auto", "yes", "no"}, *const kinds[] = {"first", "first", "first", "first", "fourth", "opt_fourth"};
  const PetscInt  m = Below(7), p = Below(7), f = Below(3), after = Below(4) - 1, interval = Below(4), factor = Below(3), kind = Below(6);
  const PetscBool sums = OneIn(8);

  PetscFunctionBeginUser;
  (void)w;
  s->mixed = (PetscBool)(p > 2);
  PetscCall(PetscSNPrintf(s->fused, sizeof(s->fused),
                          "-ksp_fused_mode %s -ksp_fused_precision %s -ksp_fused_fold %s -ksp_fused_fold_after %d -ksp_fused_check_interval %d "
                          "-ksp_fused_precision_factor %g",
                          modes[m], precisions[p], folds[f], (int)after, (int)interval, factor ? 0.01 : 0.2));
  s->options[0] = 0;
  if (s->solver == CG) PetscCall(PetscSNPrintf(s->options, sizeof(s->options), "-ksp_cg_single_reduction %s", sums ? "yes" : "no"));
  if (s->solver == CHEBYSHEV && s->norm == KSP_NORM_NONE)
    PetscCall(PetscSNPrintf(s->options, sizeof(s->options), "-ksp_chebyshev_eigenvalues 0.1,2 -ksp_chebyshev_kind %s", kinds[kind]));
  else if (s->solver == CHEBYSHEV) /* other kinds have the norms of the iterate before */
    PetscCall(PetscSNPrintf(s->options, sizeof(s->options), "-ksp_chebyshev_esteig 0,0.03,0,1.4 -ksp_chebyshev_kind first"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawSolver(const Walk *w, Settings *s)
{
  PetscFunctionBeginUser;
  s->solver = (Solver)(w->symmetric ? Below(4) : 1 + Below(2));
  DrawNorm(s);
  DrawTolerances(s);
  PetscCall(DrawFused(w, s));
  PetscCall(DrawPC(w, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "gridcompare.h"
#include "gridcycle.h"

/* Lines with entries that no neighbours have, or -1 where some lead from line to line */
static PetscInt CycleLinked(const CycleLevel *l, PetscInt line)
{
  PetscInt  at[3], of[3], lines = 0;
  PetscBool linked;

  for (PetscInt first = 0; first < l->N / l->bs; first++) {
    CyclePosition(l, first * l->bs, at);
    if (at[line]) continue;
    linked = PETSC_FALSE;
    for (PetscInt i = 0; i < l->N; i++) {
      PetscInt here[3];

      CyclePosition(l, i, here);
      if (here[(line + 1) % 3] != at[(line + 1) % 3] || here[(line + 2) % 3] != at[(line + 2) % 3]) continue;
      for (PetscInt j = 0; j < l->N; j++) {
        CyclePosition(l, j, of);
        if (l->A[i * l->N + j] == 0 || CycleNeighbours(here, of) >= 0) continue;
        if (of[(line + 1) % 3] != at[(line + 1) % 3] || of[(line + 2) % 3] != at[(line + 2) % 3]) return -1;
        linked = PETSC_TRUE;
      }
    }
    lines += linked;
  }
  return lines;
}

/* As -pc_gridmg_dense does it: from the last level on, while entries lie within lines and a million numbers, or an eighth of those of all levels, are enough for the inverses */
static void CycleWhole(Cycle *c)
{
  const PetscInt fast = c->line == 0 ? 1 : 0, slow = c->line == 2 ? 1 : 2, swap = c->level[0].n[fast] == 1;
  PetscReal      reals = 0, inverses = 0;

  for (PetscInt k = 0; k < c->levels; k++) {
    const CycleLevel *l      = &c->level[k];
    const PetscInt    across = l->n[swap ? slow : fast], along = l->n[swap ? fast : slow];

    reals += (PetscReal)(2 * ((across + 1) / 2) * along * l->n[c->line]) * (7 * l->bs * l->bs + 2 * l->bs);
  }
  for (PetscInt k = c->levels - 1; k >= 0; k--) {
    const PetscInt  lines = CycleLinked(&c->level[k], c->line);
    const PetscReal n     = (PetscReal)(c->level[k].n[c->line] * c->level[k].bs);

    inverses += lines * n * n;
    if (lines < 0 || c->level[0].bs > 8 || n > 512 || inverses > PetscMax(0.125 * reals, 1048576)) return;
    c->level[k].whole = PETSC_TRUE;
  }
}

PetscErrorCode GridSolverCreate(const Grid *g, const GridCycle *with, int kind, Mat A, PC *pc)
{
  const char *const axes[] = {"x", "y", "z"};

  PetscFunctionBeginUser;
  PetscCall(GridOption("-pc_gridmg_grid", "%d,%d,%d", g->n[0], g->n[1], g->n[2]));
  PetscCall(GridOption("-pc_gridmg_levels", "%d", with->most, 0, 0));
  PetscCall(GridOption("-pc_gridmg_smooths", "%d", with->smooths, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_line_axis", axes[with->line]));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_cycle", with->cycle));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_threshold", "1e30"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_precision", kind ? "single" : "double"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_half", kind == 2 ? "true" : "false"));
  PetscCall(CheckPCCreate(A, "gridmg", pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One cycle against the dense one. whole: entries within a line are part of its solution; other: the dense one is that of other values, which has to be noticed */
static PetscErrorCode CompareOne(const Grid *g, const GridCycle *with, PetscBool whole, PetscBool other)
{
  const PetscBool doubles = (PetscBool)(sizeof(PetscReal) == sizeof(double));
  const PetscInt  more    = with->cycle[0] == 'v' ? 1 : with->cycle[0] == 'w' ? 2 : 3;
  Grid            dense   = *g;
  Cycle          *c;
  Mat             A;
  Vec             x, y, r;
  PC              pc;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where),
                          "%d x %d x %d cells of %d, %d wells, %d %% inactive, lines along %d, %s cycle, %d levels, %d sweeps%s", (int)g->n[0], (int)g->n[1],
                          (int)g->n[2], (int)g->bs, (int)g->wells, (int)(100 * g->inactive), (int)with->line, with->cycle, (int)with->most, (int)with->smooths,
                          whole ? ", whole lines" : ""));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_dense", whole ? "true" : "false"));
  dense.seed += other;
  PetscCall(PetscNew(&c));
  PetscCall(CycleCreate(&dense, with->line, with->most, with->smooths, more, c));
  if (whole) CycleWhole(c);
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, c->level[0].N, &r));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(CycleTake(c, x));
  PetscCall(CycleRun(c, 0, more));
  PetscCall(CycleGive(c, r));
  for (int kind = 0; kind < 3; kind++) {
    const char     *text      = kind == 0 ? "in double precision" : kind == 1 ? "in single precision" : "in single precision, rounded couplings";
    const PetscReal tolerance = kind == 2 ? 1e-2 : kind == 1 || !doubles ? 2e-4 : 1e-11;

    PetscCall(GridSolverCreate(g, with, kind, A, &pc));
    for (int again = 0; again < 2; again++) { /* nothing of the application before may be left */
      PetscCall(PCApply(pc, x, y));
      PetscCall(CheckVec(y, r, tolerance, text));
    }
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(CheckDestroy(&x, &y, &r, &A));
  PetscCall(CycleDestroy(c));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareCycle(const Grid *g, GridCycle with, PetscBool other)
{
  PetscFunctionBeginUser;
  PetscCall(CompareOne(g, &with, PETSC_TRUE, other));
  if (g->wells) PetscCall(CompareOne(g, &with, PETSC_FALSE, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static char help[] = "PCLINES and PCREDBLACK against dense matrices: grids of every parity, line axes, unknowns per cell, wells, inactive cells.\n";

#include "gridcycle.h"

static PetscErrorCode Settings(const Grid *g, PetscInt line, PetscBool single)
{
  const char *const axes[] = {"x", "y", "z"};

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridOption("-pc_lines_grid", "%d,%d,%d", g->n[0], g->n[1], g->n[2]));
  PetscCall(GridOption("-pc_redblack_grid", "%d,%d,%d", g->n[0], g->n[1], g->n[2]));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_lines_line_axis", axes[line]));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_redblack_line_axis", axes[line]));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_lines_precision", single ? "single" : "double"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_pc_lines_precision", single ? "single" : "double"));
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%d x %d x %d cells of %d, %d wells, %d %% inactive, lines along %d", (int)g->n[0], (int)g->n[1],
                          (int)g->n[2], (int)g->bs, (int)g->wells, (int)(100 * g->inactive), (int)line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(Mat A, const char type[], PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All lines, each solved by elimination with dense matrices, for the right-hand side b */
static PetscErrorCode AllLines(const Grid *g, PetscInt line, Cycle *c)
{
  const CycleLevel *l         = &c->level[0];
  const PetscInt    stride[3] = {1, l->n[0], l->n[0] * l->n[1]};
  PetscInt          at[3];

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(l->x, l->N));
  for (PetscInt cell = 0; cell < GridCells(g); cell++) {
    CyclePosition(l, cell * l->bs, at);
    if (at[line] == 0) CycleLine(l, cell, stride[line], l->n[line], l->b);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x solved by elimination with pivots: A x = b, A and b are lost */
static void Direct(PetscInt n, PetscReal A[], PetscReal b[])
{
  for (PetscInt k = 0; k < n; k++) {
    PetscInt p = k;

    for (PetscInt i = k + 1; i < n; i++)
      if (PetscAbsReal(A[i * n + k]) > PetscAbsReal(A[p * n + k])) p = i;
    for (PetscInt j = 0; p != k && j <= n; j++) {
      PetscReal *a = j < n ? &A[k * n + j] : &b[k], *o = j < n ? &A[p * n + j] : &b[p], t = *a;

      *a = *o;
      *o = t;
    }
    for (PetscInt i = k + 1; i < n; i++) {
      const PetscReal f = A[i * n + k] / A[k * n + k];

      if (f == 0) continue;
      for (PetscInt j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (PetscInt k = n - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
}

/* Against what the dense matrix gives. other: it is that of other values, which has to be noticed */
static PetscErrorCode Compare(const Grid *g, PetscInt line, PetscBool other)
{
  const PetscBool doubles = (PetscBool)(sizeof(PetscReal) == sizeof(double));
  Grid            dense   = *g;
  Cycle          *c;
  Mat             A;
  Vec             x, y, r;
  PC              pc;

  PetscFunctionBeginUser;
  dense.seed += other;
  PetscCall(PetscNew(&c));
  PetscCall(CycleCreate(&dense, line, 1, 1, 1, c));
  PetscCall(Settings(g, line, PETSC_FALSE));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, c->level[0].N, &r));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(CycleTake(c, x));
  for (int solved = 0; solved < 2; solved++) { /* by lines; wholly */
    PetscCall(AllLines(g, line, c));
    if (solved) {
      PetscCall(PetscArraycpy(c->level[0].x, c->level[0].b, c->level[0].N));
      Direct(c->level[0].N, c->level[0].A, c->level[0].x);
    }
    PetscCall(CycleGive(c, r));
    for (int single = 0; single < 2; single++) {
      const PetscReal tolerance = solved ? (doubles ? 1e-8 : 2e-3) : single || !doubles ? 2e-4 : 1e-11;

      PetscCall(Settings(g, line, (PetscBool)single));
      PetscCall(Create(A, solved ? "redblack" : "lines", &pc));
      for (int again = 0; again < 2; again++) { /* nothing of the application before may be left */
        PetscCall(PCApply(pc, x, y));
        PetscCall(CheckVec(y, r, tolerance,
                           solved   ? (single ? "solution, lines in single precision" : "solution")
                           : single ? "lines in single precision"
                                    : "lines"));
      }
      PetscCall(PCDestroy(&pc));
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscCall(CycleDestroy(c));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Grids of every parity, thin in one direction or two, with every line axis; brief: few of them */
static PetscErrorCode Grids(Grid g, PetscBool brief)
{
  const PetscInt grids[][3] = {
    {1,  1, 1 },
    {2,  1, 1 },
    {1,  3, 1 },
    {1,  1, 31},
    {17, 1, 1 },
    {1,  2, 5 },
    {2,  2, 1 },
    {3,  1, 4 },
    {5,  4, 1 },
    {1,  8, 7 },
    {3,  3, 3 },
    {4,  4, 4 },
    {5,  3, 2 },
    {2,  6, 7 },
    {6,  7, 3 },
    {5,  7, 6 },
    {9,  8, 2 },
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(grids); k += brief ? 5 : 1)
    for (PetscInt line = 0; line < 3; line++)
      for (g.bs = 1; g.bs < 4; g.bs++) {
        PetscCall(PetscArraycpy(g.n, grids[k], 3));
        g.inactive = k % 3 == 2 ? 0.3 : 0;
        PetscCall(Compare(&g, line, PETSC_FALSE));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = {
    .n = {4, 3, 5},
      .bs = 1, .seed = 2, .strength = {1, 2, 5},
      .std = 1.5, .accumulation = 0.1
  };
  Grid well = {
    .n = {5, 4, 9},
      .bs = 1, .seed = 3, .strength = {1, 2, 5},
      .std = 1, .accumulation = 0.1, .wells = 2
  };
  PetscBool brief = PETSC_FALSE;
  PetscInt  before[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", "0.5"));
  PetscCall(Grids(g, brief));
  for (g.bs = 4; g.bs < 9; g.bs += brief ? 4 : 1) PetscCall(Compare(&g, 1, PETSC_FALSE));
  for (g.bs = well.bs = 1; g.bs < 4; g.bs += 2, well.bs += 2) {
    for (PetscInt line = 0; line < 3; line++) PetscCall(Compare(&well, line, PETSC_FALSE));
    RejectBegin(before);
    PetscCall(Compare(&g, 2, PETSC_TRUE));
    PetscCall(RejectEnd(before, "lines and solutions of other values are told from the right ones"));
  }
  return CheckFinish("lines");
}

/*TEST

  testset:
    args: -redblack_ksp_type {{gmres fusedbcgs}} -redblack_ksp_rtol 1e-12 -redblack_ksp_max_it 2000
    output_file: output/lines.out
    test:
      suffix: 1
      comments: quick
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda
    test:
      suffix: cuda_rounds
      requires: cuda double
      # without a fused solver nothing reads the option
      args: -expect_cuda -heptane_graph_repeat no -options_left 0

  # for compute-sanitizer, with which a launch takes 10 ms
  testset:
    args: -brief -redblack_ksp_type fusedbcgs -redblack_ksp_rtol 1e-12 -redblack_ksp_max_it 2000
    output_file: output/lines_small.out
    test:
      suffix: small
      requires: double
    test:
      suffix: cuda_small
      requires: cuda double
      args: -expect_cuda

TEST*/

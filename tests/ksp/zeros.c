static char help[] =
  "Fused solvers on the host with matrices of many inactive cells, whose block diagonals are mostly zeros: products are MatMult()'s, copies in single precision are not; against aij.\n";

#include "common/view.h"
#include "../mat/common/problem.h"

/* Cells of planes of 16 x 16: six lines are active, or all from cell `full` on, and coupled with their active neighbours */
static PetscBool Active(PetscInt cell, PetscInt full)
{
  return (PetscBool)(cell >= full || cell / 16 % 16 < 6);
}

static PetscErrorCode Make(PetscInt cells, PetscInt bs, PetscInt full, PetscInt seed, const char type[], Mat *A)
{
  const PetscInt far[] = {-256, -16, -1, 1, 16, 256};
  PetscInt       lo, hi, rows = cells * bs;

  PetscFunctionBeginUser;
  PetscCall(CheckMatCreate(PETSC_COMM_WORLD, PETSC_DECIDE, rows, bs, type, PETSC_FALSE, A));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  for (PetscInt c = lo / bs; c < hi / bs; c++) {
    const PetscBool active = Active(c, full);

    for (PetscInt p = 0; p < bs; p++) {
      PetscScalar sum = 1;

      for (int k = 0; k < 6 && active; k++) {
        const PetscInt    d = c + far[k];
        const PetscScalar a = -(PetscScalar)(1 + ProblemHash(seed, PetscMin(c, d), PetscMax(c, d)) % 100) / 50;

        if (d < 0 || d >= cells || !Active(d, full)) continue;
        for (PetscInt q = 0; q < bs; q++) {
          const PetscScalar apq = p == q ? a : a / 20;

          PetscCall(MatSetValue(*A, c * bs + p, d * bs + q, apq, INSERT_VALUES));
          sum -= apq;
        }
      }
      for (PetscInt q = 0; q < bs; q++) PetscCall(MatSetValue(*A, c * bs + p, c * bs + q, p == q ? sum : (PetscScalar)0.1, INSERT_VALUES));
    }
  }
  PetscCall(CheckAssemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A, const char type[], const char options[], Vec *x, PetscInt *its, Plan *plan)
{
  Vec b;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CheckVecs(A, x, 0, &b, 3));
  PetscCall(CheckKSPCreate(A, type, NULL, PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-9, 500, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(CheckKSPSolve(ksp, b, *x, its, NULL));
  PetscCall(Look(ksp, plan));
  PetscCall(CheckDestroy(&ksp, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt    cells, bs, full; /* full: the row from which on no diagonal is zero */
  PetscBool   matmult;         /* products have to be MatMult()'s */
  const char *type, *twin, *pc;
} Solved;

static PetscErrorCode CompareSolved(Solved s)
{
  static Plan     plan;
  const PetscReal tolerance = PetscDefined(USE_REAL_SINGLE) ? 1e-2 : 1e-6;
  char            options[128];
  PetscInt        its[3];
  Mat             A, R;
  Vec             x, y;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-pc_type %s -ksp_fused_fold auto -ksp_fused_precision double", s.pc));
  PetscCall(CheckWhere("%d cells of %d, full from %d on, %s %s", (int)s.cells, (int)s.bs, (int)s.full, s.type, s.pc));
  PetscCall(Make(s.cells, s.bs, s.full, 5, "bdiagh", &A));
  PetscCall(Make(s.cells, s.bs, s.full, 5, "aij", &R));
  for (int values = 0; values < 2; values++) {
    if (values) { /* these go into the format alone */
      PetscCall(MatScale(A, 2));
      PetscCall(MatScale(R, 2));
    }
    PetscCall(Solve(R, s.twin, options, &y, &its[0], &plan));
    PetscCall(Solve(A, s.type, options, &x, &its[1], &plan));
    PetscCall(CheckVec(x, y, tolerance, "solution"));
    PetscCall(CheckTrue(PetscAbsInt(its[0] - its[1]) <= 2 + its[0] / 10, "iterations"));
    PetscCall(CheckTrue((strstr(plan.text, "call: MatMult") != NULL) == s.matmult, "whose products"));
    PetscCall(VecDestroy(&x));
    if (!PetscDefined(USE_REAL_SINGLE)) {
      PetscCall(Solve(A, s.type, "-ksp_fused_precision mixed", &x, &its[2], &plan));
      PetscCall(CheckVec(x, y, tolerance, "solution in mixed precision"));
      PetscCall(CheckTrue(strstr(plan.text, "in single precision") && !strstr(plan.text, "call: MatMult"), "copies in single precision"));
      PetscCall(VecDestroy(&x));
      PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_precision", "double"));
    }
    PetscCall(VecDestroy(&y));
  }
  PetscCall(CheckDestroy(&A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  for (PetscInt bs = 1; bs < 4; bs += 2) {
    const char *const pc = bs > 1 ? "pbjacobi" : "jacobi";

    PetscCall(
      CompareSolved((Solved){.cells = 8192 * size, .bs = bs, .full = 8192 * size, .matmult = PETSC_TRUE, .type = "fusedbcgs", .twin = KSPBCGS, .pc = pc}));
    PetscCall(
      CompareSolved((Solved){.cells = 8192 * size, .bs = bs, .full = 8192 * size, .matmult = PETSC_TRUE, .type = "fusedcg", .twin = KSPCG, .pc = "jacobi"}));
  }
  PetscCall(CompareSolved((Solved){.cells = 8192 * size, .bs = 1, .type = "fusedbcgs", .twin = KSPBCGS, .pc = "jacobi"}));
  PetscCall(CompareSolved((Solved){
    .cells = 2048 * size, .bs = 1, .full = 2048 * size, .type = "fusedcg", .twin = KSPCG, .pc = "jacobi"})); /* in caches the diagonals are good enough */
  PetscCall(CompareSolved((Solved){.cells   = 8192 * size,
                                   .bs      = 1,
                                   .full    = 8192 * (size - 1),
                                   .matmult = (PetscBool)(size > 1),
                                   .type    = "fusedcg",
                                   .twin    = KSPCG,
                                   .pc      = "none"})); /* the last process alone would take its diagonals */
  return CheckFinish("zeros");
}

/*TEST
  testset:
    output_file: output/zeros.out
    test:
      suffix: 1
      nsize: {{1 3}}
    test:
      suffix: 2
      comments: quick
      nsize: 2
TEST*/

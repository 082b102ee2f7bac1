static char help[] =
  "Relaxation, ILU, LU and solvers that smooth by them: by groups of identical rows as with AIJ, to the last bit where PETSc's own code runs.\n";

#include "common/coo.h"
#include "common/loop.h"
#include <petscksp.h>

/* In parallel PETSc has Eisenstat's trick for blocks with inodes alone */
static PetscErrorCode HasEisenstat(Mat R, PetscBool *has)
{
  Mat block;

  PetscFunctionBeginUser;
  PetscCall(MatGetDiagonalBlock(R, &block));
  *has = PETSC_TRUE;
  if (block != R) PetscCall(MatHasOperation(block, MATOP_MULT_DIAGONAL_BLOCK, has));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, has, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  int         flag;
  PetscReal   omega;
  PetscInt    its, lits;
} sweeps[] = {
  {"forward",            SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS,   1.0, 1, 1},
  {"backward, twice",    SOR_LOCAL_BACKWARD_SWEEP | SOR_ZERO_INITIAL_GUESS,  1.0, 2, 1},
  {"symmetric",          SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 1.0, 2, 1},
  {"symmetric, guess",   SOR_LOCAL_SYMMETRIC_SWEEP,                          1.0, 1, 2},
  {"forward, omega 1.2", SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS,   1.2, 2, 1},
  {"Eisenstat",          SOR_EISENSTAT,                                      1.0, 1, 1},
};

/* products: blocks of A are multiplied by a format of its own between two sweeps */
static PetscErrorCode Sweeps(Mat A, Mat R, PetscBool products, const char ways[])
{
  Vec       b[2], x[2];
  PetscBool eisenstat;

  PetscFunctionBeginUser;
  PetscCall(HasEisenstat(R, &eisenstat));
  PetscCall(MatCreateVecs(A, &x[0], &b[0]));
  PetscCall(MatCreateVecs(R, &x[1], &b[1]));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sweeps); k++) {
    if (sweeps[k].flag == SOR_EISENSTAT && !eisenstat) continue;
    for (int t = 0; t < 2; t++) {
      PetscCall(CheckVecFill(b[t], 7));
      PetscCall(CheckVecFill(x[t], 8));
      PetscCall(MatSOR(t ? R : A, b[t], sweeps[k].omega, (MatSORType)sweeps[k].flag, 0.0, sweeps[k].its, sweeps[k].lits, x[t]));
    }
    const char *const text = CheckText("%s, MatSOR, %s", ways, sweeps[k].name);
    if (products) PetscCall(CheckVec(x[0], x[1], CHECK_TOLERANCE, text));
    else PetscCall(CheckSame(x[0], x[1], text));
  }
  PetscCall(CheckDestroy(&b[0], &x[0], &b[1], &x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal block as a matrix of its own, which somebody holds while the values change: a product, a sweep, an ILU whose numeric phase alone is run again */
typedef struct {
  Mat block, F;
} Held;

static PetscErrorCode HeldCreate(Mat A, Held *h)
{
  MatFactorInfo info;
  IS            row, col;

  PetscFunctionBeginUser;
  PetscCall(MatGetDiagonalBlock(A, &h->block));
  PetscCall(PetscObjectReference((PetscObject)h->block));
  PetscCall(MatGetOrdering(h->block, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatGetFactor(h->block, MATSOLVERPETSC, MAT_FACTOR_ILU, &h->F));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(MatILUFactorSymbolic(h->F, h->block, row, col, &info));
  PetscCall(MatLUFactorNumeric(h->F, h->block, &info));
  PetscCall(CheckDestroy(&row, &col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeldCheck(Held h[2], const char ways[])
{
  MatFactorInfo info;
  Vec           x[2], y[2];

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  for (int what = 0; what < 3; what++) {
    for (int t = 0; t < 2; t++) {
      PetscCall(CheckVecs(h[t].block, &x[t], 9, &y[t], 0));
      if (what == 0) PetscCall(MatSOR(h[t].block, x[t], 1.0, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0.0, 1, 1, y[t]));
      if (what == 1) PetscCall(MatMultAdd(h[t].block, x[t], x[t], y[t]));
      if (what == 2) {
        PetscCall(MatLUFactorNumeric(h[t].F, h[t].block, &info));
        PetscCall(MatSolve(h[t].F, x[t], y[t]));
      }
    }
    const char *const text = CheckText("%s, block held, %s", ways, what == 0 ? "MatSOR" : what == 1 ? "MatMultAdd" : "ILU");
    if (what == 1) PetscCall(CheckVec(y[0], y[1], CHECK_TOLERANCE, text));
    else PetscCall(CheckSame(y[0], y[1], text));
    PetscCall(CheckDestroy(&x[0], &y[0], &x[1], &y[1]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const solvers[] = {
  "-ksp_type richardson -pc_type sor",
  "-ksp_type gmres -pc_type sor -pc_sor_local_symmetric",
  "-ksp_type cg -pc_type eisenstat",
  "-ksp_type gmres -pc_type bjacobi -sub_pc_type sor",
  "-ksp_type gmres -pc_type asm -sub_pc_type sor",
  "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_ordering_type rcm",
  "-ksp_type gmres -pc_type bjacobi -sub_pc_type lu",
  "-ksp_type gmres -pc_type mg -pc_mg_levels 1 -mg_levels_pc_type sor",
  "-ksp_type cg -pc_type gamg -pc_gamg_coarse_eq_limit 8 -mg_levels_pc_type sor",
};

static PetscErrorCode Solvers(Mat A, Mat R, const char ways[])
{
  PetscBool eisenstat, wanted;

  PetscFunctionBeginUser;
  PetscCall(HasEisenstat(R, &eisenstat));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(solvers); k++) {
    PetscOptions       options;
    PetscInt           its[2];
    KSPConvergedReason reason[2];
    Vec                x[2];

    PetscCall(PetscStrendswith(solvers[k], "eisenstat", &wanted));
    if (wanted && !eisenstat) continue;
    PetscCall(PetscOptionsCreate(&options));
    PetscCall(PetscOptionsInsertString(options, solvers[k]));
    for (int t = 0; t < 2; t++) {
      KSP ksp;
      Vec b;

      PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
      PetscCall(PetscObjectSetOptions((PetscObject)ksp, options));
      PetscCall(KSPSetOperators(ksp, t ? R : A, t ? R : A));
      PetscCall(KSPSetTolerances(ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-9, PETSC_CURRENT, PETSC_CURRENT, 200));
      PetscCall(KSPSetFromOptions(ksp));
      PetscCall(CheckVecs(t ? R : A, &x[t], 0, &b, 10));
      PetscCall(CheckKSPSolve(ksp, b, x[t], &its[t], &reason[t]));
      PetscCall(CheckDestroy(&ksp, &b));
    }
    PetscCall(CheckTrue(reason[0] > 0 && reason[1] > 0, CheckText("%s, %s: converged", ways, solvers[k])));
    PetscCall(CheckTrue(PetscAbsInt(its[0] - its[1]) <= (PetscDefined(USE_REAL_SINGLE) ? 1 : 0), CheckText("%s, %s: iterations", ways, solvers[k])));
    PetscCall(CheckVec(x[0], x[1], PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-8, CheckText("%s, %s: solution", ways, solvers[k])));
    for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
    PetscCall(PetscOptionsDestroy(&options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inodes(const Problem *p, Mat A, Mat R)
{
  PetscBool         device = CheckOption("-device_values");
  const PetscMPIInt size   = CheckProcesses();
  Held              held[2];
  Coo               c;
  Mat               D;

  PetscFunctionBeginUser;
  if (p->split) PetscFunctionReturn(PETSC_SUCCESS); /* a rank without rows has no sweep */
  PetscCall(Sweeps(A, R, PETSC_FALSE, "MatSetValues"));
  PetscCall(Solvers(A, R, "MatSetValues"));
  PetscCall(HeldCreate(A, &held[0]));
  PetscCall(HeldCreate(R, &held[1]));
  PetscCall(HeldCheck(held, "MatSetValues"));
  PetscCall(CheckProducts(A, R, "MatSetValues"));
  PetscCall(MatScale(A, 2.0)); /* with a GPU the host's values are behind from here on */
  PetscCall(MatScale(R, 2.0));
  PetscCall(HeldCheck(held, "MatScale"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(MatScale(R, 2.0));
  PetscCall(Sweeps(A, R, PETSC_FALSE, "MatScale"));
  PetscCall(CheckDestroy(&held[0].block, &held[0].F, &held[1].block, &held[1].F));

  PetscCall(CooCreate(p, R, COO_BLOCKS, device, &c));
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &D));
  PetscCall(MatSetPreallocationCOO(D, c.n, c.i, c.j));
  PetscCall(CooSet(p, &c, 2.0, INSERT_VALUES, D));
  PetscCall(HeldCreate(D, &held[0]));
  PetscCall(HeldCreate(R, &held[1]));
  PetscCall(CooSet(p, &c, 4.0, INSERT_VALUES, D)); /* as R now is */
  PetscCall(HeldCheck(held, "COO"));
  PetscCall(CooSet(p, &c, 8.0, INSERT_VALUES, D));
  PetscCall(MatScale(R, 2.0));
  PetscCall(Sweeps(D, R, (PetscBool)(size > 1), "COO"));
  PetscCall(CooSet(p, &c, 16.0, INSERT_VALUES, D));
  PetscCall(MatScale(R, 2.0));
  PetscCall(Solvers(D, R, "COO"));
  PetscCall(CooDestroy(&c));
  PetscCall(CheckDestroy(&held[0].block, &held[0].F, &held[1].block, &held[1].F, &D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Inodes, "inodes")

/*TEST
  testset:
    args: -bs 1,2,3,5 -pattern gh,inactive,wells,ragged -symmetric -diagonal 40
    output_file: output/inodes_1.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 1_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  testset:
    args: -bs 1,2,3,5 -pattern gh,inactive,wells,ragged -symmetric -diagonal 40
    output_file: output/inodes_2.out
    nsize: 2
    test:
      suffix: 2
      comments: quick
    test:
      suffix: 2_sellp
      args: -mat_type sellp
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values
TEST*/

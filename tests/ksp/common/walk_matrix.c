#include "walk_matrix.h"
#include "walk_draw.h"
#include "walk_solver.h"
#include "../../mat/common/check_device.h"
#include "../../mat/common/problem.h"
#include <petscsys.h>

/* What type a matrix gets: of the library or PETSc's, which on the device is that of cuSPARSE */
static const char *DrawType(const Walk *w)
{
  const char *const types[] = {"bdiagh", "bdiagh", "sellp", "sellp", MATAIJ};
  const PetscInt    k       = Below(5);
  PetscBool         cuda    = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscOptionsGetBool(NULL, NULL, "-expect_cuda", &cuda, NULL));
  return w->plain ? MATAIJ : k == 4 && cuda ? MATAIJCUSPARSE : types[k];
}

PetscErrorCode WalkMatrix(Walk *w)
{
  const Drawn *s      = &w->drawn;
  const char  *type   = DrawType(w);
  const char  *most[] = {"0.25", "1", "0"};
  const int    m = (int)Below(3), size = (int)OneIn(4);

  PetscFunctionBeginUser;
  w->coo = (PetscBool)OneIn(3);
  PetscCall(CheckDestroy(&w->A, &w->R));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", most[m]));
  if (size) PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_block_size", s->bs == 6 ? "3" : "1"));
  else PetscCall(PetscOptionsClearValue(NULL, "-mat_bdiagh_block_size"));
  PetscCall(DrawnCreate(s, type, PETSC_TRUE, w->coo, &w->A));
  PetscCall(DrawnCreate(s, MATAIJ, PETSC_FALSE, w->coo, &w->R));
  PetscCall(CheckDevice(w->A));
  w->symmetric = s->symmetric;
  w->nice      = (PetscBool)(!s->spread && !s->random && !s->others[0] && !s->others[1] && s->symmetric);
  if (s->symmetric && OneIn(2)) {
    PetscCall(MatSetOption(w->A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(w->R, MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscCall(ShellMake(w));
  PetscCall(PetscSNPrintf(
    w->matrix, sizeof(w->matrix),
    "%s, %d x %d x %d cells, bs %d, axes %d, others %d %d, random %d, wells %d, blocks %d, single %d, symmetric %d, inactive %d, zeros %d, spread %d, scale %g, "
    "cuts %d %d %d, coo %d, max_remainder %s, size %d",
    type, (int)s->n[0], (int)s->n[1], (int)s->n[2], (int)s->bs, (int)s->axes, (int)s->others[0], (int)s->others[1], (int)s->random, (int)s->wells,
    (int)s->blocks, (int)s->single, (int)s->symmetric, (int)s->inactive, (int)s->zeros, (int)s->spread, (double)s->scale, (int)s->cut[1], (int)s->cut[2],
    (int)s->cut[3], (int)w->coo, most[m], size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StepAnother(Walk *w)
{
  const PetscBool symmetric = (PetscBool)OneIn(2), same = OneIn(3);
  const PetscInt  seed = Below(100000);

  PetscFunctionBeginUser;
  if (same) w->drawn.seed = seed; /* as large as before */
  else PetscCall(DrawSystem(&w->drawn, symmetric));
  for (int k = 0; k < 2; k++)
    if (!same || w->of[k].s.solver == BCGS) PetscCall(KSPReset(w->of[k].ksp)); /* for BCGS see StepSolver() */
  PetscCall(WalkMatrix(w));
  PetscCall(Say(w, "%s matrix {%s} ", same ? "a like" : "another", w->matrix));
  for (int k = 0; k < 2; k++) {
    Solving *v = &w->of[k];
    PC       pc;

    PetscCall(KSPGetPC(v->ksp, &pc));
    PetscCall(PCSetType(pc, PCNONE)); /* forgets the grid */
    PetscCall(MatDestroy(&v->P));
    PetscCall(KSPSetOperators(v->ksp, w->A, w->A));
    if (v->s.solver == CG || v->s.solver == CHEBYSHEV || v->s.pc == GRIDMG || OneIn(2)) PetscCall(DrawSolver(w, &v->s));
    else PetscCall(DrawPC(w, &v->s));
    PetscCall(UseSettings(w, v, PETSC_FALSE));
    PetscCall(SaySettings(w, &v->s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the process, about one in seven of the first unknowns of cells */
static PetscErrorCode StepZeroRows(Walk *w, Mat M, PetscInt seed)
{
  const PetscScalar diagonal = 1.5 * w->drawn.scale;
  PetscInt          lo, hi, *rows, n = 0;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(M, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &rows));
  for (PetscInt i = lo; i < hi; i++)
    if (ProblemHash(seed, i, 3) % 7 == 0 && !(w->drawn.zeros && DrawnZero(&w->drawn, i / w->drawn.bs))) rows[n++] = i;
  PetscCall(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, (PetscBool)(seed % 2)));
  if (w->symmetric) PetscCall(MatZeroRowsColumns(M, n, rows, diagonal, NULL, NULL));
  else PetscCall(MatZeroRows(M, n, rows, diagonal, NULL, NULL));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D1 A D2, where D1 = D2 for a symmetric one */
static PetscErrorCode StepDiagonals(Walk *w, Mat M, PetscInt seed)
{
  Vec          l, r;
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(M, &r, &l));
  PetscCall(CheckVecFill(r, seed));
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(VecGetArray(r, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = 1 + 0.4 * a[i];
  PetscCall(VecRestoreArray(r, &a));
  PetscCall(VecCopy(r, l));
  PetscCall(MatDiagonalScale(M, w->symmetric || seed % 3 != 1 ? l : NULL, w->symmetric || seed % 3 != 2 ? r : NULL));
  PetscCall(CheckDestroy(&l, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds half of a matrix with the same entries or, where cells are coupled otherwise, with others */
static PetscErrorCode StepAdd(Mat M, const Drawn *other, PetscBool same)
{
  MatType type;
  Mat     D;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(M, &type));
  if (same) {
    PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &D));
    PetscCall(MatScale(D, 0.7));
  } else PetscCall(DrawnCreate(other, type, PETSC_FALSE, PETSC_FALSE, &D));
  PetscCall(MatAXPY(M, 0.5, D, same ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   What PETSc 3.26 leaves undone in matrices of its own CUDA type: MatMPIAIJSetPreallocation(), which MatAXPY() calls, gives the block of a process no block size, so that point blocks are inverted as
   if they had one row, and read past their end; MatLUFactorNumeric_SeqAIJ_Inode() takes values of the host that are older than those of the device
*/
static PetscErrorCode RepairCuda(Mat A, PetscBool *is)
{
  const PetscScalar *values;
  PetscBool          parallel, sequential;
  PetscInt           bs;
  Mat                block = A;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJCUSPARSE, &parallel));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &sequential));
  *is = (PetscBool)(parallel || sequential);
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  if (parallel) {
    PetscCall(MatGetBlockSize(A, &bs));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    PetscCall(MatSetBlockSize(block, bs));
  }
  PetscCall(MatSeqAIJGetArrayRead(block, &values));
  PetscCall(MatSeqAIJRestoreArrayRead(block, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StepMatrix(Walk *w)
{
  static const char *const names[] = {
    "other values", "MatScale",   "MatShift",       "MatDiagonalScale", "MatZeroRows", "MatAXPY of the same pattern", "MatAXPY of another pattern",
    "new pattern",  "MatConvert", "assembled again"};
  const PetscInt kind = Below(10), seed = Below(10000);
  const char    *type  = DrawType(w);
  Drawn          other = w->drawn;
  PetscBool      coo   = w->coo, cuda;

  PetscFunctionBeginUser;
  PetscCall(RepairCuda(w->A, &cuda));
  other.seed = seed;
  if (kind == 6 || kind == 7) {
    other.axes    = Below(8);
    other.wells   = Below(3);
    other.pattern = seed;
    other.random  = OneIn(2) ? 2 : 0;
  }
  if (kind == 7)
    coo = (PetscBool)(OneIn(2) || cuda); /* MatSetValues() of aijcusparse (3.26) copies values of the old pattern from the device while the new one grows */
  for (int k = 0; k < 2; k++) {
    Mat M = k ? w->R : w->A;

    PetscCall(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (kind == 0 || kind == 7) {
      if (!coo) PetscCall(MatZeroEntries(M));
      PetscCall(DrawnFill(&other, M, coo, (PetscBool)(kind == 7)));
    }
    if (kind == 1) PetscCall(MatScale(M, seed % 2 ? 0.3 : 20));
    if (kind == 2) PetscCall(MatShift(M, 0.3 * w->drawn.scale));
    if (kind == 3) PetscCall(StepDiagonals(w, M, seed));
    if (kind == 4) PetscCall(StepZeroRows(w, M, seed));
    if (kind == 5 || kind == 6) PetscCall(StepAdd(M, &other, (PetscBool)(kind == 5)));
    if (kind == 8 && !k && !w->plain) PetscCall(MatConvert(w->A, type, MAT_INPLACE_MATRIX, &w->A));
    if (kind == 9 || kind == 5) { /* MatAXPY_MPIAIJ() (3.26) leaves inverse blocks that are kept as they were */
      PetscCall(CheckAssemble(M));
    }
  }
  if (kind == 7) {
    w->drawn = other;
    w->coo   = coo;
  } else if (kind > 2 && kind < 9) w->nice = PETSC_FALSE;
  if ((kind > 3 && kind < 9 && kind != 5) || (kind == 2 && w->drawn.zeros)) w->coo = (PetscBool)(kind == 7 && coo);
  PetscCall(RepairCuda(w->A, &cuda));
  for (int k = 0; k < 2 && (kind == 4 || (kind > 5 && kind < 9) || cuda); k++) {
    if (w->of[k].s.pc == BJACOBI) PetscCall(SolvingReset(w, &w->of[k])); /* PETSc's keeps the pattern of its factors, and rows that were alike */
  }
  PetscCall(ShellMake(w));
  PetscCall(Say(w, "%s %d ", kind == 8 ? type : names[kind], (int)seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

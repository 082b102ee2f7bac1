#include "check.h"
#include "problem.h"

PetscInt check_count = 0, check_failures = 0;
char     check_where[256] = "";

/* Counts one comparison, whose result all ranks have; whether its difference is to be shown */
static PetscBool CheckCount(PetscBool good, const char what[])
{
  const PetscBool show = (PetscBool)(!good && check_failures < 20);

  check_count++;
  if (!good) check_failures++;
  if (show) PetscCallAbort(PETSC_COMM_WORLD, PetscPrintf(PETSC_COMM_WORLD, "differs: %s: %s\n", check_where, what));
  return show;
}

PetscErrorCode CheckThat(PetscBool good, const char what[])
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  (void)CheckCount(good, what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckReal(PetscReal a, PetscReal b, PetscReal tolerance, const char what[])
{
  return CheckTrue(PetscAbsReal(a - b) <= tolerance * (1 + PetscAbsReal(b)), what);
}

PetscErrorCode CheckVec(Vec x, Vec r, PetscReal tolerance, const char what[])
{
  const PetscScalar *a, *b;
  PetscInt           n, m, off = 0, first = 0;
  PetscReal          most[3]   = {1, 0, 0};
  char               text[128] = "";

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetLocalSize(r, &m));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(r, &b));
  most[2] = n != m;
  for (PetscInt i = 0; i < m; i++) most[0] = PetscMax(most[0], PetscAbsScalar(b[i]));
  for (PetscInt i = 0; n == m && i < m; i++) {
    const PetscReal difference = PetscAbsScalar(a[i] - b[i]);

    if (PetscIsNanReal(difference)) most[2] = 1;
    else most[1] = PetscMax(most[1], difference);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 3, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  if (CheckCount((PetscBool)(most[1] <= tolerance * most[0] && !most[2]), what)) {
    for (PetscInt i = 0; n == m && i < m; i++)
      if (!(PetscAbsScalar(a[i] - b[i]) <= tolerance * most[0]) && !off++) first = i;
    if (off)
      PetscCall(PetscSNPrintf(text, sizeof(text), "  %" PetscInt_FMT " of %" PetscInt_FMT " entries here, entry %" PetscInt_FMT ": %g instead of %g\n", off, n,
                              first, (double)PetscRealPart(a[first]), (double)PetscRealPart(b[first])));
    PetscCall(PetscSynchronizedPrintf(PETSC_COMM_WORLD, "%s", text));
    PetscCall(PetscSynchronizedFlush(PETSC_COMM_WORLD, PETSC_STDOUT));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecRestoreArrayRead(r, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSame(Vec x, Vec r, const char what[])
{
  const PetscScalar *a, *b;
  PetscInt           n;
  PetscBool          same;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(r, &b));
  PetscCall(PetscArraycmp(a, b, n, &same));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecRestoreArrayRead(r, &b));
  PetscCall(CheckTrue(same, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckVecFill(Vec x, PetscInt seed)
{
  PetscScalar *a;
  PetscInt     lo, hi;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(x, &lo, &hi));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = lo; i < hi; i++) a[i - lo] = (PetscScalar)((PetscReal)ProblemHash(seed, i, 77) / 2147483648.0 - 1.0);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckVecLike(Vec like, PetscInt seed, Vec *x)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(like, x));
  PetscCall(CheckVecFill(*x, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckVecs(Mat A, Vec *right, PetscInt of_right, Vec *left, PetscInt of_left)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, right, left));
  if (of_right) PetscCall(CheckVecFill(*right, of_right));
  if (of_left) PetscCall(CheckVecFill(*left, of_left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckProducts(Mat A, Mat R, const char what[])
{
  Vec  x, y, z, xr, yr, zr;
  char text[128];
  PetscBool
    wrong; /* MatMultTransposeAdd_SeqAIJCUSPARSE() of PETSc 3.26 adds what the result held, unless it is the summand: a product's result has that type */

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &wrong));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatCreateVecs(R, &xr, &yr));
  for (int transpose = 0; transpose < 2; transpose++) {
    Vec in = transpose ? y : x, out = transpose ? x : y, inr = transpose ? yr : xr, outr = transpose ? xr : yr;

    PetscCall(VecDuplicate(out, &z));
    PetscCall(VecDuplicate(outr, &zr));
    PetscCall(CheckVecFill(in, 3));
    PetscCall(CheckVecFill(inr, 3));
    PetscCall(CheckVecFill(out, 4)); /* must be overwritten */
    PetscCall((transpose ? MatMultTranspose : MatMult)(A, in, out));
    PetscCall((transpose ? MatMultTranspose : MatMult)(R, inr, outr));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, MatMult%s", what, transpose ? "Transpose" : ""));
    PetscCall(CheckVec(out, outr, CHECK_TOLERANCE, text));
    PetscCall(CheckVecFill(z, 5));
    PetscCall(CheckVecFill(zr, 5));
    if (transpose && wrong) PetscCall(VecCopy(z, out));
    PetscCall((transpose ? MatMultTransposeAdd : MatMultAdd)(A, in, transpose && wrong ? out : z, out));
    PetscCall((transpose ? MatMultTransposeAdd : MatMultAdd)(R, inr, zr, outr));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, MatMult%sAdd", what, transpose ? "Transpose" : ""));
    PetscCall(CheckVec(out, outr, CHECK_TOLERANCE, text));
    PetscCall((transpose ? MatMultTransposeAdd : MatMultAdd)(A, in, z, z));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, MatMult%sAdd in place", what, transpose ? "Transpose" : ""));
    PetscCall(CheckVec(z, outr, CHECK_TOLERANCE, text));
    PetscCall(CheckDestroy(&z, &zr));
  }
  PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckRows(Mat A, Mat R, PetscReal tolerance, const char what[])
{
  const PetscInt    *c, *cr;
  const PetscScalar *v, *vr;
  PetscInt           lo, hi, lor, hir, n, nr;
  PetscBool          good;
  char               text[128];

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetOwnershipRange(R, &lor, &hir));
  good = (PetscBool)(lo == lor && hi == hir);
  for (PetscInt i = lo; good && i < hi; i++) {
    PetscCall(MatGetRow(A, i, &n, &c, &v));
    PetscCall(MatGetRow(R, i, &nr, &cr, &vr));
    good = (PetscBool)(n == nr);
    for (PetscInt k = 0; good && k < n; k++) good = (PetscBool)(c[k] == cr[k] && PetscAbsScalar(v[k] - vr[k]) <= tolerance * (1 + PetscAbsScalar(vr[k])));
    PetscCall(MatRestoreRow(A, i, &n, &c, &v));
    PetscCall(MatRestoreRow(R, i, &nr, &cr, &vr));
  }
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s, rows", what));
  PetscCall(CheckTrue(good, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMat(Mat A, Mat R, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, what));
  PetscCall(CheckRows(A, R, CHECK_TOLERANCE, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSameType(Mat A, Mat B, const char what[])
{
  MatType   a, b;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &a));
  PetscCall(MatGetType(B, &b));
  PetscCall(PetscStrcmp(a, b, &same));
  PetscCall(CheckTrue(same, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int CheckFinish(const char name[])
{
  const PetscInt digits[] = {1, 2, 5};
  PetscInt       least    = 0;

  for (PetscInt ten = 1; ten <= check_count; ten *= 10)
    for (int k = 0; k < 3; k++)
      if (digits[k] * ten <= check_count) least = digits[k] * ten;
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "%s: %" PetscInt_FMT " comparisons\n", name, check_count));
  PetscCall(check_failures ? PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " of %" PetscInt_FMT " comparisons failed\n", name, check_failures, check_count)
                           : PetscPrintf(PETSC_COMM_WORLD, "%s: at least %" PetscInt_FMT " comparisons\n", name, least));
  PetscCall(PetscFinalize());
  return check_failures ? 1 : 0;
}

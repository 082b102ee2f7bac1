static char help[] =
  "HeptaneLeastSquares(): the normal equations, what is left of the right-hand sides, dependent columns, twice bit for bit, arguments refused.\n";

#include "common/check.h"

/* Looked up in the library that -dll_append has loaded */
static PetscErrorCode (*LeastSquares)(PetscMemType, PetscInt, PetscInt, PetscInt, const PetscScalar[], PetscScalar[], PetscInt *);

static PetscErrorCode VectorCreate(PetscInt n, Vec *v)
{
  PetscBool cuda = CheckOption("-expect_cuda");

  PetscFunctionBeginUser;
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, n, n));
  PetscCall(VecSetType(*v, cuda ? VECSEQCUDA : VECSEQ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the vectors lie; x is copied from b first */
static PetscErrorCode Call(PetscInt count, PetscInt m, PetscInt n, Vec a, Vec b, Vec x, PetscInt *deficient)
{
  const PetscScalar *aa;
  PetscScalar       *xx;
  PetscMemType       at, to;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(b, x));
  PetscCall(VecGetArrayReadAndMemType(a, &aa, &at));
  PetscCall(VecGetArrayAndMemType(x, &xx, &to));
  PetscCheck(at == to, PETSC_COMM_SELF, PETSC_ERR_PLIB, "the matrices and the right-hand sides lie in different memories");
  PetscCall((*LeastSquares)(to, count, m, n, aa, xx, deficient));
  PetscCall(VecRestoreArrayAndMemType(x, &xx));
  PetscCall(VecRestoreArrayReadAndMemType(a, &aa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A^T (b - A x) is zero up to rounding, and the last m - n entries of the answer have the length of b - A x */
static PetscErrorCode CheckAnswers(PetscInt count, PetscInt m, PetscInt n, Vec a, Vec b, Vec x)
{
  const PetscReal    tolerance = 100 * PETSC_MACHINE_EPSILON;
  const PetscScalar *aa, *bb, *xx;
  PetscReal          r[112], terms[112];
  PetscBool          normal = PETSC_TRUE, left = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(a, &aa));
  PetscCall(VecGetArrayRead(b, &bb));
  PetscCall(VecGetArrayRead(x, &xx));
  for (PetscInt c = 0; c < count; c++) {
    const PetscScalar *A = aa + c * m * n, *answer = xx + c * m;
    PetscReal          length = 0, expected = 0, size = 0;

    for (PetscInt i = 0; i < m; i++) {
      r[i] = terms[i] = PetscRealPart(bb[c * m + i]);
      terms[i]        = PetscAbsReal(terms[i]);
      for (PetscInt s = 0; s < n; s++) {
        r[i] -= PetscRealPart(A[s * m + i] * answer[s]);
        terms[i] += PetscAbsScalar(A[s * m + i] * answer[s]);
      }
      expected += PetscSqr(r[i]);
      size += PetscSqr(terms[i]);
      if (i >= n) length += PetscSqr(PetscRealPart(answer[i]));
    }
    for (PetscInt s = 0; s < n; s++) {
      PetscReal sum = 0, most = 0;

      for (PetscInt i = 0; i < m; i++) {
        sum += PetscRealPart(A[s * m + i]) * r[i];
        most += PetscAbsScalar(A[s * m + i]) * terms[i];
      }
      if (!(PetscAbsReal(sum) <= tolerance * most)) normal = PETSC_FALSE;
    }
    if (!(PetscAbsReal(PetscSqrtReal(length) - PetscSqrtReal(expected)) <= tolerance * PetscSqrtReal(size))) left = PETSC_FALSE;
  }
  PetscCall(VecRestoreArrayRead(a, &aa));
  PetscCall(VecRestoreArrayRead(b, &bb));
  PetscCall(VecRestoreArrayRead(x, &xx));
  PetscCall(CheckTrue(normal, "the normal equations"));
  PetscCall(CheckTrue(left, "the length of the residual"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Systems(PetscInt count, PetscInt m, PetscInt n)
{
  Vec          a, b, x, y;
  PetscScalar *aa;
  PetscInt     deficient;
  PetscBool    same;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%" PetscInt_FMT " matrices of %" PetscInt_FMT " x %" PetscInt_FMT, count, m, n));
  PetscCall(VectorCreate(count * m * n, &a));
  PetscCall(VectorCreate(count * m, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(CheckVecFill(a, m));
  PetscCall(CheckVecFill(b, n));
  PetscCall(VecGetArray(a, &aa));
  for (PetscInt c = 0; c < count; c++)
    for (PetscInt s = 0; s < n; s++) aa[(c * n + s) * m + s] += (PetscScalar)n; /* columns far from dependent */
  PetscCall(VecRestoreArray(a, &aa));
  PetscCall(Call(count, m, n, a, b, x, &deficient));
  PetscCall(CheckTrue(deficient == 0, "no dependent columns"));
  PetscCall(CheckAnswers(count, m, n, a, b, x));
  PetscCall(Call(count, m, n, a, b, y, NULL));
  PetscCall(VecEqual(x, y, &same));
  PetscCall(CheckTrue(same, "twice"));
  PetscCall(VecGetArray(a, &aa));
  PetscCall(PetscArrayzero(aa + (count * n - 1) * m, m)); /* the last column of the last matrix */
  PetscCall(VecRestoreArray(a, &aa));
  PetscCall(Call(count, m, n, a, b, x, &deficient));
  PetscCall(CheckTrue(deficient == 1, "a column of zeros"));
  PetscCall(CheckDestroy(&a, &b, &x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refused(PetscInt count, PetscInt m, PetscInt n)
{
  PetscErrorCode code;
  PetscScalar    none = 0;

  PetscFunctionBeginUser;
  CheckCode(code, (*LeastSquares)(PETSC_MEMTYPE_HOST, count, m, n, &none, &none, NULL));
  PetscCall(CheckWhere("%" PetscInt_FMT " matrices of %" PetscInt_FMT " x %" PetscInt_FMT, count, m, n));
  PetscCall(CheckTrue(code == PETSC_ERR_ARG_OUTOFRANGE, "refused"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt rows[] = {1, 4, 7, 8, 12, 16, 20, 24, 28, 31, 32, 33, 48, 49, 64, 80, 96, 112}, counts[] = {1, 37};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscDLSym(NULL, "HeptaneLeastSquares", (void **)&LeastSquares));
  PetscCheck(LeastSquares, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "libheptane is not loaded: -dll_append path/to/libheptane.so");
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rows); k++)
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(counts); c++) {
      PetscCall(Systems(counts[c], rows[k], rows[k]));
      PetscCall(Systems(counts[c], rows[k], (rows[k] + 1) / 2));
    }
  PetscCall(Refused(-1, 4, 4));
  PetscCall(Refused(1, 3, 4));
  PetscCall(Refused(1, 4, 0));
  PetscCall(Refused(1, 113, 4));
  return CheckFinish("leastsquares");
}

/*TEST
  testset:
    output_file: output/leastsquares.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda
TEST*/

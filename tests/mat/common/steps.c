#include "steps.h"
#include "block_arrays.h"
#include "both_products.h"

/* Coordinates of the diagonal and of part of the entries that the problem has in the process's rows, and of as many others as it has rows; some twice, some to be ignored, one of another process */
static PetscErrorCode AnewCoordinates(const Problem *p, Mat M, PetscInt seed, PetscInt **i, PetscInt **j, PetscInt *n)
{
  const PetscInt N = ProblemRows(p);
  PetscInt       lo, hi, *cols, most;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(M, &lo, &hi));
  most = (hi - lo) * (2 * N + 3) + 1;
  PetscCall(PetscMalloc1(N, &cols));
  PetscCall(PetscMalloc2(most, i, most, j));
  *n = 0;
  for (PetscInt r = lo; r < hi; r++) {
    PetscInt k = ProblemRow(p, r, cols);

    cols[k++] = r;
    cols[k++] = (PetscInt)(ProblemHash(seed, r, 1) % (unsigned)N);
    for (PetscInt c = 0; c < k; c++)
      for (PetscInt times = c + 2 < k ? ProblemHash(seed, r, cols[c]) % 3 : 1; times; times--) {
        (*i)[*n]     = ProblemHash(seed + 1, r, cols[c]) % 9 ? r : -1;
        (*j)[(*n)++] = cols[c];
      }
    (*i)[*n]     = r; /* the diagonal is always there */
    (*j)[(*n)++] = r;
  }
  if (N) {
    const PetscInt r = (PetscInt)(ProblemHash(seed, lo, 2) % (unsigned)N);

    (*i)[*n]     = r;
    (*j)[(*n)++] = r;
  }
  PetscCall(PetscFree(cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GivePatternAnew(const Problem *p, Mat M, PetscInt seed, int times)
{
  PetscInt    *i, *j, n = 0, lo;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(M, &lo, NULL));
  PetscCall(AnewCoordinates(p, M, seed, &i, &j, &n));
  PetscCall(PetscMalloc1(n, &v));
  PetscCall(MatSetPreallocationCOO(M, n, i, j));
  for (int t = 0; t < times; t++) {
    for (PetscInt k = 0; k < n; k++) v[k] = (PetscScalar)(ProblemHash(seed + t, lo, k) / 2147483648.0 - 1.0);
    PetscCall(MatSetValuesCOO(M, v, t ? ADD_VALUES : INSERT_VALUES));
  }
  PetscCall(PetscFree(v));
  PetscCall(PetscFree2(i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M becomes what a duplicate of it is; half of them are multiplied before */
static PetscErrorCode BecomeDuplicate(Mat M, PetscInt seed, PetscBool merge)
{
  Mat D;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &D));
  if (seed % 2) PetscCall(BothProducts(D));
  if (merge) PetscCall(MatHeaderMerge(M, &D));
  else PetscCall(MatHeaderReplace(M, &D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DoOther(const Problem *p, OtherStep step, PetscInt seed, PetscBool twin, Mat *M)
{
  const char *const types[] = {"bdiagh", "sellp", MATAIJ};
  PetscReal         norm;

  PetscFunctionBeginUser;
  switch (step) {
  case PATTERN_ANEW:
    PetscCall(GivePatternAnew(p, *M, seed, 1));
    break;
  case PATTERN_AGAIN:
    PetscCall(GivePatternAnew(p, *M, seed, 2));
    break;
  case TYPE:
    PetscCall(MatConvert(*M, twin ? MATAIJ : types[seed % 3], MAT_INPLACE_MATRIX, M));
    break;
  case DUPLICATE:
  case DUPLICATE_MERGED:
    PetscCall(BecomeDuplicate(*M, seed, (PetscBool)(step == DUPLICATE_MERGED)));
    break;
  case FILTER:
    PetscCall(MatFilter(*M, (PetscReal)0.1, PETSC_TRUE, PETSC_TRUE));
    break;
  case ARRAYS:
    PetscCall(DoubleArrays(*M));
    PetscCall(MatScale(*M, 0.5)); /* values stay of size 1 */
    break;
  case PRODUCT:
    PetscCall(BothProducts(*M));
    break;
  case NORMS:
    PetscCall(MatNorm(*M, seed % 2 ? NORM_FROBENIUS : NORM_INFINITY, &norm));
    break;
  case BIND:
    if (!twin) PetscCall(MatBindToCPU(*M, (PetscBool)(seed % 2)));
    break;
  case SCALE:
    PetscCall(MatScale(*M, seed % 2 ? -1.5 : 0.75));
    break;
  case ZERO:
    PetscCall(MatZeroEntries(*M));
    break;
  default:
    PetscCall(MatTranspose(*M, MAT_INPLACE_MATRIX, M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

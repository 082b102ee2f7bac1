static char help[] = "The value array of the block diagonals: its layout as documented, values written into it, on the host or on the device.\n";

#include "common/loop.h"

/* The functions of heptane.h, looked up in the library that -dll_append has loaded */
static PetscErrorCode (*GetLayout)(Mat, PetscInt *, PetscInt *, const PetscInt *[], PetscInt *);
static PetscErrorCode (*GetArray)(Mat, PetscScalar *[], PetscMemType *);
static PetscErrorCode (*RestoreArray)(Mat, PetscScalar *[]);

static PetscErrorCode LookUp(void)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDLSym(NULL, "MatBDIAGHGetLayout", (void **)&GetLayout));
  PetscCall(PetscDLSym(NULL, "MatBDIAGHGetArrayAndMemType", (void **)&GetArray));
  PetscCall(PetscDLSym(NULL, "MatBDIAGHRestoreArrayAndMemType", (void **)&RestoreArray));
  PetscCheck(GetLayout && GetArray && RestoreArray, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "libheptane is not loaded: -dll_append path/to/libheptane.so");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every entry that the layout places in the array is there, with p's value, and gets q's, in the array and in R */
static PetscErrorCode Rewrite(const Problem *p, const Problem *q, Mat A, Mat R, PetscBool *found)
{
  PetscInt        b, ndiag, ld, lo, hi, clo, chi, n, *cols;
  const PetscInt *offsets;
  PetscScalar    *array, *v;
  PetscMemType    mtype;
  Vec             wrapped; /* on top of the array: VecGetArray() moves it to the host */

  PetscFunctionBeginUser;
  PetscCall(GetLayout(A, &b, &ndiag, &offsets, &ld));
  PetscCall(GetArray(A, &array, &mtype));
#if defined(PETSC_HAVE_CUDA)
  if (PetscMemTypeDevice(mtype)) PetscCall(VecCreateSeqCUDAWithArray(PETSC_COMM_SELF, 1, ndiag * b * ld, array, &wrapped));
  else
#endif
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, ndiag * b * ld, array, &wrapped));
  PetscCall(VecGetArray(wrapped, &v));
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  PetscCall(MatGetOwnershipRangeColumn(R, &clo, &chi));
  PetscCall(PetscMalloc1(ProblemCols(p), &cols));
  for (PetscInt i = lo; i < hi; i++) {
    n = ProblemRow(p, i, cols);
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt row = i - lo, col = cols[k] - clo;

      if (cols[k] < clo || cols[k] >= chi) continue;
      for (PetscInt r = 0; r < ndiag; r++) {
        PetscScalar *place = v + (r * b + col % b) * ld + row;

        if (col / b - row / b != offsets[r]) continue;
        if (*place != ProblemValue(p, i, cols[k])) *found = PETSC_FALSE;
        *place = ProblemValue(q, i, cols[k]);
        PetscCall(MatSetValue(R, i, cols[k], *place, INSERT_VALUES));
      }
    }
  }
  PetscCall(CheckAssemble(R));
  PetscCall(PetscFree(cols));
  PetscCall(VecRestoreArray(wrapped, &v));
  PetscCall(VecGetArrayReadAndMemType(wrapped, (const PetscScalar **)&v, NULL)); /* and back to where the array is */
  PetscCall(VecRestoreArrayReadAndMemType(wrapped, (const PetscScalar **)&v));
  PetscCall(VecDestroy(&wrapped));
  PetscCall(RestoreArray(A, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Array(const Problem *p, Mat A, Mat R)
{
  Problem   q = *p, before;
  PetscInt  ndiag;
  PetscBool found = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(LookUp());
  PetscCall(GetLayout(A, NULL, &ndiag, NULL, NULL));
  PetscCall(CheckTrue(ndiag > 0 || p->split, "the pattern has block diagonals"));
  for (int again = 0; again < 2; again++) {
    before = q;
    q.seed += 130;
    /* the second time the remainder and other processes' columns hold the first values still */
    if (again) {
      PetscCall(ProblemFill(&before, A));
      PetscCall(ProblemFill(&before, R));
    }
    PetscCall(Rewrite(&before, &q, A, R, &found));
    PetscCall(CheckTrue(found, "the entries lie in the array where the layout says"));
    PetscCall(CheckMat(A, R, "values written into the array"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Array, "array")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8,17 -pattern gh,inactive,wells,shifted,holes
    output_file: output/array.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
TEST*/

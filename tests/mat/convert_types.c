static char help[] =
  "Conversions from all of PETSc's types to the type under test, and back, in each way: the entries and products, or the error, that AIJ gives.\n";

#include "common/caught.h"
#include "common/loop.h"
#include "common/sources.h"

/* One conversion, of which errors are kept: code and message */
static PetscErrorCode Try(Mat S, MatType type, MatReuse reuse, Mat *C, PetscErrorCode *code, char said[], size_t n)
{
  PetscFunctionBeginUser;
  CheckCaught(*code, MatConvert(S, type, reuse, C));
  PetscCall(PetscStrncpy(said, caught, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many entries, and the same product; where C is of the type under test all products and rows */
static PetscErrorCode CheckResult(Mat C, Mat R, PetscBool back, const char text[])
{
  MatInfo info[2];
  Vec     x[2], y[2];
  Mat     M[2] = {C, R};

  PetscFunctionBeginUser;
  if (!back) {
    for (int k = 0; k < 2; k++) PetscCall(MatGetInfo(M[k], MAT_GLOBAL_SUM, &info[k]));
    PetscCall(CheckTrue(info[0].nz_used == info[1].nz_used, CheckText("%s, %g entries instead of %g", text, info[0].nz_used, info[1].nz_used)));
    PetscCall(CheckMat(C, R, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckVecs(M[k], &x[k], 41, &y[k], 0));
    PetscCall(MatMult(M[k], x[k], y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], CHECK_TOLERANCE, text));
  PetscCall(CheckDestroy(&x[0], &y[0], &x[1], &y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* S[0] to types[0], S[1] to types[1], new, then with other values into what there is, then in place; back: results are not AIJ. S is destroyed. */
static PetscErrorCode Conversions(Mat S[2], const char *const types[2], PetscBool scale, PetscBool back, const char what[])
{
  Mat            C[2] = {NULL, NULL};
  PetscErrorCode code[2];
  char           said[2][512], text[192];
  PetscBool      same, again = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (int way = 0; again && way < 3; way++) {
    const MatReuse reuse[] = {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX, MAT_INPLACE_MATRIX};

    PetscCall(PetscSNPrintf(text, sizeof(text), "%s %s", what, way ? (way > 1 ? "in place" : "again") : "new"));
    if (way == 1)
      PetscCall(MatDestroy(
        &C[1])); /* the reference is always a new one: PETSc spoils an AIJ matrix into which it converts SBAIJ, and leaves old values where DENSE now has zeros */
    for (int k = 0; k < 2; k++) {
      if (way == 1 && scale) PetscCall(MatScale(S[k], -0.75));
      PetscCall(Try(S[k], types[k], k && way == 1 ? MAT_INITIAL_MATRIX : reuse[way], way < 2 ? &C[k] : &S[k], &code[k], said[k], sizeof(said[k])));
    }
    PetscCall(PetscStrcmp(said[0], said[1], &same));
    PetscCall(CheckTrue((code[0] != 0) == (code[1] != 0), text));
    if (code[1]) PetscCall(CheckTrue(same, said[0]));
    if (!code[0] && !code[1]) PetscCall(CheckResult(way < 2 ? C[0] : S[0], way < 2 ? C[1] : S[1], back, text));
    if (code[0] || code[1]) again = PETSC_FALSE; /* nobody knows what is left */
  }
  PetscCall(CheckDestroy(&C[0], &S[0], &C[1], &S[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense matrix, converted again into what it was converted to: it has lost entries, which are zero then; moved: AIJ, and as many have come elsewhere, which is an error or right */
static PetscErrorCode OtherEntries(Mat R, const char name[], PetscBool moved)
{
  Mat            D, C, X;
  PetscInt       lo, hi, n, k;
  PetscErrorCode code;
  char           said[512];

  PetscFunctionBeginUser;
  PetscCall(MatConvert(R, MATDENSE, MAT_INITIAL_MATRIX, &D));
  PetscCall(MatConvert(moved ? R : D, name, MAT_INITIAL_MATRIX, &C));
  PetscCall(CheckProducts(C, R, "before entries change"));
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    const PetscInt    *c;
    const PetscScalar *v;

    PetscCall(MatGetRow(R, i, &n, &c, &v));
    for (k = 0; k < n && c[k] == i; k++) {}
    if (k < n) {
      PetscCall(MatSetValue(D, i, c[k], 0.0, INSERT_VALUES));
      for (k = 0; k < n && c[k] == k; k++) {}
      if (moved) PetscCall(MatSetValue(D, i, k, 3.0, INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(R, i, &n, &c, &v));
  }
  PetscCall(CheckAssemble(D));
  PetscCall(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &X));
  PetscCall(Try(moved ? X : D, name, MAT_REUSE_MATRIX, &C, &code, said, sizeof(said)));
  PetscCall(CheckTrue(!code || moved, said));
  if (!code) PetscCall(CheckProducts(C, X, moved ? "entries elsewhere" : "fewer entries"));
  PetscCall(CheckDestroy(&X, &D, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ConvertTypes(const Problem *p, Mat A, Mat R)
{
  const char *back[] = {MATDENSE, MATBAIJ, MATSBAIJ, MATSELL, MATIS, MATAIJPERM};
  const char *types[2];
  char        name[64] = "bdiagh", what[128];
  PetscBool   refused  = CheckOption("-refused"); /* what ends in an error, which leaves memory behind in PETSc, and nothing else */
  Mat         S[2];

  PetscFunctionBeginUser;
  (void)p;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", name, sizeof(name), NULL));
  types[0] = name;
  types[1] = MATAIJ;
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(R, MAT_SYMMETRIC, PETSC_TRUE));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sources); k++) {
    if ((sources[k].kind == SHELL_EMPTY) != refused) continue;
    for (int s = 0; s < 2; s++) PetscCall(CreateSource(k, R, &S[s]));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s to %s", sources[k].name, name));
    PetscCall(Conversions(S, types, sources[k].scale, PETSC_FALSE, what));
  }
  for (size_t k = 0; !refused && k < PETSC_STATIC_ARRAY_LENGTH(back); k++) {
    types[0] = types[1] = back[k];
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &S[0]));
    PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &S[1]));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s to %s", name, back[k]));
    PetscCall(Conversions(S, types, PETSC_TRUE, PETSC_TRUE, what));
  }
  PetscCall(OtherEntries(R, name, refused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_CELLS, ConvertTypes, "convert_types")

/*TEST
  testset:
    args: -symmetric -pattern gh -bs 2 -mat_type {{bdiagh sellp}}
    output_file: output/convert_types_quick.out
    test:
      suffix: quick
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda

  test:
    suffix: refused
    nsize: {{1 2}}
    args: -refused -checkfunctionlist 0 -malloc_dump 0 -pattern gh -bs 2 -mat_type {{bdiagh sellp}}
    output_file: output/convert_types_refused.out

  testset:
    nsize: 2
    args: -symmetric -pattern banded -bs 3 -mat_type {{bdiagh sellp}}
    output_file: output/convert_types_2.out
    test:
      suffix: 2
    test:
      suffix: 2_cuda
      requires: cuda
      args: -expect_cuda
TEST*/

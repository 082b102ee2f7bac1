#include "first.h"
#include "ranks_grid.h"

PetscBool first_by_nccl;

PetscErrorCode FirstCompare(DM da, Mat A, PC pc, PetscBool wrong, const char what[])
{
  const PetscReal tolerance = CheckOption("-expect_cuda") ? 1e-4 : 0;
  PetscInt        rows, bs, *row;
  PetscBool       same = PETSC_TRUE;
  PetscReal       error, norm;
  VecScatter      scatter;
  PC              one;
  IS              order;
  Mat            *sub;
  AO              numbers;
  Vec             x, y, u, v, w;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &x, 7, &y, 0));
  PetscCall(PCApply(pc, x, y));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  if (CheckRank()) rows = 0;
  PetscCall(PetscMalloc1(rows, &row));
  for (PetscInt i = 0; i < rows; i++) row[i] = i;
  if (da) {
    PetscCall(DMDAGetAO(da, &numbers));
    PetscCall(AOApplicationToPetsc(numbers, rows, row));
  }
  for (PetscInt c = 0; c < rows / bs; c++) row[c] = row[c * bs] / bs;
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, rows / bs, row, PETSC_OWN_POINTER, &order));
  PetscCall(MatCreateSubMatrices(A, 1, &order, &order, MAT_INITIAL_MATRIX, &sub));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, rows, &u));
  PetscCall(VecScatterCreate(x, order, u, NULL, &scatter));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecDuplicate(u, &w));
  PetscCall(VecScatterBegin(scatter, x, u, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, u, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterBegin(scatter, y, v, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, y, v, INSERT_VALUES, SCATTER_FORWARD));
  if (!CheckRank()) {
    Mat R;

    PetscCall(MatConvert(sub[0], "seqaijbdiagh", MAT_INITIAL_MATRIX, &R));
    if (wrong) PetscCall(MatScale(R, 1.01));
    PetscCall(GridMgCreate(R, &one));
    PetscCall(PCApply(one, u, w));
    PetscCall(VecNorm(w, NORM_INFINITY, &norm));
    PetscCall(VecAXPY(w, -1, v));
    PetscCall(VecNorm(w, NORM_INFINITY, &error));
    same = (PetscBool)(norm > 0 && error <= tolerance * norm);
    PetscCall(CheckDestroy(&one, &R));
  }
  PetscCallMPI(MPI_Bcast(&same, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
  PetscCall(CheckTrue(same != wrong, what));
  PetscCall(MatDestroySubMatrices(1, &sub));
  PetscCall(CheckDestroy(&scatter, &order, &x, &y, &u, &v, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FirstSetUp(DM da, Mat A, PC pc, FirstChange change, const char what[])
{
  const PetscBool nccl = (PetscBool)(first_by_nccl && !(change == NEW_VALUES_ON_HOST && CheckOption("-expect_cuda")));
  PetscLogDouble  before;
  MatInfo         info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(PCSetOperators(pc, A, A));
  before = petsc_isend_len;
  PetscCall(PCSetUp(pc));
  const PetscLogDouble values = CheckRank() ? sizeof(PetscScalar) * info.nz_used : 0, sent = petsc_isend_len - before;

  if (change == NEW_PATTERN) PetscCall(CheckTrue(sent >= values * sizeof(PetscInt) / sizeof(PetscScalar), CheckText("%s sends rows and columns", what)));
  if (change > NEW_PATTERN) PetscCall(CheckTrue(sent == (nccl ? 0 : values), CheckText("%s sends %g bytes, %g of values", what, sent, values)));
  PetscCall(FirstCompare(da, A, pc, PETSC_FALSE, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

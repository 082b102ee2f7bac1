/*
   What is done with matrices that are small, or used once or twice: solves of few rows, new matrices, submatrices, duplicates, changes of the values.
*/
#include "operation.hpp"

namespace bench
{

static PetscErrorCode answer_y(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(s->y, result));
  PetscCall(VecCopy(s->y, *result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// y is the solution of A y = x
static PetscErrorCode answer_solution(State *, Vec *result)
{
  *result = nullptr;
  return PETSC_SUCCESS;
}

// CG with Jacobi; fused: heptane's with heptane's types, PETSc's with PETSc's
static PetscErrorCode make_solver(State *s, bool fused)
{
  const bool of_petsc = !s->type.compare(0, 3, "aij");
  PC         pc;

  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, "operations_"));
  PetscCall(KSPSetType(s->ksp, fused && !of_petsc ? "fusedcg" : KSPCG));
  PetscCall(KSPSetTolerances(s->ksp, 1e-8, PETSC_DETERMINE, PETSC_DETERMINE, 1000));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscCall(KSPSolve(s->ksp, s->x, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(State *s)
{
  return KSPSolve(s->ksp, s->x, s->y);
}

// As the inner solvers of bjacobi, asm and mg: the solver stays, the matrix is a new one each time
static PetscErrorCode matrix_and_solve(State *s)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(matrix_new(s, &A));
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(KSPSolve(s->ksp, s->x, s->y));
  PetscCall(MatDestroy(&s->C));
  s->C = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sub_product(State *s, Mat sub)
{
  PetscFunctionBeginUser;
  if (!s->sub_x) {
    PetscCall(MatCreateVecs(sub, &s->sub_x, &s->sub_y));
    PetscCall(fill(s->sub_x, false));
  }
  PetscCall(MatMult(sub, s->sub_x, s->sub_y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode submatrix_and_product(State *s, MatReuse reuse)
{
  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDestroy(&s->C));
  PetscCall(MatCreateSubMatrix(s->A, s->half, s->half, s->C ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &s->C));
  PetscCall(sub_product(s, s->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode submatrices_and_product(State *s)
{
  PetscFunctionBeginUser;
  if (s->sub) PetscCall(MatDestroySubMatrices(1, &s->sub));
  PetscCall(MatCreateSubMatrices(s->A, 1, &s->half, &s->half, MAT_INITIAL_MATRIX, &s->sub));
  PetscCall(sub_product(s, s->sub[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode answer_sub(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(s->sub_y, result));
  PetscCall(VecCopy(s->sub_y, *result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode duplicate_and_product(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->C));
  PetscCall(MatDuplicate(s->A, MAT_COPY_VALUES, &s->C));
  PetscCall(MatMult(s->C, s->x, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero_rows_columns_and_product(State *s)
{
  PetscInt              n;
  std::vector<PetscInt> rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(s->A, &n, nullptr));
  for (PetscInt i = 0; i < n; i += 100) rows.push_back(i);
  PetscCall(MatZeroRowsColumns(s->A, static_cast<PetscInt>(rows.size()), rows.data(), 1.0, nullptr, nullptr));
  PetscCall(MatMult(s->A, s->x, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shift_and_diagonal(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatShift(s->A, 1e-6));
  PetscCall(MatGetDiagonal(s->A, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Eight columns
static PetscErrorCode prepare_dense(State *s)
{
  VecType  type;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatMult(s->A, s->x, s->y));
  PetscCall(MatGetLocalSize(s->A, &n, nullptr));
  PetscCall(MatGetVecType(s->A, &type));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, type, n, 8, n, 8, PETSC_DECIDE, nullptr, &s->D));
  for (PetscInt k = 0; k < 8; k++) {
    Vec column;

    PetscCall(MatDenseGetColumnVecWrite(s->D, k, &column));
    PetscCall(VecCopy(s->x, column));
    PetscCall(VecScale(column, 1.0 + 0.1 * static_cast<PetscReal>(k)));
    PetscCall(MatDenseRestoreColumnVecWrite(s->D, k, &column));
  }
  PetscCall(MatMatMult(s->A, s->D, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode dense_product(State *s)
{
  return MatMatMult(s->A, s->D, MAT_REUSE_MATRIX, PETSC_DETERMINE, &s->C);
}

static PetscErrorCode answer_dense(State *s, Vec *result)
{
  Vec column;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(s->y, result));
  PetscCall(MatDenseGetColumnVecRead(s->C, 7, &column));
  PetscCall(VecCopy(column, *result));
  PetscCall(MatDenseRestoreColumnVecRead(s->C, 7, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Twice: a format may be made by the second product of the same values
static PetscErrorCode prepare_product(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(s->A, s->x, s->y));
  PetscCall(MatMult(s->A, s->x, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::vector<Operation> &short_lived_operations()
{
  static const std::vector<Operation> all = {
    {"solve",                      true,  false, [](State *s) { return make_solver(s, false); }, solve,                                                                 answer_solution},
    {"fusedsolve",                 true,  false, [](State *s) { return make_solver(s, true); },  solve,                                                                 answer_solution},
    {"matrix+solve",               true,  false, [](State *s) { return make_solver(s, false); }, matrix_and_solve,                                                      answer_solution},
    {"matrix+fusedsolve",          true,  false, [](State *s) { return make_solver(s, true); },  matrix_and_solve,                                                      answer_solution},
    {"submatrix+matmult",          false, false, prepare_product,                                [](State *s) { return submatrix_and_product(s, MAT_INITIAL_MATRIX); }, answer_sub     },
    {"submatrices+matmult",        false, false, prepare_product,                                submatrices_and_product,                                               answer_sub     },
    {"submatrix_again+matmult",    false, false, prepare_product,                                [](State *s) { return submatrix_and_product(s, MAT_REUSE_MATRIX); },   answer_sub     },
    {"duplicate+matmult",          false, false, prepare_product,                                duplicate_and_product,                                                 answer_y       },
    {"matzerorowscolumns+matmult", false, false, prepare_product,                                zero_rows_columns_and_product,                                         answer_y       },
    {"matshift+matgetdiagonal",    false, false, prepare_product,                                shift_and_diagonal,                                                    answer_y       },
    {"matmatmult_dense",           false, false, prepare_dense,                                  dense_product,                                                         answer_dense   },
  };
  return all;
}

} // namespace bench

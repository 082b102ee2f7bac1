/*
   What each operation does. Values of A may drift while it is timed, within bounds: signs are +-1, sums are small.
*/
#include "operation.hpp"

namespace bench
{

// M times a vector, in a vector of its own
static PetscErrorCode product_with(Mat M, Vec *result)
{
  Vec in;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(M, &in, result));
  PetscCall(fill(in, false));
  PetscCall(MatMult(M, in, *result));
  PetscCall(VecDestroy(&in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode answer_A(State *s, Vec *result)
{
  return product_with(s->A, result);
}

static PetscErrorCode answer_C(State *s, Vec *result)
{
  return product_with(s->C, result);
}

static PetscErrorCode answer_sub(State *s, Vec *result)
{
  return product_with(s->sub[0], result);
}

static PetscErrorCode answer_y(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(s->y, result));
  PetscCall(VecCopy(s->y, *result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode answer_norm(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, result));
  PetscCall(VecSet(*result, s->norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode mult(State *s)
{
  return MatMult(s->A, s->x, s->y);
}

static PetscErrorCode multtranspose(State *s)
{
  return MatMultTranspose(s->A, s->x, s->y);
}

// Set-up of a factor as a preconditioner does it: with the symbolic phase
static PetscErrorCode factor(State *s, MatFactorType type)
{
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->F));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(MatGetFactor(s->A, nullptr, type, &s->F));
  if (type == MAT_FACTOR_ILU) {
    PetscCall(MatILUFactorSymbolic(s->F, s->A, s->natural, s->natural, &info));
    PetscCall(MatLUFactorNumeric(s->F, s->A, &info));
  } else {
    PetscCall(MatICCFactorSymbolic(s->F, s->A, s->natural, &info));
    PetscCall(MatCholeskyFactorNumeric(s->F, s->A, &info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode factor_ilu(State *s)
{
  return factor(s, MAT_FACTOR_ILU);
}

static PetscErrorCode factor_icc(State *s)
{
  return factor(s, MAT_FACTOR_ICC);
}

static PetscErrorCode solve_factor(State *s)
{
  return MatSolve(s->F, s->x, s->y);
}

static PetscErrorCode answer_factor(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(solve_factor(s));
  PetscCall(answer_y(s, result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// GAMG with CG as a user has it by default
static PetscErrorCode gamg_setup(State *s)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, "operations_"));
  PetscCall(KSPSetType(s->ksp, KSPCG));
  PetscCall(KSPSetTolerances(s->ksp, 1e-8, PETSC_DETERMINE, PETSC_DETERMINE, 1000));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscCall(KSPSetUp(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode gamg_solve(State *s)
{
  return KSPSolve(s->ksp, s->x, s->y);
}

static PetscErrorCode prepare_gamg(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(gamg_setup(s));
  PetscCall(gamg_solve(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode answer_gamg(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(gamg_solve(s));
  *result = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode prepare_product(State *s, bool galerkin)
{
  PetscFunctionBeginUser;
  if (galerkin) PetscCall(MatPtAP(s->A, s->P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->C));
  else PetscCall(MatMatMult(s->A, s->P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &s->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// As in a Newton step: the values of A are new, on the device where the type has them there
static PetscErrorCode product(State *s, bool galerkin)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(s->A, -1.0));
  if (galerkin) PetscCall(MatPtAP(s->A, s->P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &s->C));
  else PetscCall(MatMatMult(s->A, s->P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &s->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode transpose(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->C));
  PetscCall(MatTranspose(s->A, MAT_INITIAL_MATRIX, &s->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode submatrices(State *s)
{
  PetscFunctionBeginUser;
  if (s->sub) PetscCall(MatDestroySubMatrices(1, &s->sub));
  PetscCall(MatCreateSubMatrices(s->A, 1, &s->half, &s->half, MAT_INITIAL_MATRIX, &s->sub));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode zero_rows(State *s)
{
  PetscInt              n;
  std::vector<PetscInt> rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(s->A, &n, nullptr));
  for (PetscInt i = 0; i < n; i += 100) rows.push_back(i);
  PetscCall(MatZeroRows(s->A, static_cast<PetscInt>(rows.size()), rows.data(), 1.0, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// One value on the host, then a product: what a time step's boundary condition does
static PetscErrorCode value_and_product(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(s->A, 0, 0, 3.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(mult(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// All values written on the host, then a product: an assembly by MatSetValues() without what is PETSc's in it
static PetscErrorCode values_and_product(State *s)
{
  PetscScalar *a;
  MatInfo      info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(s->A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(s->A, &a));
  for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); k++) a[k] = -a[k];
  PetscCall(MatSeqAIJRestoreArray(s->A, &a));
  PetscCall(mult(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_new(State *s, Mat *A)
{
  const PetscInt    *ptr, *col;
  const PetscScalar *a;
  PetscInt           rows, bs;
  PetscBool          done;

  PetscFunctionBeginUser;
  PetscCall(MatGetBlockSize(s->original, &bs));
  PetscCall(MatGetRowIJ(s->original, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No compressed rows in a matrix of type %s", s->type.c_str());
  PetscCall(MatSeqAIJGetArrayRead(s->original, &a));
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, s->type.c_str()));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, ptr, col, a));
  PetscCall(MatSeqAIJRestoreArrayRead(s->original, &a));
  PetscCall(MatRestoreRowIJ(s->original, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode matrix_and_product(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->C));
  PetscCall(matrix_new(s, &s->C));
  PetscCall(MatMult(s->C, s->x, s->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode shift_and_product(State *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatShift(s->A, 1e-6));
  PetscCall(mult(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode answer_coarse(State *s, Vec *result)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(s->coarse, result));
  PetscCall(VecCopy(s->coarse, *result));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static std::vector<Operation> operations_on_values()
{
  return {
    {"matmult",              false, false, nullptr,                                            mult,                                                                     answer_y     },
    {"matmulttranspose",     false, false, nullptr,                                            multtranspose,                                                            answer_y     },
    {"interpolate",          false, false, [](State *s) { return VecSet(s->coarse, 1.0); },    [](State *s) { return MatMult(s->P, s->coarse, s->y); },                  answer_y     },
    {"restrict",             false, false, nullptr,                                            [](State *s) { return MatMultTranspose(s->P, s->x, s->coarse); },         answer_coarse},
    {"matgetdiagonal",       false, false, mult,                                               [](State *s) { return MatGetDiagonal(s->A, s->y); },                      answer_y     },
    {"matnorm",              false, false, mult,                                               [](State *s) { return MatNorm(s->A, NORM_FROBENIUS, &s->norm); },         answer_norm  },
    {"matshift",             false, false, mult,                                               [](State *s) { return MatShift(s->A, 1e-6); },                            answer_A     },
    {"matdiagonalset",       false, false, mult,                                               [](State *s) { return MatDiagonalSet(s->A, s->ones, INSERT_VALUES); },    answer_A     },
    {"matdiagonalscale",     false, false, mult,                                               [](State *s) { return MatDiagonalScale(s->A, s->signs, s->signs); },      answer_A     },
    {"mataxpy",              false, false, mult,                                               [](State *s) { return MatAXPY(s->A, 1e-3, s->B, SAME_NONZERO_PATTERN); }, answer_A     },
    {"matcopy",              false, false, mult,                                               [](State *s) { return MatCopy(s->B, s->A, SAME_NONZERO_PATTERN); },       answer_A     },
    {"matzerorows",          false, false, mult,                                               zero_rows,                                                                answer_A     },
    {"setvalue+matmult",     false, false, mult,                                               value_and_product,                                                        answer_y     },
    {"values+matmult",       false, true,  mult,                                               values_and_product,                                                       answer_y     },
    {"matrix+matmult",       false, true,  nullptr,                                            matrix_and_product,                                                       answer_y     },
    {"matshift+matmult",     false, false, mult,                                               shift_and_product,                                                        answer_y     },
    {"mattranspose",         false, true,  mult,                                               transpose,                                                                answer_C     },
    {"matcreatesubmatrices", false, true,  mult,                                               submatrices,                                                              answer_sub   },
    {"matmatmult",           false, true,  [](State *s) { return prepare_product(s, false); }, [](State *s) { return product(s, false); },                               answer_C     },
    {"matptap",              false, true,  [](State *s) { return prepare_product(s, true); },  [](State *s) { return product(s, true); },                                answer_C     },
    {"factor_ilu",           false, true,  mult,                                               factor_ilu,                                                               answer_factor},
    {"solve_ilu",            false, true,  factor_ilu,                                         solve_factor,                                                             answer_y     },
    {"factor_icc",           true,  true,  mult,                                               factor_icc,                                                               answer_factor},
    {"solve_icc",            true,  true,  factor_icc,                                         solve_factor,                                                             answer_y     },
    {"gamg_setup",           true,  true,  nullptr,                                            gamg_setup,                                                               answer_gamg  },
    {"gamg_solve",           true,  true,  prepare_gamg,                                       gamg_solve,                                                               answer_gamg  },
  };
}

const std::vector<Operation> &operations()
{
  static const std::vector<Operation> all = [] {
    std::vector<Operation> list = operations_on_values(), more = short_lived_operations();

    list.insert(list.end(), more.begin(), more.end());
    return list;
  }();

  return all;
}

const Exception *exception_for(const std::string &what, const std::string &mat, bool device, const std::string &problem)
{
  static const std::vector<Exception> list = {
    {"matcreatesubmatrices", "",       true,  "",         "groups of equal rows are looked for, with which MatSOR() sweeps by blocks; aijcusparse sweeps by points"},
    {"matcopy",              "sellp",  false, "powerlaw", "padding: as many bytes more"                                                                            },
    {"mataxpy",              "sellp",  false, "powerlaw", "padding: as many bytes more"                                                                            },
    {"mataxpy",              "sellp",  true,  "powerlaw", "padding: as many bytes more"                                                                            },
    {"matmult",              "bdiagh", true,  "powerlaw", "no block diagonals: compressed rows, whose entries of x are gathered; sellp is made for such matrices"  },
    {"matmatmult",           "",       true,  "",         "new values go from the format to compressed rows first"                                                 }
  };

  for (const Exception &e : list) {
    if (what == e.what && (!*e.mat || mat == e.mat) && e.device == device && (!*e.problem || problem == e.problem)) return &e;
  }
  return nullptr;
}

} // namespace bench

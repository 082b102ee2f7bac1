/*
   A parallel system on the first process: see root_grid.hpp.
*/
#include "root_grid.hpp"
#include "../grid/numbering.hpp"
#include "../../../private/mat.hpp"
#include <vector>

namespace heptane
{

RootGridMpi::~RootGridMpi()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode RootGridMpi::Reset()
{
  PetscFunctionBegin;
  if (matrices) {
    PetscCall(MatConvert(matrices[0], MATSEQAIJ, MAT_INPLACE_MATRIX, matrices)); /* PETSc destroys it without calling its type's operations */
    PetscCall(MatDestroySubMatrices(1, &matrices));
  }
  matrices = nullptr;
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscCall(ISDestroy(&rows));
  made_for.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows on the first process, none on other processes: in their numbering, or in that of the grid, in blocks */
static PetscErrorCode all_rows(Mat A, DM grid, IS *rows)
{
  PetscMPIInt           rank;
  PetscInt              count, bs;
  std::vector<PetscInt> row, block;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatGetSize(A, &count, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  if (rank) count = 0;
  if (!grid) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, count, 0, 1, rows));
    PetscCall(ISSetBlockSize(*rows, bs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < count; i++) row.push_back(i);
  PetscCall(grid_renumber(grid, &row, true)); /* collective */
  for (PetscInt i = 0; i < count; i += bs) block.push_back(row[static_cast<std::size_t>(i)] / bs);
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, count / bs, block.data(), PETSC_COPY_VALUES, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridMpi::Make(Mat A, DM grid, MatType type)
{
  const char *prefix;
  PetscBool   bound;
  Vec         x;

  PetscFunctionBegin;
  PetscCall(Reset());
  PetscCall(all_rows(A, grid, &rows));
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &matrices));
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscCall(MatSetOptionsPrefix(matrices[0], prefix));
  PetscCall(MatConvert(matrices[0], type, MAT_INPLACE_MATRIX, matrices));
  PetscObjectOptionsBegin((PetscObject)matrices[0]); /* the settings of A's format; MatSetFromOptions() might change the type */
  PetscTryTypeMethod(matrices[0], setfromoptions, PetscOptionsObject);
  PetscOptionsEnd();
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(MatBindToCPU(matrices[0], bound));
  PetscCall(MatCreateVecs(matrices[0], &in, &out));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecScatterCreate(x, rows, in, NULL, &scatter));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridMpi::Gather(Mat A, DM grid, MatType type, Mat *whole)
{
  PetscBool again;
  Stamp     now;

  PetscFunctionBegin;
  PetscCall(grid_pattern(A, grid, made_for, &now, &again));
  if (again) PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &matrices));
  else PetscCall(Make(A, grid, type));
  made_for = now;
  *whole   = matrices[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridMpi::ToRoot(Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecScatterBegin(scatter, x, in, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, in, INSERT_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridMpi::FromRoot(Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecScatterBegin(scatter, out, y, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, out, y, INSERT_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

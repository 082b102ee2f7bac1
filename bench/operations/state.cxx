/*
   The matrices and vectors that the operations of one matrix type work on: made, put back, destroyed.
*/
#include "operation.hpp"

namespace bench
{

PetscErrorCode fill(Vec v, bool signs)
{
  PetscScalar *a;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = signs ? (i * 7 % 3 ? 1.0 : -1.0) : 1.0 + 0.5 * ((i * 13) % 17) / 17.0;
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Two entries per row, of an aggregate of eight rows and its neighbour
static PetscErrorCode interpolation(MPI_Comm comm, PetscInt rows, const std::string &type, Mat *P)
{
  const PetscInt           cols = (rows + 7) / 8;
  std::vector<PetscInt>    ptr(rows + 1, 0), col;
  std::vector<PetscScalar> val;

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < rows; i++) {
    col.push_back(i / 8);
    val.push_back(1.0 - 0.05 * (i % 8));
    if (i / 8 + 1 < cols) {
      col.push_back(i / 8 + 1);
      val.push_back(0.05 * (i % 8) + 0.01);
    }
    ptr[i + 1] = static_cast<PetscInt>(col.size());
  }
  PetscCall(MatCreate(comm, P));
  PetscCall(MatSetSizes(*P, rows, cols, rows, cols));
  PetscCall(MatSetType(*P, type.c_str()));
  PetscCall(MatSeqAIJSetPreallocationCSR(*P, ptr.data(), col.data(), val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode State::make(MPI_Comm comm, const Problem &p, Mat *base)
{
  PetscFunctionBeginUser;
  PetscCall(matrix_make(comm, p, type, base, &original));
  PetscCall(MatSetOption(original, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatDuplicate(original, MAT_COPY_VALUES, &A));
  PetscCall(MatDuplicate(original, MAT_COPY_VALUES, &B));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatScale(B, 1e-6));
  PetscCall(interpolation(comm, p.rows, type, &P));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &signs));
  PetscCall(VecDuplicate(y, &ones));
  PetscCall(MatCreateVecs(P, &coarse, nullptr));
  PetscCall(fill(x, false));
  PetscCall(fill(signs, true));
  PetscCall(VecSet(ones, 1.0));
  PetscCall(ISCreateStride(comm, p.rows / 2, p.rows / 4, 1, &half));
  PetscCall(ISCreateStride(comm, p.rows, 0, 1, &natural));
  PetscCall(ISSetIdentity(natural));
  PetscCall(matrix_on_device(A, &device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode State::reset()
{
  PetscFunctionBeginUser;
  PetscCall(release());
  PetscCall(MatCopy(original, A, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode State::release()
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&D));
  PetscCall(VecDestroy(&sub_x));
  PetscCall(VecDestroy(&sub_y));
  PetscCall(MatDestroy(&F));
  if (sub) PetscCall(MatDestroySubMatrices(1, &sub));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode State::destroy()
{
  PetscFunctionBeginUser;
  PetscCall(release());
  for (Mat *m : {&original, &A, &B, &P}) PetscCall(MatDestroy(m));
  for (Vec *v : {&x, &y, &signs, &ones, &coarse}) PetscCall(VecDestroy(v));
  PetscCall(ISDestroy(&half));
  PetscCall(ISDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

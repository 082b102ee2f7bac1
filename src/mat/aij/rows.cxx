/*
   Products on the host by the base class, from the block's own arrays: for blocks of which a format keeps only
   compressed rows; for small matrices; and the first product with new values. No value or column is copied.
*/
#include "derived.hpp"
#include "../../pass/small_tuning.hpp"

namespace heptane
{

PetscErrorCode DerivedByRows(Mat A, DerivedMat *m, PetscBool *rows)
{
  LocalPart *part;

  PetscFunctionBegin;
  *rows = PETSC_FALSE;
  if (!m->shortcuts || A->structure_only) PetscFunctionReturn(PETSC_SUCCESS);
  const Stamp now   = DerivedStamp(A);
  const bool  small = A->rmap->n <= SmallTuning::rows;

  if (m->multiplied == now) *rows = (PetscBool)small;
  else if (m->diag && m->prepared_for == now && m->diag->ValuesIfValid(Where::host)) *rows = (PetscBool)(small && !m->diag->Armed());
  else {
    PetscCall(DerivedPartNow(A, m, &part));
    *rows = (PetscBool) !(part && part->Armed()); /* else MatSetValuesCOO() has just written the format */
    if (*rows) m->multiplied = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RowVectors::~RowVectors()
{
  for (Vec &v : of) PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&v));
}

/*
   A vector of n elements without memory of its own, created once: creation is slower than the product of a small block
*/
PetscErrorCode RowVectors::Place(int k, PetscInt n, const Scalar *array, Vec *v)
{
  PetscInt size = -1;

  PetscFunctionBegin;
  if (of[k]) PetscCall(VecGetSize(of[k], &size));
  if (size != n) {
    PetscCall(VecDestroy(&of[k]));
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, NULL, &of[k]));
  }
  PetscCall(VecPlaceArray(of[k], array));
  *v = of[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(Mat A, const struct _MatOps &ops, PetscBool transpose, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (transpose) PetscCall(y ? (*ops.multtransposeadd)(A, x, y, z) : (*ops.multtranspose)(A, x, z));
  else PetscCall(y ? (*ops.multadd)(A, x, y, z) : (*ops.mult)(A, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operations of a block take vectors */
static PetscErrorCode MultiplyArrays(Mat A, const struct _MatOps &ops, RowVectors *vectors, PetscBool transpose, const Scalar *x, const Scalar *y, Scalar *z)
{
  const PetscInt in = transpose ? A->rmap->n : A->cmap->n, out = transpose ? A->cmap->n : A->rmap->n;
  Vec            vx, vy                                        = NULL, vz;

  PetscFunctionBegin;
  PetscCall(vectors->Place(0, in, x, &vx));
  PetscCall(vectors->Place(1, out, z, &vz));
  if (y && y != z) PetscCall(vectors->Place(2, out, y, &vy));
  PetscCall(Multiply(A, ops, transpose, vx, y == z ? vz : vy, vz));
  PetscCall(VecResetArray(vx));
  PetscCall(VecResetArray(vz));
  if (vy) PetscCall(VecResetArray(vy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRowsProduct(Mat A, DerivedMat *m, PetscBool transpose, Vec x, Vec y, Vec z)
{
  const Scalar *of_x, *of_y = NULL;
  Scalar       *of_z;

  PetscFunctionBegin;
  PetscCall(DerivedSync(A, m));
  if (!transpose) {
    PetscCall(Multiply(A, m->base, transpose, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /*
     The base class calls VecSet() or VecCopy(). If this matrix is a block of a parallel one, these would be collective
     (with -log_sync, or in a debug PETSc), and other processes may multiply in the format.
  */
  PetscCall(VecGetArrayRead(x, &of_x));
  PetscCall(y == z ? VecGetArray(z, &of_z) : VecGetArrayWrite(z, &of_z));
  if (y == z) of_y = of_z;
  else if (y) PetscCall(VecGetArrayRead(y, &of_y));
  PetscCall(MultiplyArrays(A, m->base, &m->diag_vectors, transpose, of_x, of_y, of_z));
  if (y && y != z) PetscCall(VecRestoreArrayRead(y, &of_y));
  PetscCall(y == z ? VecRestoreArray(z, &of_z) : VecRestoreArrayWrite(z, &of_z));
  PetscCall(VecRestoreArrayRead(x, &of_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRowsProduct(Mat block, RowVectors *vectors, PetscBool transpose, const Scalar *x, const Scalar *y, Scalar *z)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(block, HostAccess::read));
  PetscCall(MultiplyArrays(block, block->ops[0], vectors, transpose, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

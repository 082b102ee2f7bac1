/*
   Products on the host by the base class, from the block's own arrays: for blocks of which a format keeps only
   compressed rows; for small matrices; and the first product with new values. No value or column is copied.
*/
#include "derived.hpp"
#include "../../pass/small_tuning.hpp"
#include "../../sys/without_events.hpp"

PETSC_EXTERN PetscLogEvent VEC_Set, VEC_Copy;

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

PetscErrorCode DerivedRowsProduct(Mat A, DerivedMat *m, PetscBool transpose, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(DerivedSync(A, m));
  if (transpose) {
    /*
       The base class calls VecSet() or VecCopy() on vectors that may be parallel, if this matrix is a block of a
       parallel one. Other processes may multiply in the format.
    */
    PetscCall(WithoutEvents({VEC_Set, VEC_Copy}, [&] { return y ? (*m->base.multtransposeadd)(A, x, y, z) : (*m->base.multtranspose)(A, x, z); }));
  } else PetscCall(y ? (*m->base.multadd)(A, x, y, z) : (*m->base.mult)(A, x, z));
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

/* A block of a parallel matrix: its operations take vectors */
PetscErrorCode DerivedRowsProduct(Mat block, RowVectors *vectors, PetscBool transpose, const Scalar *x, const Scalar *y, Scalar *z)
{
  const PetscInt in = transpose ? block->rmap->n : block->cmap->n, out = transpose ? block->cmap->n : block->rmap->n;
  Vec            vx, vy                                                = NULL, vz;

  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(block, HostAccess::read));
  PetscCall(vectors->Place(0, in, x, &vx));
  PetscCall(vectors->Place(1, out, z, &vz));
  if (y && y != z) PetscCall(vectors->Place(2, out, y, &vy));
  const Vec add = y == z ? vz : vy;
  if (transpose) PetscCall(y ? (*block->ops->multtransposeadd)(block, vx, add, vz) : (*block->ops->multtranspose)(block, vx, vz));
  else PetscCall(y ? (*block->ops->multadd)(block, vx, add, vz) : (*block->ops->mult)(block, vx, vz));
  PetscCall(VecResetArray(vx));
  PetscCall(VecResetArray(vz));
  if (vy) PetscCall(VecResetArray(vy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

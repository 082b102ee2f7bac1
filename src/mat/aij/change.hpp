/*
   Common part of the operations that change values of a matrix derived from AIJ: the copy of each block's values to
   change, and the state afterwards.
*/
#pragma once

#include "derived.hpp"

namespace heptane
{

/* The copy of a block's values to change */
enum class UpdatePath {
  rows,   /* the compressed rows: the format has no valid values, and is filled at the next product */
  format, /* the format's values, on the side of the products: the compressed rows are updated at the next access */
  both    /* in both, on the host: nothing has to follow */
};

/* Which places a change touches */
enum class UpdateExtent { all, few };

/* Whether a matrix has parts whose values can be changed; if not, only the base class's operation is correct. A local
   answer: another process may have returned its diagonal block to a caller, or have blocks at reused addresses.
   Operations that are collective on only one of the two paths call DerivedAllChangeable(). */
inline bool DerivedChangeable(Mat A, const DerivedMat *m)
{
  return A->assembled && !A->structure_only && m->diag && m->data == A->data;
}
/* Collective: on all processes */
PetscErrorCode DerivedAllChangeable(Mat A, const DerivedMat *m, PetscBool *changeable);

/* The way of a block whose part has been updated. by_entry: the change needs the places of single entries
   (LocalPart::Runs()). */
PetscErrorCode DerivedUpdatePath(const DerivedMat *m, LocalPart *part, Where where, UpdateExtent touch, bool by_entry, UpdatePath *way);

/* Blocks of a matrix with their parts */
struct DerivedBlock {
  LocalPart *part;
  Mat        mat;
  bool       diagonal;
};

/* The blocks that have entries. Parts must have been updated. */
inline std::vector<DerivedBlock> DerivedBlocks(const DerivedMat *m)
{
  std::vector<DerivedBlock> blocks;

  if (m->diag->NumEntries() > 0) blocks.push_back({m->diag, m->Ad, true});
  if (m->off && m->off->NumEntries() > 0) blocks.push_back({m->off, m->Ao, false});
  return blocks;
}

/* Change a block its way: rows(pattern, array) changes the compressed rows, values(where, array) the format's.
   overwrite: the old values are not needed. coming: the number of times that PETSc will raise A's state afterwards;
   pass it to DerivedChanged() too, after all blocks are done. */
template <class Rows, class Values>
PetscErrorCode DerivedChangeBlock(const DerivedMat *m, const DerivedBlock &b, UpdatePath way, Where where, PetscBool overwrite, PetscInt coming, Rows rows,
                                  Values values)
{
  PetscFunctionBegin;
  if (way != UpdatePath::format) {
    Csr          P;
    PetscScalar *a;

    PetscCall(b.part->Pattern(&P));
    PetscCall(MatSeqAIJGetArray(b.mat, &a));
    PetscCall(rows(P, a));
    PetscCall(MatSeqAIJRestoreArray(b.mat, &a));
    if (way == UpdatePath::both) {
      PetscCall(values(Where::host, b.part->ValuesIfValid(Where::host)));
      PetscCall(b.part->BothWritten(m->mpi ? 0 : coming));
    }
  } else {
    Scalar *v;

    PetscCall(b.part->ValuesChange(where, overwrite, &v));
    PetscCall(values(where, v));
    PetscCall(b.part->ValuesWritten(where));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All blocks of A have been changed; blocks without entries are unchanged. Updates the records of A, whose state PETSc
   will raise `coming` more times */
PetscErrorCode DerivedChanged(Mat A, DerivedMat *m, PetscInt coming);

/* diagonal.cxx */
PetscErrorCode MatShift_Derived(Mat A, PetscScalar a);
PetscErrorCode MatDiagonalSet_Derived(Mat A, Vec d, InsertMode mode);
/* zero_rows.cxx */
PetscErrorCode MatZeroRows_Derived(Mat A, PetscInt n, const PetscInt rows[], PetscScalar value, Vec x, Vec b);
/* combine.cxx */
PetscErrorCode MatAXPY_Derived(Mat Y, PetscScalar a, Mat X, MatStructure str);
PetscErrorCode MatCopy_Derived(Mat A, Mat B, MatStructure str);

} // namespace heptane

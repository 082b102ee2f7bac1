/*
   Notice when somebody wants the values of a SeqAIJ matrix. While a matrix is armed its host values are out of date and are not there: the pointer to them is hidden, so
   that whoever reads them past PETSc's interfaces faults instead of computing with old values. Every access through PETSc's accessors and every operation on the matrix
   that is not exempt (operation_table.hpp) disarms it first and calls back. Knows nothing of formats.
*/
#pragma once

#include <petscmat.h>
struct _MatOps;

namespace heptane
{

/* destroy: the values are about to be freed */
enum class HostAccess { read, read_write, write, destroy };

/* The compressed rows of a SeqAIJ matrix, whatever its accessors say */
struct HostRows {
  PetscInt        rows = 0, cols = 0;
  const PetscInt *ptr = NULL, *col = NULL;
  PetscScalar    *a = NULL;
};
HostRows SeqAIJRows(Mat A);

/*
   Whether others may look at A's values and write into them at any time: a program owns their array (MatCreateSeqAIJWithArrays(), MatCreateMPIAIJWithSplitArrays()), has not
   restored it, or has it from MatSeqAIJGetCSRAndMemType(). Arrays are counted while A is watched; no longer watched, none is held. A must not be armed.
*/
PetscErrorCode SeqAIJShared(Mat A, PetscBool *shared);
PetscErrorCode SeqAIJWatch(Mat A, PetscBool watch);

/* Callback: PETSc is about to read or write stale host values of A, which is no longer armed. It must bring rows.a up to date if the access is read or
   read_write. If A is null, its header has been destroyed, and its data has not. */
using HostAccessFn = PetscErrorCode (*)(void *owner, Mat A, HostAccess access, const HostRows &rows);

/* Whether this PETSc's SeqAIJ is what we expect: found out once, on a matrix made for it. If not, never arm. A, if it is not null, must not be
   one of MatCreateSubMatrices() either, which MatDestroySubMatrices() destroys past its operations. */
PetscErrorCode SeqAIJCanArm(Mat A, PetscBool *can);
/* The operation destroy of SEQAIJ matrices, but for those of MatCreateSubMatrices(), which have another one */
PetscErrorCode SeqAIJPlainDestroy(PetscErrorCode (**destroy)(Mat));

/*
   A: any SEQAIJ matrix (also a block of an MPIAIJ matrix). base: the operations of A before a type derived from it replaced some, which handle the values themselves
   and stay; null where nothing was replaced.
*/
PetscErrorCode SeqAIJArm(Mat A, const struct _MatOps *base, HostAccessFn callback, void *owner);
/* Back to what it was, and the callback called; nothing if it is not armed */
PetscErrorCode SeqAIJAccess(Mat block, HostAccess access);
/* The same for the data of a matrix whose header is gone, and the callback called */
PetscErrorCode SeqAIJAccessData(void *data, HostAccess access);
/* All that are armed now */
PetscErrorCode SeqAIJAccessAll(HostAccess access);

/* MatHeaderMerge() may leave our entries in the table of a matrix that is not armed: f gives the table that belongs there, null for a plain matrix */
PetscErrorCode SeqAIJSetTable(PetscErrorCode (*f)(Mat A, const struct _MatOps **table));

/* Whether MAT_KEEP_NONZERO_PATTERN is set; false where that cannot be found out */
PetscErrorCode SeqAIJKeepsPattern(Mat A, PetscBool *keeps);

} // namespace heptane

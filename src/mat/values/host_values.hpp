/*
   Detects accesses to the values of a SeqAIJ matrix. While a matrix is armed its host values are out of date: the
   pointer to them is hidden, so that a read past PETSc's interfaces faults instead of using old values. Every access
   through PETSc's accessors and every operation that is not exempt (operation_table.hpp) first disarms the matrix and
   calls back. Independent of formats.
*/
#pragma once

#include <petscmat.h>
struct _MatOps;

namespace heptane
{

/* destroy: the values are about to be freed */
enum class HostAccess { read, read_write, write, destroy };

/* The compressed rows of a SeqAIJ matrix, bypassing its accessors */
struct HostRows {
  PetscInt        rows = 0, cols = 0;
  const PetscInt *ptr = NULL, *col = NULL;
  PetscScalar    *a = NULL;
};
HostRows SeqAIJRows(Mat A);

/*
   Whether code outside of PETSc may read and write A's values at any time: a program owns their array
   (MatCreateSeqAIJWithArrays(), MatCreateMPIAIJWithSplitArrays()), has not restored it, or has it from
   MatSeqAIJGetCSRAndMemType(). Arrays are counted while A is watched; the end of watching resets the count. A must not
   be armed.
*/
PetscErrorCode SeqAIJShared(Mat A, PetscBool *shared);
/* MatDuplicate() of A's base class, which may be parallel; no array stays counted */
PetscErrorCode SeqAIJDuplicate(PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *), Mat A, MatDuplicateOption op, Mat *B);
PetscErrorCode SeqAIJWatch(Mat A, PetscBool watch);
/* The values are about to change past AIJ: what AIJ has computed of its diagonal is out of date. A must not be armed. */
PetscErrorCode SeqAIJForgetInverses(Mat A);

/* Callback: PETSc is about to read or write stale host values of A, which is no longer armed. It must bring rows.a up
   to date if the access is read or read_write. If A is null, its header has been destroyed, and its data has not. */
using HostAccessFn = PetscErrorCode (*)(void *owner, Mat A, HostAccess access, const HostRows &rows);

/* Whether this PETSc's SeqAIJ has the expected layout: tested once, on a matrix created for the test. If not, never
   arm. A, if it is not null, must not be a result of MatCreateSubMatrices() either, which MatDestroySubMatrices()
   destroys past its operations. */
PetscErrorCode SeqAIJCanArm(Mat A, PetscBool *can);
/* The operation destroy of SEQAIJ matrices, except for results of MatCreateSubMatrices(), which have another one */
PetscErrorCode SeqAIJPlainDestroy(PetscErrorCode (**destroy)(Mat));

/* A: any SEQAIJ matrix (also a block of an MPIAIJ matrix). base: A's operations that a derived type has replaced; the
   replacements update the values themselves and stay; null if none was replaced. */
PetscErrorCode SeqAIJArm(Mat A, const struct _MatOps *base, HostAccessFn callback, void *owner);
/* Disarms the matrix and calls the callback; no effect if it is not armed */
PetscErrorCode SeqAIJAccess(Mat block, HostAccess access);
/* The same for the data of a matrix whose header is gone, and the callback called */
PetscErrorCode SeqAIJAccessData(void *data, HostAccess access);
/* All that are armed now */
PetscErrorCode SeqAIJAccessAll(HostAccess access);

/* MatHeaderMerge() may leave our entries in the table of a matrix that is not armed: f returns the table that belongs
   there, null for a plain matrix */
PetscErrorCode SeqAIJSetTable(PetscErrorCode (*f)(Mat A, const struct _MatOps **table));

/* Whether MAT_KEEP_NONZERO_PATTERN is set; false if that cannot be determined */
PetscErrorCode SeqAIJKeepsPattern(Mat A, PetscBool *keeps);

} // namespace heptane

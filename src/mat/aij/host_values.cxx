/*
   PETSc lets subclasses of SeqAIJ with values elsewhere (AIJCUSPARSE, AIJKOKKOS) answer for the value array through a table of accessors
   inside the matrix's private data; its declaration is not installed. The head of that data is declared here as 3.26 has it, is checked
   field by field against PETSc's public accessors before the first use, and used for nothing but that table.
*/
#include "host_values.hpp"
#include <petsc/private/matimpl.h>

namespace heptane
{

namespace
{

struct Accessors {
  PetscErrorCode (*getarray)(Mat, PetscScalar **);
  PetscErrorCode (*restorearray)(Mat, PetscScalar **);
  PetscErrorCode (*getarrayread)(Mat, const PetscScalar **);
  PetscErrorCode (*restorearrayread)(Mat, const PetscScalar **);
  PetscErrorCode (*getarraywrite)(Mat, PetscScalar **);
  PetscErrorCode (*restorearraywrite)(Mat, PetscScalar **);
  PetscErrorCode (*getcsrandmemtype)(Mat, const PetscInt **, const PetscInt **, PetscScalar **, PetscMemType *);
};

/* The fields of PETSc's SEQAIJHEADER (src/mat/impls/aij/seq/aij.h, 3.26) up to the accessors */
struct SeqAIJHead {
  PetscBool         roworiented;
  PetscInt          nonew, nounused, maxnz;
  PetscInt         *imax, *ilen, *ipre;
  PetscBool         free_imax_ilen;
  PetscInt          reallocs, rmax;
  PetscBool         keepnonzeropattern, ignorezeroentries, free_ij, free_a;
  Mat_CompressedRow compressedrow;
  PetscInt          nz;
  PetscInt         *i, *j, *diag;
  PetscObjectState  diag_nonzero_state;
  PetscBool         diag_dense;
  PetscInt          nonzerorowcnt;
  PetscScalar      *a, *solve_work;
  IS                row, col, icol;
  PetscBool         pivotinblocks;
  Mat               parent;
  void             *submatis1;
  Accessors         ops;
};

HostAccessFn host_access = NULL;

Accessors &accessors(Mat A)
{
  return static_cast<SeqAIJHead *>(A->data)->ops;
}

template <HostAccess access, class Pointer>
PetscErrorCode Get(Mat A, Pointer *array)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJDisarm(A));
  PetscCall((*host_access)(A, access));
  *array = static_cast<SeqAIJHead *>(A->data)->a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetCSR(Mat A, const PetscInt **i, const PetscInt **j, PetscScalar **a, PetscMemType *mtype)
{
  SeqAIJHead *head = static_cast<SeqAIJHead *>(A->data);

  PetscFunctionBegin;
  PetscCall(SeqAIJDisarm(A));
  PetscCall((*host_access)(A, HostAccess::read_write));
  if (i) *i = head->i;
  if (j) *j = head->j;
  if (a) *a = head->a;
  if (mtype) *mtype = PETSC_MEMTYPE_HOST;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int            probe_calls = 0;
PetscErrorCode ProbeAccess(Mat, HostAccess)
{
  probe_calls++;
  return PETSC_SUCCESS;
}

/* A 2 x 2 matrix whose data the declaration must match, and whose accessors must be called once armed */
PetscErrorCode Probe(PetscBool *works)
{
  const PetscInt     ptr[] = {0, 1, 3}, col[] = {0, 0, 1};
  const PetscScalar  val[] = {1, 2, 3}, *read;
  PetscScalar       *a;
  const PetscInt    *i, *j;
  const Accessors    none{};
  Mat                A;
  SeqAIJHead        *head;
  const HostAccessFn keep = host_access;

  PetscFunctionBegin;
  *works = PETSC_FALSE;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 2, 2, 2, 2));
  PetscCall(MatSetOptionsPrefix(A, "heptane_probe_")); /* -mat_seqaij_type must not reach it */
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, ptr, col, val));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, NULL));
  head = static_cast<SeqAIJHead *>(A->data);
  if (head->nz == 3 && head->maxnz == 3 && head->i == i && head->j == j && head->a == a && !head->parent && !head->submatis1 && !head->row &&
      !memcmp(&head->ops, &none, sizeof(none))) {
    probe_calls = 0;
    PetscCall(SeqAIJArm(A, ProbeAccess));
    PetscCall(MatSeqAIJGetArrayRead(A, &read));
    *works = (PetscBool)(probe_calls == 1 && read == a && !SeqAIJIsArmed(A));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &read));
  }
  host_access = keep;
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SeqAIJCanArm(PetscBool *can)
{
  static int known = -1;

  PetscFunctionBegin;
  if (known < 0) {
    known = 0; /* matrices that the probe makes must not probe */
    PetscCall(Probe(can));
    known = *can ? 1 : 0;
    if (!known)
      PetscCall(
        PetscInfo(NULL, "SeqAIJ of this PETSc differs from the one heptane knows: host values are kept up to date at every change instead of on demand\n"));
  }
  *can = known ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJKeepsPattern(Mat A, PetscBool *keeps)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJCanArm(keeps));
  if (*keeps) *keeps = static_cast<SeqAIJHead *>(A->data)->keepnonzeropattern;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJArm(Mat A, HostAccessFn callback)
{
  Accessors &ops = accessors(A);

  PetscFunctionBegin;
  host_access          = callback;
  ops.getarray         = Get<HostAccess::read_write, PetscScalar *>;
  ops.getarrayread     = Get<HostAccess::read, const PetscScalar *>;
  ops.getarraywrite    = Get<HostAccess::write, PetscScalar *>;
  ops.getcsrandmemtype = GetCSR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJDisarm(Mat A)
{
  PetscFunctionBegin;
  accessors(A) = Accessors{};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool SeqAIJIsArmed(Mat A)
{
  return (PetscBool)(A->data && accessors(A).getcsrandmemtype == GetCSR);
}

} // namespace heptane

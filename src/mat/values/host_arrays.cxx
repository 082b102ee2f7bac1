/*
   Value arrays of SeqAIJ blocks that are visible outside of PETSc: arrays that a program may read and write at any
   time. The accessors count arrays obtained and not yet restored.
*/
#include "../../sys/petsc_compat.hpp"
#include "host_values.hpp"
#include "seqaij_head.hpp"
#include <unordered_map>

namespace heptane
{

namespace
{

/* Of one block's values */
struct Held {
  PetscInt           count = 0;    /* arrays that have not been restored */
  const PetscScalar *given = NULL; /* the array returned by MatSeqAIJGetCSRAndMemType(), which has no restore */
};
std::unordered_map<const void *, Held> held; /* by the matrix's data; only of blocks with either */

template <HostAccess access, class Pointer>
PetscErrorCode Get(Mat A, Pointer *array)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(A, access));
  held[A->data].count++;
  *array = head_of(A->data)->a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Pointer>
PetscErrorCode Restore(Mat A, Pointer *array)
{
  const auto found = held.find(A->data);

  PetscFunctionBegin;
  if (found != held.end()) {
    if (found->second.count > 0) found->second.count--;
    if (!found->second.count && !found->second.given) held.erase(found);
  }
  *array = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetCSR(Mat A, const PetscInt **i, const PetscInt **j, PetscScalar **a, PetscMemType *mtype)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJAccess(A, HostAccess::read_write));
  if (i) *i = head_of(A->data)->i;
  if (j) *j = head_of(A->data)->j;
  if (a) *a = head_of(A->data)->a;
  if (a && *a) held[A->data].given = *a;
  if (mtype) *mtype = PETSC_MEMTYPE_HOST;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt Count(Mat block)
{
  const auto found = block ? held.find(block->data) : held.end();

  return found == held.end() ? 0 : found->second.count;
}

} // namespace

PetscErrorCode SeqAIJDuplicate(PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat *), Mat A, MatDuplicateOption op, Mat *B)
{
  Mat       block[2] = {A, NULL};
  PetscInt  before[2];
  PetscBool mpi;

  PetscFunctionBegin;
  if (copies_hold_arrays) {
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
    PetscCheck(mpi || !A->structure_only, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "PETSc's AIJ duplicates a sequential matrix of structure only from release 3.26 on: use that");
    if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  }
  for (int k = 0; k < 2; k++) before[k] = Count(block[k]);
  PetscCall((*duplicate)(A, op, B));
  for (int k = 0; copies_hold_arrays && k < 2; k++)
    while (Count(block[k]) > before[k]) {
      const PetscScalar *array = NULL;

      PetscCall(Restore(block[k], &array));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PutAccessors(void *data)
{
  Accessors &ops = head_of(data)->ops;

  if (ops.getcsrandmemtype == GetCSR) return;
  held.erase(data);
  ops.getarray          = Get<HostAccess::read_write, PetscScalar *>;
  ops.restorearray      = Restore<PetscScalar *>;
  ops.getarrayread      = Get<HostAccess::read, const PetscScalar *>;
  ops.restorearrayread  = Restore<const PetscScalar *>;
  ops.getarraywrite     = Get<HostAccess::write, PetscScalar *>;
  ops.restorearraywrite = Restore<PetscScalar *>;
  ops.getcsrandmemtype  = GetCSR;
}

PetscErrorCode SeqAIJWatch(Mat A, PetscBool watch)
{
  PetscBool can;

  PetscFunctionBegin;
  PetscCall(SeqAIJCanArm(NULL, &can));
  if (!can || !A->data) PetscFunctionReturn(PETSC_SUCCESS);
  if (watch) PutAccessors(A->data);
  else if (head_of(A->data)->ops.getcsrandmemtype == GetCSR) {
    head_of(A->data)->ops = Accessors{};
    held.erase(A->data);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJForgetInverses(Mat A)
{
  PetscObjectState state;
  PetscScalar     *a;

  PetscFunctionBegin;
  if (!diagonal_inverses_stay) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(MatSeqAIJGetArray(A, &a));
  PetscCall(MatSeqAIJRestoreArray(A, &a));
  PetscCall(PetscObjectStateSet((PetscObject)A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJShared(Mat A, PetscBool *shared)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJCanArm(NULL, shared));
  if (!*shared) *shared = PETSC_TRUE; /* not to be found out */
  else {
    const SeqAIJHead *head  = head_of(A->data);
    const auto        found = held.find(A->data);

    *shared = (PetscBool)(head->a && (!head->free_a || (found != held.end() && (found->second.count || found->second.given == head->a))));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

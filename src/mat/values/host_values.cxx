/*
   Blocks whose host values are out of date: the pointer to them is hidden, and accessors and operations bring them up
   to date. PETSc's private data is checked field by field against its public accessors before the first use.
*/
#include "host_values.hpp"
#include "operation_call.hpp"
#include "seqaij_head.hpp"
#include <memory>
#include <unordered_map>

namespace heptane
{

namespace
{

/* The saved state of an armed matrix */
struct Armed {
  HostAccessFn   callback;
  void          *owner;
  HostRows       rows; /* with the hidden pointer */
  struct _MatOps ops;  /* the table as it was */
};

std::unordered_map<const void *, std::unique_ptr<Armed>> armed; /* by the matrix's data: headers may be exchanged around it */
struct _MatOps                                           plain; /* of a SEQAIJ matrix just made */
PetscErrorCode (*table_for)(Mat, const struct _MatOps **) = NULL;

HostRows rows_of(Mat A)
{
  const SeqAIJHead *head = head_of(A->data);

  return {A->rmap->n, A->cmap->n, head->i, head->j, head->a};
}

/* The pointer again */
PetscErrorCode ShowValues(void *data, Armed *entry)
{
  SeqAIJHead *head = head_of(data);

  PetscFunctionBegin;
  PetscCheck(
    !head->a && head->i == entry->rows.ptr && head->j == entry->rows.col, PETSC_COMM_SELF, PETSC_ERR_PLIB,
    "The compressed rows of a matrix were replaced past PETSc's interfaces while its newest values lay in heptane's format: call MatSeqAIJGetArrayRead() and its "
    "restore function before");
  head->a = entry->rows.a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Removes and returns the entry of data; null if there is none */
std::unique_ptr<Armed> Take(const void *data)
{
  std::unique_ptr<Armed> entry;
  auto                   found = armed.find(data);

  if (found != armed.end()) {
    entry = std::move(found->second);
    armed.erase(found);
  }
  return entry;
}

/* Replaces our functions in A's table by the entries of `table`; entries that PETSc has set meanwhile stay */
void RestoreTable(Mat A, const struct _MatOps &table);

PetscErrorCode Disarm(Mat block, std::unique_ptr<Armed> *entry)
{
  PetscFunctionBegin;
  *entry = Take(block->data);
  if (*entry) {
    RestoreTable(block, (*entry)->ops);
    PetscCall(ShowValues(block->data, entry->get()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a matrix that is not armed, see SeqAIJSetTable() */
PetscErrorCode RestoreLeftTable(Mat A)
{
  const struct _MatOps *table = NULL;

  PetscFunctionBegin;
  if (table_for) PetscCall((*table_for)(A, &table));
  RestoreTable(A, table ? *table : plain);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table of an armed matrix as it was, null if it is not armed */
const struct _MatOps *TableBelow(Mat A)
{
  const auto found = armed.find(A->data);

  return found == armed.end() ? NULL : &found->second->ops;
}

/* Reassembling an unchanged matrix touches no value, and is common in programs */
bool assembled_already(Mat A)
{
  return A->was_assembled && A->ass_nonzerostate == A->nonzerostate;
}

template <auto member>
constexpr bool is_assemblyend = false;
template <>
constexpr bool is_assemblyend<&_MatOps::assemblyend> = true;

template <class Entry, auto member, Values values, HostAccess access>
struct Guard;

template <class... Args, auto member, Values values, HostAccess access>
struct Guard<PetscErrorCode (*)(Args...), member, values, access> {
  static PetscErrorCode Call(Args... args)
  {
    const Mat A = MatrixOfCall<values>(args...);

    PetscFunctionBegin;
    if (is_assemblyend<member> && TableBelow(A) && assembled_already(A)) {
      PetscCall((*(TableBelow(A)->*member))(args...));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(ForEachMatrix(
      [](Mat B) {
        PetscFunctionBegin;
        PetscCall(SeqAIJAccess(B, access));
        PetscFunctionReturn(PETSC_SUCCESS);
      },
      args...));
    if (A->ops[0].*member == Call) PetscCall(RestoreLeftTable(A));
    PetscCheck(A->ops[0].*member && A->ops[0].*member != Call, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The operations of a matrix are lost");
    PetscCall((*(A->ops[0].*member))(args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

constexpr HostAccess access_of(std::size_t place)
{
  return place == offsetof(struct _MatOps, destroy) / sizeof(Operation)       ? HostAccess::destroy
         : place == offsetof(struct _MatOps, zeroentries) / sizeof(Operation) ? HostAccess::write
                                                                              : HostAccess::read;
}

/* A guard if a value may be accessed; null for other operations */
template <auto member, Values values, HostAccess access, class Entry>
void MakeGuard(struct _MatOps *guards, Entry)
{
  if constexpr (values != Values::pattern) guards->*member = Guard<Entry, member, values, access>::Call;
}

const struct _MatOps &Guards()
{
  static struct _MatOps guards;
  static bool           made = false;

#define HEPTANE_GUARD(name, values) \
  MakeGuard<&_MatOps::name, Values::values, access_of(offsetof(struct _MatOps, name) / sizeof(Operation))>(&guards, guards.name);
  if (!made) {
    HEPTANE_OPERATIONS(HEPTANE_GUARD)
    made = true;
  }
#undef HEPTANE_GUARD
  return guards;
}

void RestoreTable(Mat A, const struct _MatOps &from)
{
  OperationTable       &now    = table_of(*A->ops);
  const OperationTable &guards = table_of(Guards()), &table = table_of(from);

  for (std::size_t k = 0; k < operations; k++)
    if (guards.entry[k] && now.entry[k] == guards.entry[k]) now.entry[k] = table.entry[k];
}

void PutGuards(Mat A, const struct _MatOps *base)
{
  OperationTable       &now    = table_of(*A->ops);
  const OperationTable &guards = table_of(Guards());

  for (std::size_t k = 0; k < operations; k++) {
    const bool ours = base && operation_values[k] == Values::type && now.entry[k] != table_of(*base).entry[k];
    if (now.entry[k] && !ours && operation_values[k] != Values::pattern) now.entry[k] = guards.entry[k];
  }
}

PetscErrorCode ProbeAccess(void *calls, Mat, HostAccess, const HostRows &)
{
  ++*static_cast<int *>(calls);
  return PETSC_SUCCESS;
}

/* A 2 x 2 matrix whose data the declaration must match, and whose accessors and operations must be called once armed */
PetscErrorCode Probe(PetscBool *works)
{
  const PetscInt    ptr[] = {0, 1, 3}, col[] = {0, 0, 1};
  const PetscScalar val[] = {1, 2, 3}, *read;
  PetscScalar      *a;
  const PetscInt   *i, *j;
  const Accessors   none{};
  Mat               A;
  const SeqAIJHead *head;

  PetscFunctionBegin;
  *works = PETSC_FALSE;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 2, 2, 2, 2));
  PetscCall(MatSetOptionsPrefix(A, "heptane_probe_")); /* -mat_seqaij_type must not reach it */
  PetscCall(MatSetType(A, MATSEQAIJ));
  plain = *A->ops;
  PetscCall(MatSeqAIJSetPreallocationCSR(A, ptr, col, val));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &a, NULL));
  head = head_of(A->data);
  if (head->nz == 3 && head->maxnz == 3 && head->i == i && head->j == j && head->a == a && head->free_a == PETSC_TRUE && !head->parent && !head->submatis1 &&
      !head->row && !memcmp(&head->ops, &none, sizeof(none))) {
    int       calls = 0;
    PetscReal norm;

    PetscCall(SeqAIJArm(A, NULL, ProbeAccess, &calls));
    PetscCall(MatSeqAIJGetArrayRead(A, &read));
    *works = (PetscBool)(calls == 1 && read == a && head->a == a && !TableBelow(A));
    PetscCall(MatSeqAIJRestoreArrayRead(A, &read));
    if (*works) {
      PetscCall(SeqAIJArm(A, NULL, ProbeAccess, &calls));
      PetscCall(MatNorm(A, NORM_1, &norm));
      *works = (PetscBool)(calls == 2 && norm == 3 && !TableBelow(A));
    }
    if (!*works) PetscCall(SeqAIJAccess(A, HostAccess::read));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

HostRows SeqAIJRows(Mat A)
{
  return rows_of(A);
}

PetscErrorCode SeqAIJCanArm(Mat A, PetscBool *can)
{
  static int known = -1;

  PetscFunctionBegin;
  if (known < 0) {
    known = 0; /* matrices that the probe makes must not probe */
    PetscCall(Probe(can));
    known = *can ? 1 : 0;
    if (!known)
      PetscCall(
        PetscInfo(NULL, "SeqAIJ of this PETSc differs from the one heptane supports: host values are kept up to date at every change instead of on demand\n"));
  }
  *can = known && !(A && head_of(A->data)->submatis1) ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJPlainDestroy(PetscErrorCode (**destroy)(Mat))
{
  PetscBool can;

  PetscFunctionBegin;
  PetscCall(SeqAIJCanArm(NULL, &can));
  *destroy = plain.destroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJKeepsPattern(Mat A, PetscBool *keeps)
{
  PetscFunctionBegin;
  PetscCall(SeqAIJCanArm(NULL, keeps));
  if (*keeps) *keeps = head_of(A->data)->keepnonzeropattern;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJArm(Mat A, const struct _MatOps *base, HostAccessFn callback, void *owner)
{
  std::unique_ptr<Armed> entry;

  PetscFunctionBegin;
  PetscCall(Disarm(A, &entry));
  PetscCheck(!entry || entry->owner == owner, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Two formats have values of one matrix: convert with MatConvert()");
  SeqAIJHead *head = head_of(A->data);
  entry            = std::make_unique<Armed>(Armed{callback, owner, rows_of(A), *A->ops});

  head->a = NULL;
  PutAccessors(A->data);
  PutGuards(A, base);
  armed[A->data] = std::move(entry);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJAccess(Mat block, HostAccess access)
{
  std::unique_ptr<Armed> entry;

  PetscFunctionBegin;
  PetscCall(Disarm(block, &entry));
  if (entry) PetscCall((*entry->callback)(entry->owner, block, access, entry->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJAccessData(void *data, HostAccess access)
{
  std::unique_ptr<Armed> entry = Take(data);

  PetscFunctionBegin;
  if (!entry) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ShowValues(data, entry.get()));
  PetscCall((*entry->callback)(entry->owner, NULL, access, entry->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJAccessAll(HostAccess access)
{
  PetscFunctionBegin;
  while (!armed.empty()) PetscCall(SeqAIJAccessData(const_cast<void *>(armed.begin()->first), access));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqAIJSetTable(PetscErrorCode (*f)(Mat, const struct _MatOps **))
{
  table_for = f;
  return PETSC_SUCCESS;
}

} // namespace heptane

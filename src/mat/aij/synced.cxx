/*
   The operations and composed functions that a derived matrix inherits from the base class: before each, values are
   brought up to date, of the matrix, of other matrices among the arguments, and of reused results. operation_table.hpp
   and the list below name the exceptions.
*/
#include "derived.hpp"
#include "../../sys/petsc_compat.hpp"
#include "../values/operation_call.hpp"

namespace heptane
{

namespace
{

template <auto member>
constexpr bool uncounted = false;
template <>
constexpr bool uncounted<&_MatOps::imaginarypart> = some_changes_uncounted;
template <>
constexpr bool uncounted<&_MatOps::setinf> = some_changes_uncounted;

/* The blocks of a parallel matrix; NULL: it is sequential */
PetscErrorCode GetBlocks(Mat A, PetscBool *mpi, Mat blocks[2])
{
  PetscFunctionBegin;
  blocks[0] = blocks[1] = NULL;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, mpi));
  if (*mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values were changed, of the blocks too */
PetscErrorCode Count(Mat A)
{
  PetscBool mpi;
  Mat       blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, &mpi, blocks));
  for (Mat changed : {A, blocks[0], blocks[1]}) {
    if (!changed) continue;
    PetscCall(PetscObjectStateIncrease((PetscObject)changed));
    if (!mpi || changed != A) PetscCall(SeqAIJForgetInverses(changed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Entry, auto member, Values values>
struct Synced;

template <class... Args, auto member, Values values>
struct Synced<PetscErrorCode (*)(Args...), member, values> {
  static PetscErrorCode Call(Args... args)
  {
    const Mat   A = MatrixOfCall<values>(args...);
    DerivedMat *m;

    PetscFunctionBegin;
    PetscCall(ForEachMatrix(DerivedSyncAny, args...));
    PetscCall(DerivedGet(A, &m));
    PetscCall((*(m->base.*member))(args...));
    if (uncounted<member>) PetscCall(Count(A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* A sequential matrix guards its own values while they are out of date (host_values.cxx); the other types need explicit
   updates */
template <auto member, Values values, class Entry>
void Install(struct _MatOps *ops, const DerivedMat *m, Entry entry)
{
  if (!entry || entry != m->base.*member || values == Values::pattern) return;
  if (m->mpi ? values != Values::accessor : uncounted<member> || has_other_matrices(entry)) ops->*member = Synced<Entry, member, values>::Call;
}

/*
   The composed functions of SeqAIJ and MPIAIJ that read or write values or replace the pattern. The other ones,
   including MatConvert_* and MatProductSetFromOptions_*, touch no values, are found only by the names of plain types,
   or use the accessors (MatIsTranspose_C, which must also be the same function for both matrices);
   MatSetPreallocationCOO() and MatSetValuesCOO() are ours. tests/mat/never_stale.c checks all of them.
*/
struct Function {
  const char       *name;
  PetscErrorCodeFn *synced;
  PetscErrorCodeFn *base[2]; /* of the sequential and the parallel base class, at first use */
};
constexpr int   functions = 12;
extern Function function[functions];

constexpr int values_retrieved = 1, rows_given = 4, blocks_made = 9;

template <int k, class... Args>
PetscErrorCode SyncedFunction(Mat A, Args... args)
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(ForEachMatrix(DerivedSyncAny, A, args...));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCheck(function[k].base[mpi], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s of a matrix is lost", function[k].name);
  PetscCall((*(PetscErrorCode(*)(Mat, Args...))function[k].base[mpi])(A, args...));
  if (some_changes_uncounted && k == values_retrieved) PetscCall(Count(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int k, class... Args>
Function synced_function(const char *name)
{
  return {
    name, (PetscErrorCodeFn *)SyncedFunction<k, Args...>, {NULL, NULL}
  };
}

/* MatMPIAIJSetPreallocation(), which MatMPIAIJSetPreallocationCSR() and MatLoad() call too */
PetscErrorCode BlocksMade(Mat A, PetscInt d_nz, const PetscInt *d_nnz, PetscInt o_nz, const PetscInt *o_nnz)
{
  const PetscObjectState before = A->nonzerostate;

  PetscFunctionBegin;
  PetscCall(SyncedFunction<blocks_made>(A, d_nz, d_nnz, o_nz, o_nnz));
  PetscCall(DerivedCountPattern(A, before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowsGiven(Mat A, const PetscInt *ptr, const PetscInt *col, const PetscScalar *v)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(DerivedSyncAny(A));
  PetscCall(DerivedCopyRows(A, ptr, col, v, &done));
  if (!done) PetscCall(SyncedFunction<rows_given>(A, ptr, col, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Function function[functions] = {
  synced_function<0>("MatStoreValues_C"),
  synced_function<1>("MatRetrieveValues_C"),
  synced_function<2, Mat, PetscReal, PetscBool *>("MatIsHermitianTranspose_C"),
  synced_function<3, PetscInt, const PetscInt *>("MatSeqAIJSetPreallocation_C"),
  {"MatSeqAIJSetPreallocationCSR_C", (PetscErrorCodeFn *)RowsGiven,  {NULL, NULL}},
  synced_function<5, PetscInt *>("MatSeqAIJSetColumnIndices_C"),
  synced_function<6>("MatResetPreallocation_C"),
  synced_function<7>("MatResetHash_C"),
  synced_function<8, PetscReal, IS, IS>("MatReorderForNonzeroDiagonal_C"),
  {"MatMPIAIJSetPreallocation_C",    (PetscErrorCodeFn *)BlocksMade, {NULL, NULL}},
  synced_function<10, const PetscInt *, const PetscInt *, const PetscScalar *>("MatMPIAIJSetPreallocationCSR_C"),
  synced_function<11, Vec>("MatDiagonalScaleLocal_C")
};

} // namespace

PetscErrorCode DerivedSyncOperations(Mat A, const DerivedMat *m)
{
  PetscFunctionBegin;
#define HEPTANE_INSTALL(name, values) Install<&_MatOps::name, Values::values>(A->ops, m, A->ops->name);
  HEPTANE_OPERATIONS(HEPTANE_INSTALL)
#undef HEPTANE_INSTALL
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSyncFunctions(Mat A)
{
  PetscBool mpi;
  Mat       blocks[2];

  PetscFunctionBegin;
  PetscCall(GetBlocks(A, &mpi, blocks));
  if (!mpi) PetscCall(SeqAIJWatch(A, PETSC_TRUE));
  for (Mat block : blocks)
    if (block) PetscCall(DerivedSyncFunctions(block));
  for (Function &f : function) {
    PetscErrorCodeFn *now;

    PetscCall(PetscObjectQueryFunction((PetscObject)A, f.name, &now));
    if (!now || now == f.synced) continue;
    f.base[mpi] = now;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, f.name, f.synced));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedIsBlock(Mat A, PetscBool *is)
{
  PetscErrorCodeFn *now;
  DerivedMat       *m;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, function[0].name, &now));
  *is = (PetscBool)(!m && now == function[0].synced);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedUnsyncFunctions(Mat A)
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (!mpi) PetscCall(SeqAIJWatch(A, PETSC_FALSE));
  for (const Function &f : function) {
    PetscErrorCodeFn *now;

    PetscCall(PetscObjectQueryFunction((PetscObject)A, f.name, &now));
    if (now == f.synced) PetscCall(PetscObjectComposeFunction((PetscObject)A, f.name, f.base[mpi]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

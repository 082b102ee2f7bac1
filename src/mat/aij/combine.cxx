/*
   MatAXPY() and MatCopy() between matrices derived from AIJ with the same pattern: in the format's values, on the side
   of the products, or in the compressed rows if only they are up to date. The base class handles all other cases, on
   the compressed rows.
*/
#include "change.hpp"
#include "../../device/host_clones.hpp"
#include "../../device/memory.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/collective.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../values/change.hpp"
#endif
#include <cmath>

namespace heptane
{

namespace kernels
{

HEPTANE_HOST_CLONES void axpy(Scalar *__restrict v, std::size_t n, Scalar a, const Scalar *__restrict x)
{
  for (std::size_t k = 0; k < n; k++) v[k] += a * x[k];
}

} // namespace kernels

namespace
{

/* Values read from a block of the other matrix */
struct Source {
  Mat        mat;
  LocalPart *part; /* updated for mat, with values in this part's memory space; null: there is none, use the compressed rows */
  bool       fill; /* its values are to be filled in this part's memory space if missing */
};

/* Whether the blocks of X have the patterns of Y's on this process; parts of Y have been updated */
PetscErrorCode SamePatterns(DerivedMat *m, Mat X, bool mpi, bool columns, Source from[2], PetscBool *same)
{
  const PetscInt *garray = NULL;

  PetscFunctionBegin;
  from[0] = {X, nullptr, false};
  from[1] = {NULL, nullptr, false};
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(X, &from[0].mat, &from[1].mat, &garray));
  PetscCall(m->diag->SamePattern(from[0].mat, same));
  if (*same && mpi) {
    PetscCall(m->off->SamePattern(from[1].mat, same));
    if (*same && columns && garray != m->garray) PetscCall(PetscArraycmp(garray, m->garray, m->Ao->cmap->n, same));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of X whose values are stored as Y's. make: creates missing parts; else only existing ones */
PetscErrorCode SourceParts(DerivedMat *m, Mat X, DerivedMat *n, bool make, Source from[2])
{
  PetscFunctionBegin;
  if (!make && !(n->diag && n->data == X->data)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DerivedPrepareParts(X, n));
  if (make) { /* a part that has been multiplied is complete; the other need not be */
    for (LocalPart *part : {m->diag, m->off, n->diag, n->off})
      if (part) PetscCall(part->Complete());
  }
  if (m->diag->SamePlaces(*n->diag)) from[0].part = n->diag;
  if (m->off && m->off->SamePlaces(*n->off)) from[1].part = n->off;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v += a x, or v = x if a is null */
PetscErrorCode Combine(Where where, Scalar *v, std::size_t n, const PetscScalar *a, const Scalar *x)
{
  PetscFunctionBegin;
  if (where == Where::host) {
    if (a) kernels::axpy(v, n, *a, x);
    else PetscCall(PetscArraycpy(v, x, n));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values added", 3. * sizeof(Scalar) * n}; });
    cudaStream_t      stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (a) PetscCallCUDA(launch_axpy(v, n, *a, x, stream));
    else PetscCallCUDA(cudaMemcpyAsync(v, x, n * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The format's values of a block from the other's, or from its compressed rows if it has none there. On the host the
   second such call makes a copy in the format: it costs memory, but is faster than entry by entry. */
PetscErrorCode CombineValues(const DerivedBlock &b, const Source &from, Where where, const PetscScalar *a, Scalar *v)
{
  const Scalar *x = from.part ? from.part->ValuesIfValid(where) : nullptr;

  PetscFunctionBegin;
  if (from.part && !x && (from.fill || from.part->Armed())) PetscCall(from.part->Values(where, &x));
  if (x) {
    PetscCall(Combine(where, v, b.part->NumValues(), a, x));
    b.part->AdoptPadding(*from.part);
  } else {
    const ValueRuns   *runs;
    const PetscScalar *rows;

    PetscCall(b.part->Runs(&runs));
    PetscCall(MatSeqAIJGetArrayRead(from.mat, &rows));
    if (a) runs->Add(*a, rows, v);
    else {
      if (!b.part->Clean()) PetscCall(PetscArrayzero(v, b.part->NumValues()));
      runs->Fill(rows, v);
    }
    PetscCall(MatSeqAIJRestoreArrayRead(from.mat, &rows));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All blocks of Y; coming: as in DerivedChangeBlock() */
PetscErrorCode CombineBlocks(Mat Y, DerivedMat *m, const Source from[2], const PetscScalar *a, PetscInt coming)
{
  const Where where = DerivedWhere(Y, m);

  PetscFunctionBegin;
  for (const DerivedBlock &b : DerivedBlocks(m)) {
    const Source &x       = from[b.diagonal ? 0 : 1];
    const bool    by_rows = where == Where::host && !(x.part && (x.fill || x.part->Armed() || x.part->ValuesIfValid(Where::host)));
    UpdatePath    way;

    PetscCall(DerivedUpdatePath(m, b.part, where, UpdateExtent::all, by_rows, &way));
    /* the values that are taken are there */
    if (way == UpdatePath::rows && x.part && ((!a && x.part->Armed()) || (where == Where::device && x.part->ValuesIfValid(where)))) way = UpdatePath::format;
    PetscCall(DerivedChangeBlock(
      m, b, way, where, (PetscBool)!a, coming,
      [&](const Csr &P, PetscScalar *rows) {
        const PetscScalar *xa;

        PetscFunctionBegin;
        PetscCall(MatSeqAIJGetArrayRead(x.mat, &xa));
        PetscCall(Combine(Where::host, rows, (std::size_t)P.nnz(), a, xa));
        PetscCall(MatSeqAIJRestoreArrayRead(x.mat, &xa));
        PetscFunctionReturn(PETSC_SUCCESS);
      },
      [&](Where w, Scalar *v) { return CombineValues(b, x, w, a, v); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether Y can be updated in place with the values of X, and the source of these. agree: all processes must return the
   same, because the fallback is collective; columns of other processes are then compared too. */
PetscErrorCode CanCombine(Mat Y, DerivedMat *m, Mat X, bool agree, Source from[2], PetscBool *can)
{
  DerivedMat *n;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(X, &n));
  *can = (PetscBool)(n && n->cls == m->cls && n->mpi == m->mpi && X->assembled && !X->structure_only && DerivedWhere(X, n) == DerivedWhere(Y, m));
  if (!*can) PetscFunctionReturn(PETSC_SUCCESS); /* so on all processes */
  *can = (PetscBool)DerivedChangeable(Y, m);
  if (*can) {
    PetscCall(DerivedPrepareParts(Y, m));
    PetscCall(SamePatterns(m, X, m->mpi, agree, from, can));
  }
  if (*can) {
    const bool device = DerivedWhere(Y, m) == Where::device, again = n->taken == DerivedStamp(X);

    n->taken = DerivedStamp(X);
    PetscCall(SourceParts(m, X, n, device || again, from));
    for (int k = 0; k < 2; k++) from[k].fill = device || again;
    if (device && (!from[0].part || (m->off && !from[1].part))) *can = PETSC_FALSE; /* other settings */
  }
  if (m->mpi && agree) PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)Y), can, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedOnePattern(Mat Y, Mat X, PetscBool mpi, PetscBool *same)
{
  Mat block[2][2] = {
    {Y, NULL},
    {X, NULL}
  };
  const PetscInt *garray[2] = {NULL, NULL};
  PetscBool       based;

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)X, mpi ? MATMPIAIJ : MATSEQAIJ, &based));
  if (!based) PetscFunctionReturn(PETSC_SUCCESS); /* so on all processes */
  for (int k = 0; mpi && k < 2; k++) PetscCall(MatMPIAIJGetSeqAIJ(block[k][0], &block[k][0], &block[k][1], &garray[k]));
  *same = PETSC_TRUE;
  for (int k = 0; k < (mpi ? 2 : 1) && *same; k++) {
    Csr P, Q;

    PetscCall(PatternOf(block[0][k], &P));
    PetscCall(PatternOf(block[1][k], &Q));
    PetscCall(PatternsEqual(P, Q, same));
  }
  if (mpi && *same) PetscCall(PetscArraycmp(garray[0], garray[1], block[0][1]->cmap->n, same));
  if (mpi) PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)Y), same, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This operation raises the state itself, unlike most */
PetscErrorCode MatAXPY_Derived(Mat Y, PetscScalar a, Mat X, MatStructure str)
{
  DerivedMat *m;
  Source      from[2];
  PetscBool   can = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(Y, &m));
  if (!PetscIsInfOrNanScalar(a)) PetscCall(CanCombine(Y, m, X, str != SAME_NONZERO_PATTERN, from, &can));
  if (can) {
    PetscCall(CombineBlocks(Y, m, from, &a, 1));
    PetscCall(DerivedChanged(Y, m, 1));
  } else {
    PetscCall(DerivedSync(Y, m));
    PetscCall(DerivedSyncAny(X));
    /* AIJ compares only if told that the patterns are unknown; told that they differ it sets every value anew, as in
       GAMG's graphs */
    if (str == DIFFERENT_NONZERO_PATTERN) PetscCall(DerivedOnePattern(Y, X, m->mpi, &can));
    PetscCall((*m->base.axpy)(Y, a, X, can ? SAME_NONZERO_PATTERN : str));
  }
  PetscCall(PetscObjectStateIncrease((PetscObject)Y)); /* AIJ does not always */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJ copies arrays between matrices that have the same operation, here its own */
static PetscErrorCode CopyRows(Mat A, DerivedMat *n, Mat B, DerivedMat *m, MatStructure str)
{
  PetscErrorCode (*saved)(Mat, Mat, MatStructure) = A->ops->copy;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(DerivedSync(A, n));
  A->ops->copy = n->base.copy;
  if (m) B->ops->copy = m->base.copy;
  ierr         = (*n->base.copy)(A, B, str);
  A->ops->copy = saved;
  if (m) B->ops->copy = saved;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCopy_Derived(Mat A, Mat B, MatStructure str)
{
  DerivedMat *n, *m;
  Source      from[2];
  PetscBool   can = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &n));
  PetscCall(DerivedQuery(B, &m));
  if (m && str == SAME_NONZERO_PATTERN) PetscCall(CanCombine(B, m, A, false, from, &can));
  if (can) {
    PetscCall(CombineBlocks(B, m, from, NULL, 1));
    PetscCall(DerivedChanged(B, m, 1));
  } else PetscCall(CopyRows(A, n, B, m, str));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

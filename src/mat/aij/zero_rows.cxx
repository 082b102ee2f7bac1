/*
   MatZeroRows() of a matrix derived from AIJ: if the pattern stays, in the format's values, on the side of the
   products, or in the compressed rows; else the base class's.
*/
#include "change.hpp"
#include "../../device/memory.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "../values/host_values.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../values/change.hpp"
#endif
#include <algorithm>

namespace heptane
{

namespace
{

/* This process's rows in the union of all processes' lists */
PetscErrorCode OwnedRows(Mat A, PetscInt n, const PetscInt rows[], std::vector<PetscInt> &owned)
{
  const PetscInt first = A->rmap->rstart, local = A->rmap->n;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; k++)
    PetscCheck(rows[k] >= 0 && rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " out of range [0,%" PetscInt_FMT ")",
               rows[k], A->rmap->N);
  if (A->nooffproczerorows || A->rmap->size == 1) {
    for (PetscInt k = 0; k < n; k++) {
      PetscCheck(rows[k] >= first && rows[k] < first + local, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                 "MAT_NO_OFF_PROC_ZERO_ROWS is set, but row %" PetscInt_FMT " is another process's", rows[k]);
      owned.push_back(rows[k] - first);
    }
  } else {
    PetscSF               sf;
    std::vector<PetscInt> named((std::size_t)local, 0), ones((std::size_t)n, 1);

    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &sf));
    PetscCall(PetscSFSetGraphLayout(sf, A->rmap, n, NULL, PETSC_COPY_VALUES, rows));
    PetscCall(PetscSFReduceBegin(sf, MPIU_INT, ones.data(), named.data(), MPI_LOR));
    PetscCall(PetscSFReduceEnd(sf, MPIU_INT, ones.data(), named.data(), MPI_LOR));
    PetscCall(PetscSFDestroy(&sf));
    for (PetscInt i = 0; i < local; i++)
      if (named[i]) owned.push_back(i);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values at the places = value */
PetscErrorCode PutValues(Where where, Scalar *v, const std::vector<std::int64_t> &place, Scalar value)
{
  PetscFunctionBegin;
  if (where == Where::host) {
    for (std::int64_t p : place) v[p] = value;
  } else {
    const MetricsPass    metrics(true, [&] { return DeclaredPass{"values of rows set", (8. + sizeof(Scalar)) * place.size()}; });
    Buffer<std::int64_t> at;
    PetscCall(at.Assign(where, place));
    PetscCall(LaunchOnStream([&](auto stream) { return launch_put(v, place.size(), at.At(where), NULL, value, false, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of one block = 0, their entries on the diagonal = value unless it is zero */
PetscErrorCode ZeroBlockRows(Mat A, DerivedMat *m, const DerivedBlock &b, const std::vector<PetscInt> &rows, Scalar value)
{
  const LocalPart::DiagonalPlaces *d = nullptr;
  std::vector<std::int64_t>        place, diagonal;
  std::vector<PetscInt>            entry;
  UpdatePath                       way;

  PetscFunctionBegin;
  PetscCall(DerivedUpdatePath(m, b.part, DerivedWhere(A, m), UpdateExtent::few, true, &way));
  if (b.diagonal && value != Scalar(0)) {
    PetscCall(b.part->Diagonals(&d));
    for (PetscInt row : rows) {
      if (row >= b.mat->cmap->n) continue;
      PetscCheck(d->entry[row] >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
                 "The matrix has no diagonal entry in the zeroed row %" PetscInt_FMT ": put a zero there before, or leave MAT_KEEP_NONZERO_PATTERN off", row);
      entry.push_back(d->entry[row]);
      diagonal.push_back(d->place[row]);
    }
  }
  if (way != UpdatePath::rows) {
    const ValueRuns *runs;

    PetscCall(b.part->Runs(&runs));
    for (PetscInt row : rows) runs->PlacesOf(row, place);
  }
  PetscCall(DerivedChangeBlock(
    m, b, way, DerivedWhere(A, m), PETSC_FALSE, 1,
    [&](const Csr &P, PetscScalar *a) {
      for (PetscInt row : rows) std::fill(a + P.ptr[row], a + P.ptr[row + 1], Scalar(0));
      for (PetscInt k : entry) a[k] = value;
      return PETSC_SUCCESS;
    },
    [&](Where w, Scalar *v) {
      PetscFunctionBegin;
      PetscCall(PutValues(w, v, place, 0));
      PetscCall(PutValues(w, v, diagonal, value));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b(row) = value x(row) */
PetscErrorCode FixRightHandSide(Mat A, const std::vector<PetscInt> &rows, Scalar value, Vec x, Vec b)
{
  const PetscScalar *xx;
  PetscScalar       *bb;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xx));
  PetscCall(VecGetArray(b, &bb));
  for (PetscInt row : rows)
    if (row < A->cmap->n) bb[row] = value * xx[row];
  PetscCall(VecRestoreArrayRead(x, &xx));
  PetscCall(VecRestoreArray(b, &bb));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatZeroRows_Derived(Mat A, PetscInt n, const PetscInt rows[], PetscScalar value, Vec x, Vec b)
{
  DerivedMat           *m;
  PetscBool             changeable, keeps = PETSC_FALSE, congruent = PETSC_TRUE;
  std::vector<PetscInt> owned;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedAllChangeable(A, m, &changeable));
  if (changeable) {
    PetscCall(DerivedPrepareParts(A, m));
    PetscCall(SeqAIJKeepsPattern(m->Ad, &keeps));
    if (m->Ao && keeps) PetscCall(SeqAIJKeepsPattern(m->Ao, &keeps));
    if (m->mpi) PetscCall(MatHasCongruentLayouts(A, &congruent));
  }
  if (!keeps || !congruent || PetscIsInfOrNanScalar(value)) {
    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.zerorows)(A, n, rows, value, x, b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(OwnedRows(A, n, rows, owned));
  if (x && b) PetscCall(FixRightHandSide(A, owned, value, x, b));
  if (value != Scalar(0) && !m->diag->NumEntries())
    for (PetscInt row : owned)
      PetscCheck(row >= A->cmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
                 "The matrix has no diagonal entry in the zeroed row %" PetscInt_FMT ": put a zero there before, or leave MAT_KEEP_NONZERO_PATTERN off", row);
  for (const DerivedBlock &block : DerivedBlocks(m)) PetscCall(ZeroBlockRows(A, m, block, owned, value));
  PetscCall(DerivedChanged(A, m, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Changes of the diagonal of a matrix derived from AIJ, in the format's values, on the side of the products.
*/
#include "change.hpp"
#include "../../device/on_stream.hpp"
#include "../../device/vector_array.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/collective.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../values/change.hpp"
#endif

namespace heptane
{

namespace
{

/* Collective: whether values can be changed in place, and the diagonal block's pattern has all diagonal entries of a
   square matrix, on every process */
PetscErrorCode DiagonalFull(Mat A, DerivedMat *m, PetscBool *full)
{
  const LocalPart::DiagonalPlaces *d;

  PetscFunctionBegin;
  PetscCall(MatHasCongruentLayouts(A, full));
  if (!*full) PetscFunctionReturn(PETSC_SUCCESS);
  *full = (PetscBool)DerivedChangeable(A, m);
  if (*full) {
    PetscCall(DerivedPrepareParts(A, m));
    PetscCall(m->diag->Diagonals(&d));
    *full = (PetscBool)d->full;
  }
  if (m->mpi) PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), full, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diagonal entries = (or +=) d, or the value if d is null; all of them are in the pattern */
PetscErrorCode ChangeDiagonal(Mat A, DerivedMat *m, Vec d, Scalar value, bool add)
{
  const LocalPart::DiagonalPlaces *places;
  VectorArray                      of_entries;
  const Scalar                    *entries;
  UpdatePath                       way;

  PetscFunctionBegin;
  if (m->diag->NumEntries() > 0) {
    PetscCall(m->diag->Diagonals(&places));
    PetscCall(DerivedUpdatePath(m, m->diag, DerivedWhere(A, m), UpdateExtent::few, true, &way));
    const Where where = way == UpdatePath::format ? DerivedWhere(A, m) : Where::host;
    const auto  put   = [&](Scalar *v, const auto &places_of) {
      const auto *const   at = places_of.data();
      const std::size_t   n  = places_of.size();
      const Scalar *const e  = entries;

      if (add && e)
        for (std::size_t i = 0; i < n; i++) v[at[i]] += e[i];
      else if (add)
        for (std::size_t i = 0; i < n; i++) v[at[i]] += value;
      else
        for (std::size_t i = 0; i < n; i++) v[at[i]] = e ? e[i] : value;
      return PETSC_SUCCESS;
    };
    PetscCall(of_entries.Read(where, d, &entries));
    PetscCall(DerivedChangeBlock(
      m, {m->diag, m->Ad, true}, way, where, PETSC_FALSE, 1, [&](const Csr &, PetscScalar *a) { return put(a, places->entry); },
      [&](Where w, Scalar *v) {
        PetscFunctionBegin;
        if (w == Where::host) PetscCall(put(v, places->place));
        else {
          const MetricsPass   metrics(true, [&] {
            return DeclaredPass{"diagonal set", (8. + sizeof(Scalar) * (1. + add + (entries != nullptr))) * places->place.size()};
          });
          const std::int64_t *at;
          PetscCall(m->diag->DiagonalOnDevice(&at));
          PetscCall(LaunchOnStream([&](auto stream) { return launch_put(v, places->place.size(), at, entries, value, add, stream); }));
        }
        PetscFunctionReturn(PETSC_SUCCESS);
      }));
    PetscCall(of_entries.Restore());
  }
  PetscCall(DerivedChanged(A, m, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatShift_Derived(Mat A, PetscScalar a)
{
  DerivedMat *m;
  PetscBool   full;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DiagonalFull(A, m, &full));
  if (full) PetscCall(ChangeDiagonal(A, m, NULL, a, true));
  else { /* PETSc's moves the value array of a pattern that lacks entries */ PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.shift)(A, a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDiagonalSet_Derived(Mat A, Vec d, InsertMode mode)
{
  DerivedMat *m;
  PetscBool   full;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DiagonalFull(A, m, &full));
  if (full) PetscCall(ChangeDiagonal(A, m, d, 0, mode != INSERT_VALUES));
  else {
    PetscCall(DerivedSync(A, m));
    PetscCall((*m->base.diagonalset)(A, d, mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

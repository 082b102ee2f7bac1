/*
   The places of a block's entries among the values of its format: computed at first use, discarded when the pattern
   changes; and the test whether another block has the same places.
*/
#include "local_part.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "change.hpp"
#include "../../private/mat.hpp"
#include <new>

namespace heptane
{

void LocalPart::ForgetPlaces()
{
  runs.reset();
  diagonals.reset();
  diagonal_places.Free();
  run_list.Free();
  run_shapes.Free();
  entry_places.reset();
  no_places = PETSC_FALSE;
  staged.Free();
  moved = 0;
  same_pattern.Clear();
  same_places.Clear();
}

/* P: the block's pattern; the block may be gone but for its data */
PetscErrorCode LocalPart::MakeRuns(const Csr &P, const ValueRuns **r)
{
  PetscFunctionBegin;
  if (!runs) {
    PetscCall(Complete());
    try {
      auto           made = std::make_shared<ValueRuns>();
      ValueRunsMaker maker(P, made.get());
      format->places(P, &maker);
      made->Fit();
      runs = std::move(made);
    } catch (const std::bad_alloc &) {
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the places of %" PetscInt_FMT " nonzeros", P.nnz());
    }
  }
  *r = runs.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::Runs(const ValueRuns **r)
{
  Csr P;

  PetscFunctionBegin;
  PetscCall(Pattern(&P));
  PetscCall(MakeRuns(P, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::Diagonals(const DiagonalPlaces **places)
{
  PetscFunctionBegin;
  if (!diagonals) {
    const ValueRuns *r;
    Csr              P;
    auto             found = std::make_shared<DiagonalPlaces>();

    PetscCall(Runs(&r));
    PetscCall(Pattern(&P));
    for (PetscInt row = 0; row < PetscMin(P.rows, P.cols); row++) {
      PetscInt k = P.ptr[row];

      while (k < P.ptr[row + 1] && P.col[k] != row) k++;
      const bool missing = k == P.ptr[row + 1];
      found->entry.push_back(missing ? -1 : k);
      found->place.push_back(missing || !r->Usable() ? -1 : r->Place(row, k - P.ptr[row]));
      if (missing) found->full = false;
    }
    diagonals = std::move(found);
  }
  *places = diagonals.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::DiagonalOnDevice(const std::int64_t **place)
{
  const DiagonalPlaces *d;

  PetscFunctionBegin;
  PetscCall(Diagonals(&d));
  if (diagonal_places.State() == Valid::nowhere) PetscCall(diagonal_places.Assign(Where::device, d->place));
  *place = diagonal_places.At(Where::device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::TakeDiagonal(Where where, Scalar *d, PetscBool *done)
{
  const ValueRuns      *r = nullptr;
  const DiagonalPlaces *places;
  const Scalar         *values = nullptr;

  PetscFunctionBegin;
  PetscCall(Runs(&r));
  *done = (PetscBool)r->Usable();
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(&places));
  PetscCall(Values(where, &values));
  if (where == Where::host) {
    for (std::size_t k = 0; k < places->place.size(); k++) d[k] = places->place[k] < 0 ? Scalar(0) : values[places->place[k]];
  } else {
    const MetricsPass   metrics(true, [&] { return DeclaredPass{"diagonal taken", (8. + 2. * sizeof(Scalar)) * places->place.size()}; });
    const std::int64_t *at;

    PetscCall(DiagonalOnDevice(&at));
    PetscCall(LaunchOnStream([&](auto stream) { return launch_take(values, places->place.size(), at, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool same_sizes(const Csr &P, const Csr &Q)
{
  return P.rows == Q.rows && P.cols == Q.cols && P.nnz() == Q.nnz();
}

PetscErrorCode PatternsEqual(const Csr &P, const Csr &Q, PetscBool *equal)
{
  PetscFunctionBegin;
  *equal = (PetscBool)same_sizes(P, Q);
  if (*equal && P.rows) PetscCall(PetscArraycmp(P.ptr, Q.ptr, P.rows + 1, equal));
  if (*equal && P.nnz()) PetscCall(PetscArraycmp(P.col, Q.col, P.nnz(), equal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::SamePattern(Mat other, PetscBool *same)
{
  Csr P, Q;

  PetscFunctionBegin;
  PetscCall(Pattern(&P));
  PetscCall(PatternOf(other, &Q));
  const Stamp now = Stamp::Of(((PetscObject)other)->id, other->nonzerostate, Q.col);
  *same           = (PetscBool)same_sizes(P, Q);
  if (*same && same_pattern != now) {
    PetscCall(PatternsEqual(P, Q, same));
    if (*same) same_pattern = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool LocalPart::SamePlaces(const LocalPart &other)
{
  const Stamp now = Stamp::Of(layout, other.layout);

  if (layout == other.layout || same_places == now) return PETSC_TRUE;
  if (!format->same(*other.format)) return PETSC_FALSE;
  same_places = now;
  return PETSC_TRUE;
}

} // namespace heptane

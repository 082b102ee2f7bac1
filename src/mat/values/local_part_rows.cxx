/*
   Some known rows of the compressed rows have changed: only these are filled again, if the format's values are
   otherwise up to date.
*/
#include "local_part.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "set_rows.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "change.hpp"
#endif
#include <algorithm>
#include <new>

namespace heptane
{

std::vector<PetscInt> SetRows::Take()
{
  std::vector<PetscInt> rows = std::move(list);

  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  Forget();
  return rows;
}

/* Into the copies that are up to date except for these rows; the device receives only their values and places */
PetscErrorCode LocalPart::PutRows(const Scalar a[], const ValueRuns &r, const std::vector<PetscInt> &rows)
{
  PetscFunctionBegin;
  if (values.FormatValid(Where::host)) r.FillRows(rows, a, values.At(Where::host));
  if (values.FormatValid(Where::device)) {
    std::vector<std::int64_t> place;
    std::vector<Scalar>       value;
    Buffer<std::int64_t>      places;
    Buffer<Scalar>            changed;
    const std::int64_t       *at;
    const Scalar             *v;

    r.ListRows(rows, a, place, value);
    places.Refer(place);
    changed.Refer(value);
    PetscCall(places.Read(Where::device, &at));
    PetscCall(changed.Read(Where::device, &v));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values of rows put", (8. + 2. * sizeof(Scalar)) * place.size()}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_put(values.At(Where::device), place.size(), at, v, 0, false, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::PutRows(const std::vector<PetscInt> &rows, PetscBool *done)
{
  const ValueRuns   *r;
  const PetscScalar *a;
  Csr                P;

  PetscFunctionBegin;
  PetscCall(Pattern(&P));
  PetscCall(MakeRuns(P, &r));
  *done = (PetscBool)r->Usable();
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetArrayRead(block, &a));
  try {
    PetscCall(PutRows(a, *r, rows));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for %" PetscInt_FMT " changed rows", (PetscInt)rows.size());
  }
  PetscCall(MatSeqAIJRestoreArrayRead(block, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

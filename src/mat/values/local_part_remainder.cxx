/*
   A part's layout, and the operations on its remainder, which are the same for every format.
*/
#include "local_part.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "change.hpp"

namespace heptane
{

PetscErrorCode LocalPart::SetFormat(std::shared_ptr<const FormatLayout> found)
{
  PetscFunctionBegin;
  format    = std::move(found);
  remainder = std::make_shared<Remainder>();
  PetscCall(remainder->Reset(format->remainder_row, format->remainder_ptr, format->remainder_col, format->cols));
  Forget();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::RemainderValues(Where where, const Scalar **first)
{
  PetscFunctionBegin;
  PetscCall(Values(where, first));
  *first += format->format_values();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::GatherBlocks(Where where, int b, std::size_t ld, Scalar *d)
{
  const Scalar *rem;
  CsrRows       R;

  PetscFunctionBegin;
  PetscCall(Complete());
  if (!format->rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RemainderValues(where, &rem));
  PetscCall(remainder->Rows(where, rem, &R));
  PetscCall(GatherFormat(where, b, ld, d));
  if (where == Where::host) {
    for (int k = 0; k < R.count; k++) csr_gather_row(R, k, b, ld, d);
  } else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"diagonal blocks gathered, remainder", 4. * format->remainder_col.size()}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_csr_gather_blocks(R, b, ld, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::ScaleRowsColumns(Where where, const Scalar *l, const Scalar *r, Scalar *scaled)
{
  Scalar *const rem = scaled + format->format_values();
  CsrRows       R;

  PetscFunctionBegin;
  PetscCall(remainder->Rows(where, rem, &R));
  PetscCall(ScaleFormat(where, l, r, scaled));
  if (where == Where::host) {
    for (int k = 0; k < R.count; k++) csr_scale_row(R, rem, l, r, k, 0, 1);
  } else {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"rows and columns scaled, remainder", (2. * sizeof(Scalar) + 4) * format->remainder_col.size() + (12. + sizeof(Scalar)) * R.count};
    });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_csr_scale(R, rem, l, r, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

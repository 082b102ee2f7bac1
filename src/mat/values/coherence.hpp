/*
   The up-to-date copies of a block's values: PETSc's compressed rows on the host (HostValid()), and the format
   (FormatValid(): nowhere, on the host, on the device, on both). A block is armed if its rows are out of date:
   host_values.hpp then notices every access to them. One function for each event, in this order; s is a side of the
   format, "-" an error.

                                                            state:  rows only   both         armed
      1 FormatFilled(s)    the format is made from the rows         both        -            -
      2 FormatRead(s)      it is copied there from the other side   -           both         armed
      3 FormatWritten(s)   values are changed in the format there   armed       armed        armed
      4 RowsRead()         the rows are made from the format        rows only   both         both
      5 RowsWritten()      the rows are written elsewhere           rows only   rows only    rows only
      6 RowsCounted()      PETSc has counted a change of the block  rows only   rows only    armed
      7 RowsRefilled()     some rows, and the format there too      rows only   both         -
      8 BothWritten()      rows and format changed on the host      rows only   both (host)  -
      9 PatternChanged()   the format's memory is freed             rows only   rows only    -
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../device/scalar.hpp"
#include <petscsys.h>
#include <memory>

namespace heptane
{

class Coherence {
public:
  bool  HostValid() const { return host_valid; }
  bool  Armed() const { return !host_valid; }
  Valid FormatValid() const { return format.State(); }
  bool  FormatValid(Where where) const { return format.ValidAt(where); }

  /* The format's memory: null if there is none; shared; made for n values, of zeros */
  Scalar                     *At(Where where) const { return format.At(where); }
  std::shared_ptr<const void> Share(Where where) const { return format.Share(where); }
  PetscErrorCode              Zeros(std::size_t n, Where where, Scalar **array)
  {
    PetscFunctionBegin;
    if (!format.Size()) format.Resize(n);
    PetscCall(format.Zeros(where, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode FormatFilled(Where where)
  {
    PetscFunctionBegin;
    PetscCall(Allow(host_valid && FormatValid() == Valid::nowhere, "filled into the format"));
    format.Written(where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* empty: there is no value to copy */
  PetscErrorCode FormatRead(Where where, bool empty)
  {
    const Scalar *unused;

    PetscFunctionBegin;
    PetscCall(Allow(FormatValid() != Valid::nowhere, "copied between host and device"));
    if (empty) format.Written(where);
    PetscCall(format.Read(where, &unused));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void FormatWritten(Where where)
  {
    host_valid = false;
    format.Written(where);
  }
  void RowsRead() { host_valid = true; }
  void RowsWritten()
  {
    host_valid = true;
    format.Invalidate();
  }
  /* In an armed block PETSc has counted FormatWritten(): the rows were not written */
  void RowsCounted()
  {
    if (host_valid) format.Invalidate();
  }
  PetscErrorCode RowsRefilled() const { return Allow(host_valid, "of some rows filled again"); }
  PetscErrorCode BothWritten()
  {
    PetscFunctionBegin;
    PetscCall(Allow(host_valid, "changed in both"));
    format.Invalidate(Where::device);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode PatternChanged()
  {
    PetscFunctionBegin;
    PetscCall(Allow(host_valid, "given up"));
    format.Free();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode Allow(bool allowed, const char event[]) const
  {
    PetscFunctionBegin;
    PetscCheck(allowed, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Values %s that are up to date in %s: report this as a bug", event,
               host_valid ? "compressed rows" : "the format only");
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool           host_valid = true;
  Buffer<Scalar> format; /* operators share its memory */
};

} // namespace heptane

/*
   Turns PETSc errors of one benchmark candidate (unknown type, no GPU, not supported) into a message, so that the
   other candidates still run and the failure becomes a line of the results.
*/
#pragma once
#include <petscsys.h>
#include <string>

namespace bench
{

class ErrorCapture {
public:
  ErrorCapture() { PetscCallAbort(PETSC_COMM_SELF, PetscPushErrorHandler(keep_first, this)); }
  ~ErrorCapture() { PetscCallAbort(PETSC_COMM_SELF, PetscPopErrorHandler()); }
  ErrorCapture(const ErrorCapture &)            = delete;
  ErrorCapture &operator=(const ErrorCapture &) = delete;

  // The message of `code`, empty for success
  std::string message(PetscErrorCode code) const
  {
    const char *generic = nullptr;

    if (code == PETSC_SUCCESS) return "";
    if (first_.rfind("Unknown Mat type", 0) == 0 || first_.rfind("Unable to find requested KSP type", 0) == 0)
      return first_ + " (a plugin's types need -dll_append /path/to/libheptane.so)";
    if (!first_.empty()) return first_;
    PetscCallAbort(PETSC_COMM_SELF, PetscErrorMessage(code, &generic, nullptr));
    return generic ? generic : "error " + std::to_string(code);
  }

private:
  static PetscErrorCode keep_first(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType kind, const char *text, void *context)
  {
    auto *self = static_cast<ErrorCapture *>(context);

    if (kind == PETSC_ERROR_INITIAL && self->first_.empty() && text) self->first_ = text;
    return code;
  }

  std::string first_;
};

} // namespace bench

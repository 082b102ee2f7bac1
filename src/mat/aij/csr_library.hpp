/*
   y = A x (+ y) with compressed rows on the device, by cuSPARSE: where a format has nothing better to offer than compressed rows, some of them very long.
   Without CUDA there is none.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <petscsys.h>

namespace heptane
{

class CsrLibrary {
public:
  CsrLibrary() = default;
  ~CsrLibrary();
  CsrLibrary(const CsrLibrary &)            = delete;
  CsrLibrary &operator=(const CsrLibrary &) = delete;

  /* ptr (host, [rows + 1]) is copied; col (device, [ptr[rows]]) and values (device) are borrowed */
  PetscErrorCode SetUp(int rows, int cols, const int ptr[], int *col, Scalar *values);
  /* z = A x, or z += A x */
  PetscErrorCode Mult(const Scalar *x, Scalar *z, PetscBool add);
  /* Called once by PetscFinalize() */
  static PetscErrorCode Finalize();

private:
  int   rows = 0, cols = 0;
  int  *ptr    = nullptr; /* device */
  void *matrix = nullptr, *buffer = nullptr, *vec_x = nullptr, *vec_z = nullptr;
  void *values = nullptr;
};

} // namespace heptane

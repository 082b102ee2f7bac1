/*
   What a matrix tells a solver that decides where to run: where its values are up to date, and what would have to be copied. A type composes "MatGetPlacement_C" on its matrices.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

struct MatPlacement {
  bool   device_usable = false;              /* products can run on the device */
  bool   on_host = false, on_device = false; /* values are up to date there; both: on both sides */
  bool   filled      = false;                /* the format has them, on one side at least */
  double value_bytes = 0;                    /* of the format's values: what is copied where they are on one side alone */
};

/* The name under which a type composes PetscErrorCode (*)(Mat A, MatPlacement *) */
inline constexpr char placement_name[] = "MatGetPlacement_C";

} // namespace heptane

/*
   A field of a structure of PETSc that heptane uses: a release without it, or with another type, does not compile.
*/
#pragma once

#include "../sys/petsc_compat.hpp"
#include <type_traits>

#define HEPTANE_FIELD(structure, field, type) \
  static_assert(std::is_same<decltype(structure::field), type>::value, \
                "This PETSc has another " #structure "::" #field ": docs/develop/releases.md tells how to add a release")

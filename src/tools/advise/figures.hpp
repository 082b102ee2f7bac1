/*
   The figures of a machine for the programs: from a file, or measured.
*/
#pragma once

#include "measure.hpp"

namespace heptane
{

/*
   -machine FILE: figures are read from the file. If it does not exist, they are measured now and written into it, and
   without the option only measured.
*/
PetscErrorCode MachineFigures(Machine *machine);

} // namespace heptane

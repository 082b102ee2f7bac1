/*
   What a preconditioner type composes so that a group of processes can have another one like it on one process: its
   settings, which options or functions have set.
*/
#pragma once

#include <petscpc.h>
#include <string>

namespace heptane
{

/*
   The name under which a type composes PetscErrorCode (*)(PC from, PC to, std::string *why). *why: what that has would not
   be the same with the rows of several processes on one. to: of the same type, null where only this is asked.
*/
inline constexpr char pc_carry_name[] = "PCCarrySettings_C";

} // namespace heptane

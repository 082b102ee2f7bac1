/*
   A solver whose solves the leaders of groups make, each with the rows of its group: they have a solver of the same type
   with the same settings, of the matrix that GroupedMat has. All processes come to the same end.
*/
#pragma once

namespace heptane
{

/* Fused solvers that are created from now on ask for groups: -heptane_groups */
void GroupsRegister();

} // namespace heptane

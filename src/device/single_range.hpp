/*
   Sizes of numbers that are stored as Single, with room for what is done to them.
*/
#pragma once

#include "scalar.hpp"

namespace heptane
{

inline constexpr Scalar single_smallest = 1e-30, single_largest = 1e30;

} // namespace heptane

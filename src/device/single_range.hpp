/*
   Range of numbers that are stored as Single, with a margin for arithmetic on them.
*/
#pragma once

#include "scalar.hpp"

namespace heptane
{

inline constexpr Scalar single_smallest = 1e-30, single_largest = 1e30;

} // namespace heptane

/*
   The fused product of the Schur complement.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "redblack_rows.hpp"

namespace heptane
{

/* Good while the memory of R is; number: of its plan */
std::shared_ptr<FusedOperator> redblack_fused(const RedBlack &R, std::uint64_t number, double flops);

} // namespace heptane

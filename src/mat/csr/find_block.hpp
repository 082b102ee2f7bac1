/*
   The block size of a compressed-row pattern. Independent of formats.
*/
#pragma once

#include "csr.hpp"

namespace heptane
{

/* The largest block size <= compiled_blocks such that the pattern consists of dense aligned blocks; 1 if the columns
   are not sorted. Inactive cells, whose rows have only a diagonal entry each, are compatible with every size. */
int find_block(const Csr &A);

} // namespace heptane

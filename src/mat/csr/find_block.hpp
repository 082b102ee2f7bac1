/*
   The block size of a compressed-row pattern. Knows no format.
*/
#pragma once

#include "csr.hpp"

namespace heptane
{

/*
   The largest block size <= compiled_blocks whose dense aligned blocks make up the pattern; rows with nothing but one entry in their own
   cell (inactive cells) do not speak against it. Columns sorted; 1 where they are not.
*/
int find_block(const Csr &A);

} // namespace heptane

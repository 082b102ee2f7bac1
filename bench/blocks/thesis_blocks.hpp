/*
   Suite thesis-blocks: dense blocks of 4 to 112 rows by Gauss-Jordan elimination, LU and QR, beside cuBLAS, and beside LAPACK on one core of the host.
*/
#pragma once
#include "../common/bench.hpp"
#include "../common/results.hpp"

namespace bench
{

// -block_count n: how many blocks of each size
PetscErrorCode thesis_blocks_run(Bench &run, PetscInt seed, Table *table);

} // namespace bench

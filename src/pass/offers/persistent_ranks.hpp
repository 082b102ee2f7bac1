/*
   Arguments of a persistent kernel for a matrix with rows on several GPUs: the sum over all blocks of all ranks, and
   the exchange of the halo. Has no PETSc objects.
*/
#pragma once

#include "../../comm/peer_grid.hpp"
#include "../../comm/peer_halo.hpp"
#include "../remainder_rows.hpp"

namespace heptane
{

struct FusedRanks {
  PeerGrid      grid; /* of the solve; all ranks have agreed on the numbers of blocks */
  PeerHalo      halo; /* from here on members of the operator */
  RemainderRows rows; /* columns are ghosts of the halo */
  RemainderRows sent; /* by row: columns are peer_target() */
};

} // namespace heptane

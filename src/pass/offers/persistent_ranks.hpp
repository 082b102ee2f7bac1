/*
   What a persistent kernel takes where the rows of a matrix lie on several GPUs: how all blocks of all ranks add, and how the values of other ranks' columns go. Knows no PETSc
   objects.
*/
#pragma once

#include "../../comm/peer_grid.hpp"
#include "../../comm/peer_halo.hpp"
#include "../remainder_rows.hpp"

namespace heptane
{

struct FusedRanks {
  PeerGrid      grid; /* of who solves; the numbers of blocks are those that all ranks have agreed on */
  PeerHalo      halo; /* from here on of the operator */
  RemainderRows rows; /* columns number the ghosts of the halo */
  RemainderRows sent; /* by row: columns are peer_target() */
};

} // namespace heptane

/*
   The persistent kernels of BiCGStab on several GPUs, one rank each, with several unknowns per cell.
*/
#include "bdiagh_persistent_bcgs.cuh"
namespace heptane
{
const BdiaghPersistentKernel *bdiagh_persistent_bcgs_blocks_ranks_kernels(int *number)
{
  return bdiagh_persistent_bcgs_table<BdiaghPersistentBcgsBlocksRanksVariants>(number);
}
} // namespace heptane

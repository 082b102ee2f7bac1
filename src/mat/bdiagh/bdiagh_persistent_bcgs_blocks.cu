/*
   The persistent kernels of BiCGStab on one GPU, with several unknowns per cell.
*/
#include "bdiagh_persistent_bcgs.cuh"
namespace heptane
{
const BdiaghPersistentKernel *bdiagh_persistent_bcgs_blocks_kernels(int *number)
{
  return bdiagh_persistent_bcgs_table<BdiaghPersistentBcgsBlocksVariants>(number);
}
} // namespace heptane

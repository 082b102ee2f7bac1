/*
   The persistent kernels of BiCGStab on several GPUs, one rank each, of rows with entries off the diagonals.
*/
#include "bdiagh_persistent_bcgs.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_bcgs_ranks_rest_kernels(int *number)
{
  return bdiagh_persistent_bcgs_table<BdiaghPersistentBcgsRanksRestVariants>(number);
}

} // namespace heptane

/*
   CG in single precision on several GPUs: the kernels there are.
*/
#include "bdiagh_persistent_single_cg.cuh"

namespace heptane
{

template <int ROWS, int BELOW, int ABOVE, int THREADS = BdiaghSinglePersistentTuning::threads>
using Across = BdiaghSingleVariant<ROWS, true, BELOW, ABOVE, THREADS, true>;

const BdiaghSingleKernel *bdiagh_persistent_single_cg_ranks_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {bdiagh_single_cg_kernel_of<Across<4, 4, 4>>(), bdiagh_single_cg_kernel_of<Across<8, 8, 8>>(),
                                               bdiagh_single_cg_kernel_of<Across<20, 18, 20>>(), bdiagh_single_cg_kernel_of<Across<42, 0, 20, 384>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane

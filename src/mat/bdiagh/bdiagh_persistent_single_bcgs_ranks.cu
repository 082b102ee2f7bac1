/*
   BiCGStab in single precision on several GPUs: the kernels there are.
*/
#include "bdiagh_persistent_single_bcgs.cuh"

namespace heptane
{

template <int ROWS, int BELOW, int ABOVE>
using Across = BdiaghSingleVariant<ROWS, false, BELOW, ABOVE, BdiaghSinglePersistentTuning::threads, true>;

const BdiaghSingleKernel *bdiagh_persistent_single_bcgs_ranks_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {bdiagh_single_bcgs_kernel_of<Across<4, 4, 4>>(), bdiagh_single_bcgs_kernel_of<Across<8, 8, 8>>(),
                                               bdiagh_single_bcgs_kernel_of<Across<10, 10, 10>>(), bdiagh_single_bcgs_kernel_of<Across<16, 0, 14>>(),
                                               bdiagh_single_bcgs_kernel_of<Across<18, 0, 0>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane

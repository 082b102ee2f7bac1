/*
   BiCGStab in single precision on one GPU: the kernels there are.
*/
#include "bdiagh_persistent_single_bcgs.cuh"

namespace heptane
{

const BdiaghSingleKernel *bdiagh_persistent_single_bcgs_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {
    bdiagh_single_bcgs_kernel_of<BdiaghSingleVariant<4, false, 4, 4>>(), bdiagh_single_bcgs_kernel_of<BdiaghSingleVariant<8, false, 8, 8>>(),
    bdiagh_single_bcgs_kernel_of<BdiaghSingleVariant<16, false, 0, 14>>(), bdiagh_single_bcgs_kernel_of<BdiaghSingleVariant<18, false, 0, 0>>(),
    bdiagh_single_bcgs_kernel_of<BdiaghStreamedVariant<42, 3>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane

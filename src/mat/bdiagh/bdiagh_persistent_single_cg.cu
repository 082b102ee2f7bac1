/*
   CG in single precision on one GPU: the kernels there are.
*/
#include "bdiagh_persistent_single_cg.cuh"

namespace heptane
{

const BdiaghSingleKernel *bdiagh_persistent_single_cg_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {
    bdiagh_single_cg_kernel_of<BdiaghSingleVariant<4, true, 4, 4>>(), bdiagh_single_cg_kernel_of<BdiaghSingleVariant<8, true, 8, 8>>(),
    bdiagh_single_cg_kernel_of<BdiaghSingleVariant<15, true, 15, 15>>(), bdiagh_single_cg_kernel_of<BdiaghSingleVariant<20, true, 18, 20>>(),
    bdiagh_single_cg_kernel_of<BdiaghSingleVariant<42, true, 0, 20, 384>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane

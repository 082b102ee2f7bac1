/*
   CG in single precision on several GPUs: the kernels there are.
*/
#include "bdiagh_persistent_single_cg.cuh"

namespace heptane
{

/* Up to 1.35M rows per GPU. With 42 rows of a thread, two H100, 4.1M rows: 77.6 us per iteration, in a graph 74.3; taken out */
template <int ROWS, int BELOW, int ABOVE>
using Across = BdiaghSingleVariant<ROWS, true, BELOW, ABOVE, BdiaghSinglePersistentTuning::threads, true>;

const BdiaghSingleKernel *bdiagh_persistent_single_cg_ranks_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {bdiagh_single_cg_kernel_of<Across<4, 4, 4>>(), bdiagh_single_cg_kernel_of<Across<8, 8, 8>>(),
                                               bdiagh_single_cg_kernel_of<Across<20, 18, 20>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane

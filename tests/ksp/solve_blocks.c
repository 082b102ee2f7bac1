static char help[] = "Fused solvers on matrices of all block sizes, and in layouts whose blocks are of another size.\n";

#include "solve.h"

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Solve, CompareSmall, "solve_blocks", 5000);
}

/*TEST

  testset:
    args: -cells 2,41,130 -bs 1,2,3,4,8 -pc jacobi,pbjacobi
    output_file: output/solve_blocks.out
    test:
      suffix: 1
      nsize: {{1 2}}
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda

  # the sizes left out above: compiled in, and those that share one kernel
  testset:
    args: -cells 2,130 -bs 5,6,7,9,12,16,17 -pc jacobi,pbjacobi
    output_file: output/solve_blocks.out
    test:
      suffix: bdiagh_blocks
      comments: quick
    test:
      suffix: bdiagh_blocks_cuda
      requires: cuda
      args: -mode graph -expect_cuda

  # every block size that is compiled in and one that is not; sorted, with rows put aside, without index and with
  testset:
    args: -mat_type sellp -cells 2,130 -pc jacobi,pbjacobi
    output_file: output/solve_blocks.out
    test:
      suffix: sellp_blocks
      args: -bs 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
    test:
      suffix: sellp_settings
      args: -bs 1,3 -mat_sellp_sort_window 64 -mat_sellp_slice_height 8 -mat_sellp_long_row {{0 6}} -mat_sellp_index {{auto 16 32}}
    test:
      suffix: sellp_blocks_cuda
      requires: cuda
      args: -bs 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 -mode graph -expect_cuda
    test:
      suffix: sellp_settings_cuda
      requires: cuda
      args: -bs 1,3 -mat_sellp_sort_window 64 -mat_sellp_slice_height 8 -mat_sellp_long_row {{0 6}} -mat_sellp_index {{auto 16 32}} -mode graph -expect_cuda

  # several processes, which exchange from memory to memory
  testset:
    requires: cuda
    nsize: 2
    args: -pc pbjacobi -heptane_comm_check -heptane_comm peer -type fusedcg,fusedbcgs -mode kernels -expect_cuda
    output_file: output/solve_blocks.out
    test:
      suffix: peer_cuda
      args: -cells 33 -bs 1,2,3,4,5,6,7,8,9,12,16 -mat_type {{bdiagh sellp}}
    test:
      suffix: peer_other_blocks_cuda
      args: -cells 132 -bs 2,3 -mat_bdiagh_max_fill 100 -mat_sellp_max_fill 100 -mat_bdiagh_block_size {{1 6}} -options_left 0

  # layouts in blocks of another size than the preconditioner's, which are applied behind the products then
  testset:
    args: -cells 6,132 -bs 2,3 -pc jacobi,pbjacobi -type fusedbcgs,fusedcg -every_norm
    args: -mat_bdiagh_max_fill 100 -mat_sellp_max_fill 100 -options_left 0
    output_file: output/solve_blocks.out
    test:
      suffix: other_blocks
      args: -mat_bdiagh_block_size {{1 6}}
    test:
      suffix: other_blocks_sellp
      args: -mat_type sellp -mat_sellp_block_size {{1 6}}
    test:
      suffix: other_blocks_cuda
      requires: cuda
      args: -mat_bdiagh_block_size {{1 6}} -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: other_blocks_cuda_sellp
      requires: cuda
      args: -mat_type sellp -mat_sellp_block_size {{1 6}} -mode kernels,graph -expect_cuda

  # inverses stored in single precision, which passes of their own apply, or a scaled copy has in it
  testset:
    args: -cells 2,130 -bs 1,2,3,8,9,17 -pc pbjacobi -pc_pbjacobi_precision single
    output_file: output/solve_blocks.out
    test:
      suffix: single
      requires: double
      nsize: {{1 2}}
      args: -mat_type {{bdiagh sellp}} -ksp_fused_fold {{no yes}}
    test:
      suffix: single_cuda
      requires: cuda double
      args: -mat_type {{bdiagh sellp}} -ksp_fused_fold {{no yes}} -mode kernels,graph -expect_cuda
    test:
      suffix: single_peer_cuda
      requires: cuda double
      nsize: 2
      args: -heptane_comm_check -heptane_comm peer -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs -mode kernels -expect_cuda

  # point blocks of another size than those of the format, in more than one tile of rows on the host
  test:
    suffix: tiles
    args: -cells 2800 -bs 3 -pc pbjacobi -mat_bdiagh_block_size 1 -type fusedbcgs,fusedbicg -ksp_rtol 1e-5 -rejects 0
    output_file: output/solve_blocks.out

TEST*/

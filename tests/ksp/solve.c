static char help[] = "Fused solvers: sizes around those of warps and tiles, preconditioners, norms, ranks without rows.\n";

#include "solve.h"

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Solve, CompareSmall, "solve", 5000);
}

/*TEST

  # sizes around those of warps and tiles
  testset:
    args: -pc none,jacobi,pbjacobi
    output_file: output/solve.out
    test:
      suffix: sizes
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: sizes_cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: sizes_cuda_sellp
      requires: cuda
      args: -mat_type sellp -mode kernels,graph -expect_cuda
    test:
      suffix: sizes_cuda_aijcusparse
      # not 32: cuSPARSE's product of 32 rows is wrong now and then where processes share a GPU, bench/results/2026-11-22-h200
      requires: cuda
      args: -cells 1,31,33,255,256,257 -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto -expect_cuda

  testset:
    args: -cells 257 -bs 1,3 -pc none,jacobi,rowmax,rowsum,abs,pbjacobi,shell,bjacobi,sor,asm -every_norm
    output_file: output/solve.out
    test:
      suffix: every
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: every_cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: every_cuda_sellp
      requires: cuda
      args: -mat_type sellp -mode graph -expect_cuda
    test:
      suffix: every_cuda_aijcusparse
      requires: cuda
      args: -mat_type aijcusparse -mode auto -expect_cuda

  testset:
    nsize: 4
    # processes that share a GPU take turns, milliseconds each
    args: -cells 2,65 -bs 3 -split 0,1,2 -pc jacobi,pbjacobi
    output_file: output/solve.out
    test:
      suffix: 4
    test:
      suffix: 4_peer
      args: -heptane_comm_check -heptane_comm peer
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mode auto -type fusedcg,fusedbcgs -expect_cuda -heptane_comm_check -heptane_comm {{mpi peer}}

  # ranks without rows
  testset:
    nsize: 2
    args: -cells 1,65 -bs 1,3 -split 1,2 -pc none,jacobi,pbjacobi,bjacobi
    output_file: output/solve.out
    test:
      suffix: empty
      comments: quick
    test:
      suffix: empty_cuda
      requires: cuda
      args: -mode auto -expect_cuda -heptane_comm_check -heptane_comm {{mpi peer}}

  testset:
    args: -cells 3333 -bs 1,3 -pc jacobi,pbjacobi
    output_file: output/solve.out
    test:
      suffix: thousands
      nsize: {{1 2}}
    test:
      suffix: thousands_cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda

  # matrices and vectors on the host of a machine with a GPU
  test:
    suffix: host_cuda
    requires: cuda
    args: -mat_type aij -cells 33,257 -pc none,jacobi,pbjacobi,bjacobi -mode kernels,graph,persistent
    output_file: output/solve.out

  test:
    suffix: sellp_cuda_small
    requires: cuda
    args: -mat_type sellp -cells 257 -bs 1,3 -pc jacobi,pbjacobi -mode kernels -ksp_max_it 5 -rejects 0 -expect_cuda
    output_file: output/solve.out

  test:
    suffix: cuda_small
    requires: cuda
    args: -cells 257 -bs 1,3 -pc jacobi,pbjacobi -mode kernels,graph,persistent -ksp_max_it 5 -rejects 0 -expect_cuda
    output_file: output/solve.out

TEST*/

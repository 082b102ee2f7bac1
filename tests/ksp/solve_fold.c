static char help[] = "Fused solvers with the preconditioner folded into the matrix, from the first iteration on or later; with entries off the diagonals.\n";

#include "solve.h"

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Solve, CompareSmall, "solve_fold", 5000);
}

/*TEST

  # the preconditioner folded into the matrix, from the first iteration on or later; with entries off the diagonals
  testset:
    args: -cells 33,130 -bs 1,3,8 -pc jacobi,rowmax,abs,pbjacobi,sor -every_norm -ksp_fused_fold {{yes auto}} -ksp_fused_fold_after 5
    output_file: output/solve_fold.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: 2
      nsize: 2
      args: -split 0,1,2 -mat_type {{bdiagh sellp}}
    test:
      suffix: 4
      nsize: 4
      args: -cells 130 -bs 1,3 -type fusedcg,fusedbcgs -heptane_comm_check -heptane_comm {{mpi peer}}
    test:
      suffix: remainder
      args: -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1
    test:
      suffix: sellp
      args: -mat_type sellp -mat_sellp_index {{auto 32}} -mat_sellp_sort_window 64
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: cuda_remainder
      requires: cuda
      args: -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1 -mode graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: cuda_sellp
      requires: cuda
      args: -mat_type sellp -mat_sellp_index {{auto 32}} -mat_sellp_sort_window 64 -mode kernels,graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: 2_cuda
      requires: cuda
      nsize: 2
      args: -cells 130 -bs 1,3,8 -split 0,2 -pc jacobi,pbjacobi -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs -heptane_comm_check -heptane_comm peer -expect_cuda

  # under compute-sanitizer a launch takes 10 ms: few iterations, but more than p of CG has vectors, and several thread blocks
  test:
    suffix: cuda_small
    requires: cuda
    args: -cells 257 -bs 1,3 -pc jacobi,pbjacobi -mode kernels -ksp_fused_fold yes -type fusedcg,fusedbcgs -ksp_max_it 5 -rejects 0 -expect_cuda
    output_file: output/solve_fold.out

  test:
    suffix: sellp_cuda_small
    requires: cuda
    args: -mat_type sellp -cells 257 -bs 1,3,17 -pc jacobi,pbjacobi -mode kernels -ksp_fused_fold yes -type fusedcg,fusedbcgs -ksp_max_it 5 -rejects 0 -expect_cuda
    output_file: output/solve_fold.out

TEST*/

/*
   Which systems are small on the host.
*/
#pragma once

namespace heptane
{

struct SmallTuning {
  /*
     Rows up to which products take compressed rows by PETSc's own functions, and fused solvers PETSc's own loop. CG with Jacobi to 1e-8, seven-point grids, b = 1, times as long as aij with PETSc's loop, bdiagh and sellp with
     their formats and the passes: 60 rows 1.28, 1.47; 125 rows 1.07, 1.72; 252 rows 0.96, 1.02; 392 rows 0.83, 0.87; 1000 rows 0.75, 0.76. With a new matrix each time 1.50, 1.71; 1.35, 1.94; 1.06, 1.21; 0.93, 1.05; 0.81,
     0.87. Measured on a core of an Intel Xeon with AVX-512, bench/results/2026-11-28-host
  */
  static constexpr int rows = 256;
};

} // namespace heptane

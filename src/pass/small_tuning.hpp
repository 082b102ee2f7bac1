/*
   The size below which systems on the host count as small.
*/
#pragma once

namespace heptane
{

struct SmallTuning {
  /*
     Rows up to which products use compressed rows with PETSc's functions, and fused solvers use PETSc's loop. CG with
     Jacobi breaks even with aij near 250 rows. Intel Xeon, AVX-512, bench/results/2026-11-28-host
  */
  static constexpr int rows = 256;
};

} // namespace heptane

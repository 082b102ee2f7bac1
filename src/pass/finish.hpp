/*
   What follows a reduction: the scalars of the next step from the sums. Methods write it; kernels of matrix types call it by name.
*/
#pragma once

#include "../ksp/fusedbcgs/fusedbcgs_scalars.hpp"
#include "../ksp/fusedcg/fusedcg_scalars.hpp"

namespace heptane
{

enum class FusedFinish : int {
  none,
  cg_product,   /* (u, y) */
  bicg_product, /* (w, y) */
  bcgs_first,   /* (w, y) */
  bcgs_second   /* (y, u), (y, y), (w, y), (w, u) */
};

HEPTANE_HD constexpr int number_of_sums(FusedFinish finish)
{
  return finish == FusedFinish::none ? 0 : finish == FusedFinish::bcgs_second ? 4 : 1;
}

HEPTANE_HD void run_finish(FusedFinish finish, FusedScalars &S, const Scalar sums[])
{
  switch (finish) {
  case FusedFinish::none:
    break;
  case FusedFinish::cg_product:
    cg_after_product(S, sums[0]);
    break;
  case FusedFinish::bicg_product:
    bicg_after_product(S, sums[0]);
    break;
  case FusedFinish::bcgs_first:
    bcgs_after_first(S, sums[0]);
    break;
  case FusedFinish::bcgs_second:
    bcgs_after_second(S, sums);
    break;
  }
}

} // namespace heptane

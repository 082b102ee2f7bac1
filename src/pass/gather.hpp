/*
   The vector of a fused product, formed as it is read. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../device/scalar.hpp"

namespace heptane
{

/* u = q - alpha v, or q; T: what q and v are stored in */
template <bool MINUS, class T = Scalar>
struct FusedGather {
  const T *q, *v;
  Scalar   alpha;

  HEPTANE_HD Scalar operator[](std::size_t c) const
  {
    if constexpr (MINUS) return q[c] - alpha * v[c];
    else return q[c];
  }
};

} // namespace heptane

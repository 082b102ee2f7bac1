/*
   The vector of a fused product, computed while it is read. For host and device; has no PETSc objects.
*/
#pragma once

#include "../stored_pack.hpp"

namespace heptane
{

/* u = q - alpha v, or q; T: storage type of q and v */
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

/* The same for vectors stored as Single, in single precision */
template <bool MINUS>
struct SingleGather {
  const Single *q, *v;
  SingleFactor  factor; /* -alpha */

  HEPTANE_HD        SingleGather(const Single *q_, const Single *v_, Scalar alpha) : q(q_), v(v_), factor(-alpha) {}
  HEPTANE_HD Single operator[](std::size_t c) const
  {
    if constexpr (MINUS) return factor.plus(q[c], v[c]);
    else return q[c];
  }
  template <int W>
  HEPTANE_HD SinglePack<W> pack(std::size_t c) const
  {
    SinglePack<W> u = load_stored<Pack<W>>(q, c);

    if constexpr (MINUS) {
      const SinglePack<W> w = load_stored<Pack<W>>(v, c);
      HEPTANE_UNROLL
      for (int k = 0; k < W; k++) u.v[k] = factor.plus(u.v[k], w.v[k]);
    }
    return u;
  }
};

} // namespace heptane

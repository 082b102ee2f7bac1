/*
   What the executors of lines work on, on the host and on the device.
*/
#pragma once

#include "lines_rows.hpp"

namespace heptane
{

/* Lines as a preconditioner: factors in L.coef, where blocks across have room and no values. `line` is the same level in the precision of the solver, with x alone: where lines are half way. */
template <class Real>
struct LinesSystem {
  GridLevel<Real>   L;
  GridLevel<Scalar> line;
  LinesPlaces       places;
  Scalar            scale = 1; /* the matrix of the factors is that of the solver times this */
};

} // namespace heptane

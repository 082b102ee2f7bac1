/*
   Whether an iteration that stands still has ended whole. For host and device.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

/* x may take what the recurrences have added up; false: a breakdown, behind which that may be anything */
HEPTANE_HD bool may_land(const FusedScalars &S)
{
  return S.stop == FusedStop::no || S.stop == FusedStop::test || S.stop == FusedStop::limit;
}

} // namespace heptane

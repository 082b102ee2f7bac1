/*
   The inverse of a number without the branches of a division, so that several inversions overlap. For host and device.
*/
#pragma once

#include "scalar.hpp"
#include <cmath>

namespace heptane
{

/* 1 / a to about 20 bits: the device's instruction, from the upper half of a */
HEPTANE_HD double reciprocal_rough(double a)
{
#if defined(__CUDA_ARCH__)
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  return y;
#else
  int          exponent;
  const double part = std::frexp(a, &exponent);
  return std::ldexp(static_cast<double>(static_cast<float>(1 / part)) * (1 + 0x1p-20), -exponent);
#endif
}

/*
   1 / d to a unit in the last place; infinite if that overflows, NaN if d is 0 or not finite. The error of the rough
   value is cubed, then squared; d is scaled to a range in which no step overflows or underflows
*/
HEPTANE_HD double reciprocal(double d)
{
  const double size = std::fabs(d), scale = size < 0x1p-500 ? 0x1p600 : size > 0x1p500 ? 0x1p-600 : 1., a = d * scale;
  double       y = reciprocal_rough(a), e = std::fma(-a, y, 1.);

  e = std::fma(e, e, e);
  y = std::fma(y, e, y);
  e = std::fma(-a, y, 1.);
  y = std::fma(y, e, y);
  return y * scale;
}

} // namespace heptane

/*
   Numbers of 16 bits: the upper half of a float, with its range and eight binary digits. A device decodes one by a
   shift, which does not wait for the unit that converts between precisions.
*/
#pragma once

#include "scalar.hpp"
#include <cstring>

namespace heptane
{

/*
   The bits of v rounded to nearest, ties to even. The largest numbers are truncated instead of becoming infinite, and
   NaN stays NaN
*/
HEPTANE_HD std::uint32_t bfloat16_bits(float v)
{
  constexpr std::uint32_t infinity = 0x7f800000u, largest = 0x7f7fu;
  std::uint32_t           bits;

  std::memcpy(&bits, &v, sizeof(v));
  const std::uint32_t size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u, rounded = (size + 0x7fffu + (size >> 16 & 1u)) >> 16;

  return sign | (size > infinity ? 0x7fc0u : size == infinity ? infinity >> 16 : rounded < largest ? rounded : largest);
}

struct BFloat16 {
  std::uint16_t bits;

  BFloat16() = default;
  HEPTANE_HD explicit BFloat16(float v) : bits(static_cast<std::uint16_t>(bfloat16_bits(v))) {}
  HEPTANE_HD operator float() const
  {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    float               v;

    std::memcpy(&v, &wide, sizeof(v));
    return v;
  }
};

} // namespace heptane

/*
   Whether `auto` chooses mixed precision for a solve on the device. Without PETSc objects.
*/
#pragma once

#include "../engine/tuning.hpp"
#include <string>

namespace heptane
{

/* A solve in both precisions */
struct MixedCosts {
  double matrix    = 0;                             /* bytes of a product in double precision */
  double of_double = 0, of_mixed = 0;               /* bytes per row and iteration, matrix and scaled copy included */
  bool   resident_double = false, resident = false; /* there is a persistent kernel for it */
};

/* Empty: it pays */
inline std::string why_mixed_pays_not(const MixedCosts &c)
{
  const bool large = c.matrix >= FusedTuning::mixed_bytes, middle = c.matrix >= FusedTuning::mixed_resident_bytes && (c.resident || !c.resident_double);

  if (!large && !middle) return "too small a matrix for it to pay";
  if (!(c.of_mixed <= FusedTuning::mixed_gain * c.of_double))
    return "an iteration would move " + std::to_string((int)(100 * c.of_mixed / c.of_double + 0.5)) + " % of the bytes";
  return "";
}

} // namespace heptane

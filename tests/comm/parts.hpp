/*
   What a rank adds to sum k of an epoch in the tests of sums between ranks: no two ranks, sums or epochs the same.
*/
#pragma once

#include "device/scalar.hpp"
#include <cstdint>

HEPTANE_HD double part_of(int rank, int k, std::uint64_t epoch)
{
  return 1. / (1 + rank) + 3. * k + static_cast<double>(epoch) / 7;
}

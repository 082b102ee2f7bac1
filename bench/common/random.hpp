/*
   Random numbers that depend on a seed and an index alone: every rank, every format and the reference see the same
   value of x(i) or A(i,j) without storing or sending it.
*/
#pragma once
#include <cstdint>

namespace bench
{

// splitmix64 (Steele, Lea, Flood 2014): one invertible mix of the index; passes the usual statistical batteries
inline std::uint64_t mix(std::uint64_t seed, std::uint64_t index)
{
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z               = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z               = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// uniform in [-1, 1), 53 bits
inline double uniform(std::uint64_t seed, std::uint64_t index)
{
  return static_cast<double>(mix(seed, index) >> 11) * 0x1p-52 - 1.0;
}

} // namespace bench

/*
   What every unit test includes; the makefile puts it, compiled once, before each of them.
*/

#include <gtest/gtest.h>
#include <petscmat.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace heptane
{

using Vector = std::vector<PetscScalar>;

inline Vector random_vector(std::size_t n, unsigned seed = 7)
{
  std::mt19937                              engine(seed);
  std::uniform_real_distribution<PetscReal> value(-1, 1);
  Vector                                    v(n);

  for (PetscScalar &a : v) a = value(engine);
  return v;
}

} // namespace heptane

using namespace heptane;

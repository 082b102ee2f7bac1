/*
   A sliced layout with its values as the row arithmetic takes it.
*/
#pragma once

#include "mat/sellp/format/shape.hpp"

namespace heptane
{

inline const Scalar tolerance = 500 * std::numeric_limits<Scalar>::epsilon();

/* Values of compressed rows in the format, zero where there is no entry */
inline void sellp_fill(const SellpLayout &L, const Csr &A, const Scalar a[], Scalar values[])
{
  std::fill(values, values + L.values(), Scalar(0));
  L.put(A, a, values);
}

inline SellpSlices slices_of(const SellpLayout &L, const std::vector<Scalar> &values)
{
  SellpSlices S;

  sellp_shape(L, &S);
  S.head   = L.head.data();
  S.index  = L.index.data();
  S.place  = L.place.empty() ? nullptr : L.place.data();
  S.values = values.data();
  return S;
}

inline SellpLimits sellp_limits(PetscInt block, PetscInt index, PetscInt window)
{
  SellpLimits limits;

  limits.block  = block;
  limits.index  = index;
  limits.window = window;
  return limits;
}

} // namespace heptane

/*
   Number type of the products and sums of entries of a row that are loaded together. For host and device; has no PETSc
   objects.
*/
#pragma once

#include "scalar.hpp"
#include <type_traits>
#include <utility>

namespace heptane
{

/*
   Single precision if the values, stored as T, and the values of X are Singles, else Scalar. A device converts 16
   numbers per cycle and multiprocessor: three conversions per entry take longer than loading it. Sums of such groups
   are Scalars.
*/
template <class T, class X>
using EntryNumber =
  std::conditional_t<std::is_same_v<T, Single> && std::is_same_v<std::decay_t<decltype(std::declval<const X &>()[0])>, Single>, Single, Scalar>;

/* sum + a[0] x[0] + a[1] x[1] + ..., in ascending order */
template <int N>
HEPTANE_HD Scalar add_products(Scalar sum, const Scalar a[], const Scalar x[])
{
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) sum += a[k] * x[k];
  return sum;
}

template <int N>
HEPTANE_HD Scalar add_products(Scalar sum, const Single a[], const Single x[])
{
  Single part = a[0] * x[0];

  HEPTANE_UNROLL
  for (int k = 1; k < N; k++) part += a[k] * x[k];
  return sum + static_cast<Scalar>(part);
}

} // namespace heptane

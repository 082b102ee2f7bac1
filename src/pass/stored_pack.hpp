/*
   Arithmetic of packs in their stored precision: Scalars as in pack.hpp, Singles in single precision, as converting
   every number would take longer than loading it. A device converts 16 numbers per cycle and multiprocessor.
*/
#pragma once

#include "../device/pack.hpp"

namespace heptane
{

/* A pack in storage precision, with as many rows as V */
template <class V>
HEPTANE_HD V load_stored(const Scalar *p, std::size_t i)
{
  return load<V>(p, i);
}

template <class V>
HEPTANE_HD SinglePack<lanes<V>> load_stored(const Single *p, std::size_t i)
{
  SinglePack<lanes<V>> a;

#if defined(__CUDA_ARCH__)
  a = *reinterpret_cast<const SinglePack<lanes<V>> *>(p + i);
#else
  std::memcpy(&a, p + i, sizeof(a));
#endif
  return a;
}

template <class V>
HEPTANE_HD SinglePack<lanes<V>> load_stored(const BFloat16 *p, std::size_t i)
{
  return load_singles<lanes<V>>(p, i);
}

template <int N>
HEPTANE_HD void store(Single *p, std::size_t i, const SinglePack<N> &a)
{
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<SinglePack<N> *>(p + i) = a;
#else
  std::memcpy(p + i, &a, sizeof(a));
#endif
}

/* In Scalars */
template <int N>
HEPTANE_HD const Pack<N> &widened(const Pack<N> &a)
{
  return a;
}

template <int N>
HEPTANE_HD Pack<N> widened(const SinglePack<N> &a)
{
  Pack<N> b;

  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) b.v[k] = static_cast<Scalar>(a.v[k]);
  return b;
}

/*
   A factor as the sum of two Singles: with one rounded Single, x and r of a step would diverge by more than their own
   rounding errors
*/
struct SingleFactor {
  Single high, low;

  HEPTANE_HD explicit SingleFactor(Scalar a = 0) : high(static_cast<Single>(a)), low(static_cast<Single>(a - static_cast<Scalar>(high))) {}
  /* y + a x */
  HEPTANE_HD Single plus(Single y, Single x) const { return low * x + (high * x + y); }
};

/* y + a x */
template <int N>
HEPTANE_HD Pack<N> add_scaled(const Pack<N> &y, Scalar a, const Pack<N> &x)
{
  return y + a * x;
}

template <int N>
HEPTANE_HD SinglePack<N> add_scaled(const SinglePack<N> &y, Scalar a, const SinglePack<N> &x)
{
  const SingleFactor factor(a);
  SinglePack<N>      z;

  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) z.v[k] = factor.plus(y.v[k], x.v[k]);
  return z;
}

} // namespace heptane

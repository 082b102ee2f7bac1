/*
   Several adjacent rows as one value: passes over vectors are written once for any width, 16-byte accesses on the
   device, vector instructions on the host.
*/
#pragma once

#include "bfloat16.hpp"
#include "scalar.hpp"
#include <cstring>
#include <type_traits>

namespace heptane
{

template <int N>
struct alignas(N * sizeof(Scalar)) Pack {
  Scalar v[N];
};

template <class V>
inline constexpr int lanes = sizeof(V) / sizeof(Scalar);

template <class V>
HEPTANE_HD V load(const Scalar *p, std::size_t i)
{
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<const V *>(p + i); /* the launcher has checked the alignment */
#else
  V a;
  std::memcpy(&a, p + i, sizeof(V));
  return a;
#endif
}

/* load() of data that is read once, see load_once(p): one Scalar or two */
template <class V>
HEPTANE_HD V load_once(const Scalar *p, std::size_t i)
{
#if defined(__CUDA_ARCH__)
  static_assert(lanes<V> <= 2, "more would be several loads");
  if constexpr (lanes<V> == 2) {
    using Two   = std::conditional_t<sizeof(Scalar) == sizeof(double), double2, float2>;
    const Two a = __ldcs(reinterpret_cast<const Two *>(p + i));
    return {a.x, a.y};
  } else return __ldcs(p + i);
#else
  return load<V>(p, i);
#endif
}

template <class V>
HEPTANE_HD void store(Scalar *p, std::size_t i, const V &a)
{
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<V *>(p + i) = a;
#else
  std::memcpy(p + i, &a, sizeof(V));
#endif
}

template <int N>
HEPTANE_HD Pack<N> operator+(const Pack<N> &a, const Pack<N> &b)
{
  Pack<N> c;
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) c.v[k] = a.v[k] + b.v[k];
  return c;
}

template <int N>
HEPTANE_HD Pack<N> operator-(const Pack<N> &a, const Pack<N> &b)
{
  Pack<N> c;
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) c.v[k] = a.v[k] - b.v[k];
  return c;
}

template <int N>
HEPTANE_HD Pack<N> operator/(const Pack<N> &a, const Pack<N> &b)
{
  Pack<N> c;
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) c.v[k] = a.v[k] / b.v[k];
  return c;
}

template <int N>
HEPTANE_HD Pack<N> operator*(const Pack<N> &a, const Pack<N> &b)
{
  Pack<N> c;
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) c.v[k] = a.v[k] * b.v[k];
  return c;
}

template <int N>
HEPTANE_HD Pack<N> operator*(Scalar a, const Pack<N> &b)
{
  Pack<N> c;
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) c.v[k] = a * b.v[k];
  return c;
}

/* Whether these arrays can be read in packs once the first element of each is at a multiple of its lanes */
template <int N, class... P>
bool aligned_for(const P *...p)
{
  return ((reinterpret_cast<std::uintptr_t>(p) % alignof(Pack<N>) == 0) && ...);
}

/* Numbers stored in the other precision: converted to Scalars when loaded, and rounded when stored */
template <int N>
struct alignas(N * sizeof(Single)) SinglePack {
  Single v[N];
};

template <class V>
HEPTANE_HD V load(const Single *p, std::size_t i)
{
  constexpr int N = lanes<V>;
  SinglePack<N> a;
  V             b;

#if defined(__CUDA_ARCH__)
  a = *reinterpret_cast<const SinglePack<N> *>(p + i);
#else
  std::memcpy(&a, p + i, sizeof(a));
#endif
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) b.v[k] = static_cast<Scalar>(a.v[k]);
  return b;
}

template <class V>
HEPTANE_HD void store(Single *p, std::size_t i, const V &b)
{
  constexpr int N = lanes<V>;
  SinglePack<N> a;

  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) a.v[k] = static_cast<Single>(b.v[k]);
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<SinglePack<N> *>(p + i) = a;
#else
  std::memcpy(p + i, &a, sizeof(a));
#endif
}

/* The same for numbers of 16 bits */
template <int N>
struct alignas(N * sizeof(BFloat16)) BFloat16Pack {
  BFloat16 v[N];
};

template <int N>
HEPTANE_HD SinglePack<N> load_singles(const BFloat16 *p, std::size_t i)
{
  BFloat16Pack<N> a;
  SinglePack<N>   b;

#if defined(__CUDA_ARCH__)
  a = *reinterpret_cast<const BFloat16Pack<N> *>(p + i);
#else
  std::memcpy(&a, p + i, sizeof(a));
#endif
  HEPTANE_UNROLL
  for (int k = 0; k < N; k++) b.v[k] = static_cast<Single>(static_cast<float>(a.v[k]));
  return b;
}

template <class V>
HEPTANE_HD V load(const BFloat16 *p, std::size_t i)
{
  const SinglePack<lanes<V>> a = load_singles<lanes<V>>(p, i);
  V                          b;

  HEPTANE_UNROLL
  for (int k = 0; k < lanes<V>; k++) b.v[k] = static_cast<Scalar>(a.v[k]);
  return b;
}

template <class V>
HEPTANE_HD void store(BFloat16 *p, std::size_t i, const V &b)
{
  BFloat16Pack<lanes<V>> a;

  HEPTANE_UNROLL
  for (int k = 0; k < lanes<V>; k++) a.v[k] = BFloat16(static_cast<float>(b.v[k]));
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<BFloat16Pack<lanes<V>> *>(p + i) = a;
#else
  std::memcpy(static_cast<void *>(p + i), &a, sizeof(a));
#endif
}

/* The lanes one after another */
template <int N>
HEPTANE_HD Scalar sum_of(const Pack<N> &a)
{
  Scalar s = a.v[0];
  HEPTANE_UNROLL
  for (int k = 1; k < N; k++) s += a.v[k];
  return s;
}

} // namespace heptane

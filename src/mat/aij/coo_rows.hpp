/*
   The arithmetic of one group, one place and one sum of caller's values, written once for host and device.
*/
#pragma once

#include "../../device/scalar.hpp"

namespace heptane
{

/* The caller's values of entry k: v[k] for k < n (0 if v is null), received[k - n] beyond */
struct CooSource {
  const Scalar *v, *received;
  std::size_t   n;
};

HEPTANE_HD Scalar coo_value(const CooSource &source, std::size_t k)
{
  if (k >= source.n) return source.received[k - source.n];
  return source.v ? source.v[k] : Scalar(0);
}

/* Place s of the group at *v, whose first entry is first >= 0; the places of a group lie stride apart */
template <class Index>
HEPTANE_HD void coo_group(Scalar *v, int s, std::size_t stride, Index first, std::size_t step, const CooSource &source, bool add)
{
  const Scalar c = coo_value(source, static_cast<std::size_t>(first) + s * step);

  v[s * stride] = add ? v[s * stride] + c : c;
}

template <class Index>
HEPTANE_HD void coo_single(Scalar *values, std::size_t first, std::size_t q, const Index *perm, const CooSource &source, bool add)
{
  const Index k = load_once(perm + q);

  if (k < 0) return;
  const Scalar c    = coo_value(source, static_cast<std::size_t>(k));
  values[first + q] = add ? values[first + q] + c : c;
}

template <class Index>
HEPTANE_HD void coo_sum(Scalar *values, std::size_t t, const Index *slot, const Index *begin, const Index *perm, const CooSource &source, bool add)
{
  Scalar c = 0;

  for (Index p = begin[t]; p < begin[t + 1]; p++) c += coo_value(source, static_cast<std::size_t>(perm[p]));
  values[slot[t]] = add ? values[slot[t]] + c : c;
}

} // namespace heptane

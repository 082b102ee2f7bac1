/*
   The arithmetic of one group, one place and the sums of one group of caller's values, for host and device.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <type_traits>

namespace heptane
{

/* The caller's values of entry k: v[k] for k < n (0 if v is null), received[k - n] beyond */
struct CooSource {
  const Scalar *v, *received;
  std::size_t   n;

  HEPTANE_HD Scalar operator()(std::size_t k) const
  {
    if (k >= n) return received[k - n];
    return v ? v[k] : Scalar(0);
  }
  /* Whether entry k is v[k] for every k */
  bool plain() const { return v && !received; }
};

/* The same if the source is a plain array */
struct CooPlainSource {
  const Scalar *v;

  HEPTANE_HD Scalar operator()(std::size_t k) const { return v[k]; }
};

/* Place s of the group at *v, whose first entry is first >= 0; stride: distance between the places of a group */
template <bool ADD, class Index, class Source>
HEPTANE_HD void coo_group(Scalar *v, int s, std::size_t stride, Index first, std::size_t step, const Source &source)
{
  const Scalar c = source(static_cast<std::size_t>(first) + s * step);

  v[s * stride] = ADD ? v[s * stride] + c : c;
}

template <bool ADD, class Index, class Source>
HEPTANE_HD void coo_single(Scalar *values, std::size_t first, std::size_t q, const Index *perm, const Source &source)
{
  const Index k = load_once(perm + q);

  if (k < 0) return;
  const Scalar c    = source(static_cast<std::size_t>(k));
  values[first + q] = ADD ? values[first + q] + c : c;
}

/* Places s, ..., s + PLACES - 1 of the group at *v, below width: each is the sum of one entry per run, in the order of
   the runs; run p has the entry of place 0 at run[p], the next ones at distance `step`. A group without runs is
   unchanged */
template <bool ADD, int PLACES, class Index, class Source>
HEPTANE_HD void coo_sum(Scalar *v, int s, int width, std::size_t stride, Index begin, Index end, const Index *run, std::size_t step, const Source &source)
{
  Scalar c[PLACES] = {};

  if (begin == end) return;
  for (Index p = begin; p < end; p++) {
    const std::size_t first = static_cast<std::size_t>(run[p]) + s * step;

#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
    for (int a = 0; a < PLACES; a++)
      if (PLACES == 1 || s + a < width) c[a] += source(first + a * step);
  }
#if defined(__CUDA_ARCH__)
  #pragma unroll
#endif
  for (int a = 0; a < PLACES; a++) {
    if (PLACES > 1 && s + a >= width) break;
    Scalar &place = v[(s + a) * stride];

    place = ADD ? place + c[a] : c[a];
  }
}

/* Calls f(std::bool_constant<add>, source) with the simplest form of the source */
template <class F>
void with_coo_source(const CooSource &source, bool add, F &&f)
{
  if (source.plain()) add ? f(std::true_type{}, CooPlainSource{source.v}) : f(std::false_type{}, CooPlainSource{source.v});
  else add ? f(std::true_type{}, source) : f(std::false_type{}, source);
}

} // namespace heptane

/*
   Runs a step on the host: rows in ascending order, sums lane by lane, so that the bits do not depend on anything but the number of rows.
*/
#pragma once

#include "steps.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

template <int K, int N>
inline void add_lanes(const Pack<N> acc[], Scalar sums[])
{
  for (int k = 0; k < K; k++) sums[k] += sum_of(acc[k]);
}

/* cells: by first() and second(), cells of `block` rows; block divides n */
template <class Step>
void run_step_host(Step step, std::size_t n, bool cells, int block, const FusedScalars &S, Scalar sums[])
{
  constexpr int K = Step::sums, width = 8;

  step.begin(S);
  std::fill(sums, sums + 4, Scalar(0));
  if constexpr (Step::cells) {
    if (cells) {
      std::vector<Scalar> cell(block);
      Pack<1>             acc[K > 0 ? K : 1] = {};

      for (std::size_t i = 0; i < n; i += block) {
        for (int s = 0; s < block; s++) cell[s] = step.first(i + s);
        for (int s = 0; s < block; s++) step.second(i + s, cell[s], cell.data(), acc);
      }
      add_lanes<K>(acc, sums);
      return;
    }
  }
  Pack<width> acc[K > 0 ? K : 1]  = {};
  Pack<1>     tail[K > 0 ? K : 1] = {};
  std::size_t i                   = 0;

  for (; i + width <= n; i += width) step.rows(i, acc);
  for (; i < n; i++) step.rows(i, tail);
  add_lanes<K>(acc, sums);
  add_lanes<K>(tail, sums);
}

} // namespace heptane

/*
   Runs a step on the host: rows in ascending order, sums lane by lane, so that the bits do not depend on anything but the number of rows.
*/
#pragma once

#include "steps.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

/* A step with its sums, over ranges of rows that ascend */
template <class Step>
class HostStep {
public:
  HostStep(const Step &s, const typename Step::Scalars &S) : step(s) { step.begin(S); }
  void Rows(std::size_t first, std::size_t last)
  {
    for (; first + width <= last; first += width) step.rows(first, acc);
    for (; first < last; first++) step.rows(first, single);
  }
  /* By first() and second(), whole cells of `block` rows */
  void Cells(std::size_t first, std::size_t last, int block)
  {
    const Scalar *cell[values];
    Scalar        v[values];

    store.resize(values * block);
    for (int j = 0; j < values; j++) cell[j] = store.data() + j * block;
    for (; first < last; first += block) {
      for (int s = 0; s < block; s++) {
        step.first(first + s, v);
        for (int j = 0; j < values; j++) store[j * block + s] = v[j];
      }
      for (int s = 0; s < block; s++) step.second(first + s, cell, s, single);
    }
  }
  void Sums(Scalar sums[]) const
  {
    for (int k = 0; k < K; k++) sums[k] = sum_of(acc[k]) + single[k].v[0];
  }

private:
  static constexpr int K = Step::sums, width = 8, values = Step::cell_values;
  Step                 step;
  Pack<width>          acc[K > 0 ? K : 1]    = {};
  Pack<1>              single[K > 0 ? K : 1] = {};
  std::vector<Scalar>  store;
};

/* What of a pass over the vectors comes before its rows, where the host keeps the scalars: see Step::advance() */
template <class Step>
void advance_host(const Step &step, typename Step::Scalars &S, const Scalar sums[], Real *history, int length)
{
  const int it = S.it;

  if (S.stop == FusedStop::no) step.advance(S, sums);
  log_norm(it, S, history, length);
}

/* S: what the step needs, advanced already. cells: by first() and second(), cells of `block` rows; block divides n. sums: [Step::sums] */
template <class Step>
void run_step_host(const Step &step, std::size_t n, bool cells, int block, const typename Step::Scalars &S, Scalar sums[])
{
  HostStep<Step> run(step, S);

  if constexpr (Step::cells) {
    if (cells) run.Cells(0, n, block);
    else run.Rows(0, n);
  } else run.Rows(0, n);
  run.Sums(sums);
}

} // namespace heptane

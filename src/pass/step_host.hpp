/*
   Runs a step on the host: rows in ascending order, sums lane by lane, so that the bits depend only on the number of
   rows.
*/
#pragma once

#include "../device/with_block.hpp"
#include "steps.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace kernels
{

/*
   Processes whole packs of rows and returns the first row after them. Step and sums are local variables, so that the
   compiler knows that no store of a row changes them.
*/
template <class Step, class V, int SUMS>
std::size_t step_rows(const Step &of, std::size_t first, std::size_t last, V (&sum)[SUMS])
{
  const Step step = of;
  V          acc[SUMS];

  std::copy(sum, sum + SUMS, acc);
  for (; first + lanes<V> <= last; first += lanes<V>) step.rows(first, acc);
  std::copy(acc, acc + SUMS, sum);
  return first;
}

/* Cells of B rows, B = 0: of any number, with work space `room` for their values */
template <int B, class Step, int SUMS>
void step_cells(const Step &of, std::size_t first, std::size_t last, int of_block, Scalar *room, Pack<1> (&sum)[SUMS])
{
  constexpr int values = Step::cell_values;
  const int     block  = B ? B : of_block;
  Step          step   = of;
  Pack<1>       acc[SUMS];
  Scalar few[values * (B ? B : 1)], v[values], *const all = B ? few : room;
  const Scalar *cell[values];

  step.of_cells().block = block;
  for (int j = 0; j < values; j++) cell[j] = all + j * block;
  std::copy(sum, sum + SUMS, acc);
  for (; first < last; first += block) {
    for (int s = 0; s < block; s++) {
      step.first(first + s, v);
      for (int j = 0; j < values; j++) all[j * block + s] = v[j];
    }
    for (int s = 0; s < block; s++) step.second(first + s, cell, s, acc);
  }
  std::copy(acc, acc + SUMS, sum);
}

} // namespace kernels

/* A step with its sums, over ascending ranges of rows */
template <class Step>
class HostStep {
public:
  HostStep(const Step &s, const typename Step::Scalars &S) : step(s) { step.begin(S); }
  void Rows(std::size_t first, std::size_t last)
  {
    first = kernels::step_rows(step, first, last, acc);
    (void)kernels::step_rows(step, first, last, single);
  }
  /* By first() and second(), whole cells of `block` rows */
  void Cells(std::size_t first, std::size_t last, int block)
  {
    store.resize(Step::cell_values * block);
    with_block_of(BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>(), block, [&](auto B) { kernels::step_cells<B()>(step, first, last, block, store.data(), single); });
  }
  void Sums(Scalar sums[]) const
  {
    for (int k = 0; k < K; k++) sums[k] = sum_of(acc[k]) + single[k].v[0];
  }

private:
  static constexpr int K = Step::sums, sums_or_one = K > 0 ? K : 1, width = 8;

  Step                step;
  Pack<width>         acc[sums_or_one]    = {};
  Pack<1>             single[sums_or_one] = {};
  std::vector<Scalar> store;
};

/* The part of a pass over the vectors that precedes its rows, if the host has the scalars: see Step::advance() */
template <class Step>
void advance_host(const Step &step, typename Step::Scalars &S, const Scalar sums[], Real *history, int length)
{
  const int it = S.it;

  if (S.stop == FusedStop::no) step.advance(S, sums);
  log_norm(it, S, history, length);
}

/*
   S: the advanced scalars. cells: by first() and second(), cells of `block` rows; block divides n. sums: [Step::sums]
*/
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

/*
   What the kernels of lines share: the factors of a line by one thread, notes of failures, the vector of a product as it is read.
*/
#pragma once

#include "../../device/chained_launch.cuh"
#include "../../device/launch.hpp"
#include "../../pass/gather.hpp"
#include "../../pass/product_scalars.cuh"
#include "../gridmg/gridmg_launch.cuh"
#include "../gridmg/gridmg_system.hpp"
#include "lines_device.hpp"
#include "lines_tuning.hpp"

namespace heptane
{

__device__ __forceinline__ void lines_note(GridReport *report, unsigned faults, unsigned long long cell)
{
  for (int fault = 0; fault < grid_faults; fault++)
    if (faults & (1u << fault)) {
      atomicAdd(&report->count[fault], 1ull);
      atomicMin(&report->first[fault], cell);
    }
}

/* The cells of the next steps are loaded before those of this one are stored. singular(k): there is no pivot */
template <int B, class Real, class F>
__device__ __forceinline__ void lines_factor_line(const GridLevel<Real> &L, int colour, std::size_t column, F singular)
{
  constexpr int  ahead   = B == 1 ? LinesTuning::factors_ahead : 1;
  constexpr int  slots[] = {grid_below, grid_above, grid_pivot};
  LinesFactor<B> line;

  if constexpr (B == 1) {
    Real       next[ahead][3];
    const auto load = [&](int t, int k) {
      HEPTANE_UNROLL
      for (int n = 0; n < 3; n++) next[t][n] = L.template entry<1>(slots[n], 0, 0)[L.at(k, colour, column)];
    };

    HEPTANE_UNROLL
    for (int t = 0; t < ahead; t++)
      if (t < L.K) load(t, t);
    for (int first = 0; first < L.K; first += ahead) {
      HEPTANE_UNROLL
      for (int t = 0; t < ahead; t++) {
        if (first + t >= L.K) break;
        LinesCell<1> cell = {{{next[t][0]}}, {{next[t][1]}}, {{next[t][2]}}};

        if (first + t + ahead < L.K) load(t, first + t + ahead);
        if (!line.next(L, L.at(first + t, colour, column), cell)) singular(first + t);
      }
    }
  } else {
    LinesCell<B> next;

    next.load(L, L.at(0, colour, column));
    for (int k = 0; k < L.K; k++) {
      LinesCell<B> cell = next;

      if (k + 1 < L.K) next.load(L, L.at(k + 1, colour, column));
      if (!line.next(L, L.at(k, colour, column), cell)) singular(k);
    }
  }
}

/* What a product takes from the scalars, as kernels of products do; null: no iteration. To be called by all threads of a block, after the kernel before has ended. */
__device__ __forceinline__ ProductScalars<Scalar> lines_begin(const FusedProduct &P, const FusedScalars *S)
{
  if (!S) return {false, 0, P.q};
  if (P.v) return begin_product<true, 4>(P, S);
  if (combines(P)) return begin_product<false, 0>(P, S);
  if (number_of(P.sums) > 1) return begin_product<false, 4>(P, S);
  return begin_product<false, 1>(P, S);
}

/* u = q - alpha v, or q */
struct LinesGather {
  const Scalar *q, *v;
  Scalar        alpha;

  __device__ __forceinline__ Scalar operator[](std::size_t c) const { return v ? q[c] - alpha * v[c] : q[c]; }
};

} // namespace heptane

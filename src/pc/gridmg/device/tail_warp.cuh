/*
   A warp and its line in the last levels of a cycle: each lane has consecutive cells; a scan over the lanes composes
   the recurrences. Interface of Blocks: Rank(); Base(block, n), address of real n of a block; Load(base, k), real k
   after it; Together(), a barrier of all blocks; Alone(), this block only. Bring<THREADS>(to, from, n) copies n reals,
   a multiple of 16 bytes, into shared memory; complete after WaitCopies(). All threads call both, with a barrier
   between. Up(v, n), Down(v, n): v of the lane n lower, n higher; Of(v, n): of lane n.
*/
#pragma once

#include "../rows/tail.hpp"

namespace heptane
{

struct alignas(16) GridQuad {
  unsigned v[4];
};

/* The shared memory of a block */
template <class Real>
struct GridTailRoom {
  Real                *at;
  GridTailLevel<Real> *level;
  GridTailLine        *line;

  __device__ __forceinline__ GridTailRoom(const GridTail<Real> &T, GridQuad *room)
    : at(reinterpret_cast<Real *>(room)), level(reinterpret_cast<GridTailLevel<Real> *>(at + T.reals())),
      line(reinterpret_cast<GridTailLine *>(level + T.levels))
  {}
};

/* A warp and its line. Blocks: type of the access to other lines */
template <int CELLS, class Real, class Blocks>
struct GridTailWarp {
  const GridTail<Real>     &T;
  const GridTailRoom<Real> &R;
  const Blocks             &blocks;
  const GridTailStep       &s;
  const int                 lane;

  __device__ __forceinline__ auto coef_of(unsigned reference) const
  {
    return blocks.Base(static_cast<int>(reference >> 24 & 127u), T.coef_at(static_cast<int>(reference & 0xffffffu)));
  }
  __device__ __forceinline__ auto vector_of(unsigned reference, int number) const
  {
    return blocks.Base(static_cast<int>(reference >> 24 & 127u), T.vector_at(static_cast<int>(reference & 0xffffffu)) + number * T.length);
  }
  template <class Base>
  __device__ __forceinline__ void vectors_of(const unsigned (&reference)[4], int number, Base (&base)[4]) const
  {
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) base[side] = vector_of(reference[side], number);
  }
  /* z -= coefficients times x of four lines, plus x of four more lines if `both`; coef(slot, k): of a cell */
  template <class Base, class Coef>
  __device__ __forceinline__ void subtract(const Base (&x)[4], bool both, const Base (&others)[4], int panel, Coef coef, Real (&z)[CELLS]) const
  {
    Real a[4][CELLS], v[4][CELLS];

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) {
        a[side][t] = coef(grid_west + side, panel + 32 * t);
        v[side][t] = blocks.Load(x[side], panel + 32 * t);
      }
    }
    if (both) {
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++) {
        HEPTANE_UNROLL
        for (int t = 0; t < CELLS; t++) v[side][t] += blocks.Load(others[side], panel + 32 * t);
      }
    }
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) z[t] -= a[side][t] * v[side][t];
    }
  }
  __device__ __forceinline__ void restricted(const GridTailLine &at, int panel, Real (&z)[CELLS]) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) z[t] = 0;
    HEPTANE_UNROLL
    for (int q = 0; q < 2; q++) {
      if (at.red[q] & grid_no_line) continue;
      const auto           line_coef = coef_of(at.red[q]);
      decltype(coef_of(0)) x[4];

      vectors_of(at.fine_place[q], 2 * s.of_change, x);
      subtract(
        x, false, x, panel, [&](int slot, int k) { return blocks.Load(line_coef, slot * T.length + k); }, z);
    }
  }
  /* z = the right-hand side of a panel less the couplings across, times the inverse pivot */
  __device__ __forceinline__ void right_side(const GridTailLine &at, const Real *line_coef, Real *b, int panel, Real (&z)[CELLS]) const
  {
    const auto mine = [&](int slot, int k) { return line_coef[slot * T.length + k]; };

    if (s.restricted) {
      restricted(at, panel, z);
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) b[panel + 32 * t] = z[t];
    } else {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) z[t] = b[panel + 32 * t];
    }
    if (!s.zero) {
      decltype(coef_of(0)) x[4], coarse_place[4];

      vectors_of(at.place, 0, x);
      vectors_of(at.coarse_place, 0, coarse_place);
      subtract(x, s.correct, coarse_place, panel, mine, z);
    }
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) z[t] *= mine(grid_pivot, panel + 32 * t);
  }
  /* The value that enters each lane if `carry` enters the first lane (back: the last), for maps z + slope * (entering
     value); carry becomes the value that leaves the last lane (back: the first) */
  __device__ __forceinline__ Real enter(bool back, Real z, Real slope, Real &carry) const
  {
    HEPTANE_UNROLL
    for (int by = 1; by < 32; by *= 2) {
      const Real of = back ? blocks.Down(z, by) : blocks.Up(z, by), their = back ? blocks.Down(slope, by) : blocks.Up(slope, by);

      if (back ? lane + by < 32 : lane >= by) {
        z += slope * of;
        slope *= their;
      }
    }
    const Real leaves = z + slope * carry, before = back ? blocks.Down(leaves, 1) : blocks.Up(leaves, 1), entering = lane == (back ? 31 : 0) ? carry : before;

    carry = blocks.Of(leaves, back ? 0 : 31);
    return entering;
  }
  /* z = z - factor * (z of the previous cell, back: of the next one), along a panel */
  __device__ __forceinline__ void along(bool back, const Real *line_coef, int panel, Real &carry, Real (&z)[CELLS]) const
  {
    const Real *factor = line_coef + (back ? grid_above : grid_below) * T.length + panel;
    Real        f[CELLS], end = 0, slope = 1;

    HEPTANE_UNROLL
    for (int q = 0; q < CELLS; q++) {
      const int t = back ? CELLS - 1 - q : q;

      f[t] = factor[32 * t];
      end  = z[t] - f[t] * end;
      slope *= -f[t];
    }
    Real before = enter(back, end, slope, carry);
    HEPTANE_UNROLL
    for (int q = 0; q < CELLS; q++) {
      const int t = back ? CELLS - 1 - q : q;

      before = z[t] - f[t] * before;
      z[t]   = before;
    }
  }
  /* Solves line number `line` of this block */
  __device__ __forceinline__ void solve(int line) const
  {
    const Real *const line_coef = R.at + T.coef_at(line);
    Real *const x = R.at + T.vector_at(line), *const b = x + T.length, *const d = b + T.length, *const room = s.change ? d : x;
    const int panels   = T.length / (32 * CELLS);
    Real      z[CELLS] = {}, carry = 0;

    for (int p = 0; p < panels; p++) {
      const int panel = p * 32 * CELLS + lane;

      right_side(R.line[line], line_coef, b, panel, z);
      along(false, line_coef, panel, carry, z);
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++)
        if (p + 1 < panels) room[panel + 32 * t] = z[t];
    }
    carry = 0;
    for (int p = panels - 1; p >= 0; p--) {
      const int panel = p * 32 * CELLS + lane;

      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++)
        if (p + 1 < panels) z[t] = room[panel + 32 * t];
      along(true, line_coef, panel, carry, z);
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) {
        if (s.change) d[panel + 32 * t] = z[t] - x[panel + 32 * t];
        x[panel + 32 * t] = z[t];
      }
    }
  }
};

} // namespace heptane

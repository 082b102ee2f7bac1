/*
   How the lanes of a warp share the remainders of its rows. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/* Whether lanes share the rows: not where a row has so few entries that its thread has them at once, nor where there is none; guess */
inline bool remainder_is_shared(const RemainderRows &R)
{
  return R.mask && R.longest > 4;
}

/* Lanes for each of so many rows: a power of two, so many that all rows have theirs at once; lanes: that there are, at least one per row */
HEPTANE_HD int remainder_lanes(int rows, int lanes)
{
  int each = 1;

  while (2 * each * rows <= lanes) each *= 2;
  return each;
}

/*
   Lanes that share a row where the sums of all rows are formed at the beginning of a product: so many that each has two looks, of two entries, at an average row
*/
inline int remainder_sum_lanes(std::size_t rows, std::size_t entries)
{
  int lanes = 1;

  while (lanes < 32 && 4 * lanes * rows < entries) lanes *= 2;
  return lanes;
}

/*
   Whether they are: not where there is so much that all blocks of a product are wanted for it. Blocks of 256 threads, as many as remainder_sum_blocks, would go through more than 4 turns, some 3 us each.
*/
constexpr int remainder_sum_blocks = 128; /* fewer than a GPU has multiprocessors, so that the product has begun elsewhere; guess */
inline bool   remainder_sums_pay(std::size_t rows, int lanes)
{
  return rows * lanes <= std::size_t(4) * remainder_sum_blocks * 256;
}

/*
   The same rows for products on several GPUs: there the lanes of a warp share the warp's own rows. With sums formed at the beginning an iteration of BiCGStab took longer on two H200, though its products
   had less to do: b = 3, 3.4M rows, two wells, point blocks 295 us for 230, Jacobi 346 for 267; b = 8, 2.1M rows 348 for 308; b = 1, 8.4M rows 347 for 265. Tried in vain: tiles of planes
   between GPUs last (280, 251, 354, 337), sums formed by the block of a tile before its rows (287, 300, 329, 323). Why is not known. Products with point blocks of their own, whose threads meet in every tile, were faster (112 and 108 us for 116
   and 123); not tried: all tiles with rows that wait last.
*/
inline RemainderRows remainder_without_sums(RemainderRows R)
{
  R.sums = RemainderSums();
  return R;
}

/* What lane of `lanes` adds up of row k of the list */
template <class X>
HEPTANE_HD Scalar remainder_share(const RemainderRows &R, const X &x, int k, int lane, int lanes)
{
  constexpr int together = 2; /* loads under way; 4 spills in the products with four sums */
  const int     end      = R.ptr[k + 1];
  Scalar        sum      = 0;

  for (int first = R.ptr[k] + lane; first < end; first += together * lanes) {
    Scalar a[together];
    int    c[together];
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++) {
      const bool inside = first + i * lanes < end;
      a[i]              = inside ? load_once(R.values + first + i * lanes) : Scalar(0);
      c[i]              = load_once(R.col + (inside ? first + i * lanes : first));
    }
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++) sum += a[i] * x[c[i]];
  }
  return sum;
}

} // namespace heptane

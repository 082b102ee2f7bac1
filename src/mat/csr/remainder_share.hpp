/*
   How the lanes of a warp share the remainders of its rows. For host and device; no PETSc objects.
*/
#pragma once

#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/*
   Whether lanes share the rows: not if there is none, nor if rows are short enough for a thread to load at once; guess
*/
inline bool remainder_is_shared(const RemainderRows &R)
{
  return R.mask && R.longest > 4;
}

/* Lanes per row if `lanes` lanes, at least one per row, share `rows` rows: the largest power of two that fits */
HEPTANE_HD int remainder_lanes(int rows, int lanes)
{
  int each = 1;

  while (2 * each * rows <= lanes) each *= 2;
  return each;
}

/* Lanes that share a row if the sums of all rows are formed at the beginning of a product: each has two turns of two
   entries for an average row */
inline int remainder_sum_lanes(std::size_t rows, std::size_t entries)
{
  int lanes = 1;

  while (lanes < 32 && 4 * lanes * rows < entries) lanes *= 2;
  return lanes;
}

/* Whether sums at the beginning pay: not if all blocks of a product are needed for them. remainder_sum_blocks blocks of
   256 threads would need more than 4 turns of about 3 us. */
constexpr int remainder_sum_blocks = 128; /* fewer than a GPU has multiprocessors, so that the product has begun elsewhere; guess */
inline bool   remainder_sums_pay(std::size_t rows, int lanes)
{
  return rows * lanes <= std::size_t(4) * remainder_sum_blocks * 256;
}

/* The same rows for products on several GPUs, in which the lanes of a warp share the warp's own rows. Sums at the
   beginning made an iteration of BiCGStab up to 30 % slower on two H200 (2026-11; point blocks, Jacobi; b = 1, 3, 8),
   for an unknown reason. Only products with point blocks of their own gained, up to 7 %. */
inline RemainderRows remainder_without_sums(RemainderRows R)
{
  R.sums = RemainderSums();
  return R;
}

/* The part of lane `lane` of `lanes` of the sum of row k of the list */
template <class X>
HEPTANE_HD Scalar remainder_share(const RemainderRows &R, const X &x, int k, int lane, int lanes)
{
  constexpr int together = 2; /* loads in flight; 4 spills in the products with four sums */
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

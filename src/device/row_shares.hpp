/*
   Few and long rows of blocks whose size is known only at run time: a row is divided into shares, one per thread of a
   thread block. The number of shares, their entries and their sum, for host and device. Has no PETSc objects.
*/
#pragma once

#include "add_components.hpp"

namespace heptane
{

struct RowShares {
  static constexpr int together = 8;  /* components of a block that a thread loads before it uses the first; guess */
  static constexpr int rows     = 32; /* of a thread block, adjacent: one warp per share, which reads 256 contiguous bytes in double precision */
  static constexpr int most     = 32; /* shares of a row: thread blocks have 1024 threads at most */
  /*
     Largest number of concurrent threads: 132 multiprocessors with 64 registers a thread. A constant, so that the order
     of the sums is the same on all GPUs
  */
  static constexpr int threads = 132 * 1024;
  static constexpr int groups  = 2; /* of `together` components in each share, at least; guess */
};

/* Shares of each of `count` rows that store `columns` values; 1: one thread per row */
inline int row_shares(std::size_t count, std::size_t columns)
{
  const std::size_t blocks = (count + RowShares::rows - 1) / RowShares::rows;
  std::size_t       shares = 1;

  while (2 * shares <= RowShares::most && 2 * shares * blocks * RowShares::rows <= RowShares::threads &&
         2 * shares * RowShares::groups * RowShares::together <= columns)
    shares *= 2;
  return static_cast<int>(shares);
}

/*
   group(k, s) for every group of share `share`: components s ... of block k. The groups of a row, blocks ascending, are
   dealt to the shares in turn, so that shares are balanced wherever blocks are missing.
*/
template <class Group>
HEPTANE_HD void each_group_of_share(int width, int b, int share, int shares, const Group &group)
{
  const int stored = (b + RowShares::together - 1) / RowShares::together * RowShares::together;

  for (int k = 0, s = share * RowShares::together;; s += shares * RowShares::together) {
    for (; s >= stored; s -= stored) k++;
    if (k >= width) return;
    group(k, s);
  }
}

/*
   sum + the products of the group that begins with component s of a block of b; v, next, x, first: as add_components()
*/
template <class T, class X>
HEPTANE_HD Scalar add_group_of_share(Scalar sum, const T *v, std::size_t next, const X &x, std::size_t first, int s, int b)
{
  constexpr int U = RowShares::together;

  return s + U <= b ? add_group<U, true>(sum, v, next, x, first, s, U, NoComponentTap())
                    : add_group<U, false>(sum, v, next, x, first, s, b - s, NoComponentTap());
}

} // namespace heptane

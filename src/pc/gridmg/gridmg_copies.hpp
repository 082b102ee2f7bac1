/*
   What processes of a divided hierarchy copy into each other's memory, for host and device: pieces of lines, and values of the matrix into the numbering of a box. Knows no PETSc objects.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "gridmg_meeting.hpp"
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/* `height` pieces of `width` numbers each, in `count` places; pitches and steps in numbers */
template <class T>
struct GridCopy {
  T             *to    = nullptr;
  const T       *from  = nullptr;
  std::size_t    width = 0, height = 0, to_pitch = 0, from_pitch = 0;
  int            count   = 1;
  std::ptrdiff_t to_step = 0, from_step = 0; /* from place to place */

  HEPTANE_HD std::size_t lines() const { return width ? height * static_cast<std::size_t>(count) : 0; }
  /* Number e of line `line`, which counts those of the places before */
  HEPTANE_HD void move(std::size_t line, std::size_t e) const
  {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(line / height);
    const std::size_t    k     = line % height;

    to[place * to_step + static_cast<std::ptrdiff_t>(k * to_pitch + e)] = from[place * from_step + static_cast<std::ptrdiff_t>(k * from_pitch + e)];
  }
};

/* Copies of one kernel, for several processes or from them */
template <class T>
struct GridCopies {
  GridCopy<T> copy[GridMeeting::most];
  int         count = 0;

  void Add(const GridCopy<T> &c)
  {
    if (c.lines()) copy[count++] = c;
  }
};

/* Sums at[first], ..., at[first + count - 1] that processes add */
struct GridShared {
  static constexpr int most = 2;

  const PeerSums *peers = nullptr; /* on the device */
  Scalar         *at    = nullptr;
  int             first = 0, count = 0;
};

/* What the boxes of processes give the rows of this one: their x, or x added to what is there, and behind CG without red columns their r */
struct GridGiven {
  GridCopies<Scalar> x, r; /* r: the same pieces, or none */
  bool               add = false;

  /* Number e of piece k of box q */
  HEPTANE_HD void move(int q, std::size_t k, std::size_t e, bool failed) const
  {
    const GridCopy<Scalar> &c    = x.copy[q];
    Scalar                 &to   = c.to[k * c.to_pitch + e];
    const Scalar            from = c.from[k * c.from_pitch + e];

    to = failed ? static_cast<Scalar>(peer_nothing()) : add ? to + from : from;
    if (r.count) r.copy[q].move(k, e);
  }
};

/* What the planes of a process and a box have in common: pieces of lines, `width` numbers long; a row of the box is `row` numbers */
struct GridCommon {
  std::size_t width = 0, height = 0, local = 0, local_pitch = 0, box = 0, box_pitch = 0, row = 0;
};

/*
   Values of the rows of a process in the numbering of a box, as GridSpread::Values() has them: diagonal q, entry s of a row in place q * block + s. Couplings with cells outside of the box are left
   out; those with planes of other processes are in `between`, before the first own plane and behind the last.
*/
struct GridValueCopy {
  const Scalar *values = nullptr; /* block diagonals of the process */
  std::size_t   ld     = 0;
  int           diagonal[7]; /* -1: none */
  int           block = 1, axis = 2;
  const Scalar *between[2] = {nullptr, nullptr}; /* [block][plane], null: none */
  std::size_t   plane = 0, rows = 0;             /* of a plane, of the process */
  GridCommon    common;
  std::size_t   first_row = 0, box_rows = 0; /* row of the box along `axis` where `common` begins; rows of the box */
  bool          cut[2] = {false, false};     /* the grid goes on beyond the first, the last row of the box */
  Scalar       *to     = nullptr;
  std::size_t   to_ld  = 0;

  /* Number e of piece `line` in place k */
  HEPTANE_HD void move(int k, std::size_t line, std::size_t e) const
  {
    const int         q = k / block, s = k % block;
    const std::size_t from = common.local + line * common.local_pitch + e, row = first_row + e / common.row;
    const bool        below = q == 5 && between[0] && from < plane, above = q == 6 && between[1] && from + plane >= rows;
    const bool        left_out = (cut[0] && q == 1 + 2 * axis && row == 0) || (cut[1] && q == 2 + 2 * axis && row + 1 == box_rows);
    Scalar            value    = 0;

    if (left_out) value = 0;
    else if (below) value = between[0][static_cast<std::size_t>(s) * plane + from];
    else if (above) value = between[1][static_cast<std::size_t>(s) * plane + (from + plane - rows)];
    else if (diagonal[q] >= 0) value = values[static_cast<std::size_t>(diagonal[q] * block + s) * ld + from];
    to[static_cast<std::size_t>(k) * to_ld + common.box + line * common.box_pitch + e] = value;
  }
};

#if defined(PETSC_HAVE_CUDA)
/* Launches. They return the CUDA error and do not synchronise. early: the kernel may begin before the one before has ended. */
template <class T>
cudaError_t launch_grid_copy(const GridCopies<T> &copies, bool early, cudaStream_t stream);
/* ... and then a meeting of the first `count` processes */
template <class T>
cudaError_t launch_grid_copy_and_meet(const GridCopies<T> &copies, const GridMeeting &M, int group, int count, bool early, cudaStream_t stream);
cudaError_t launch_grid_values(const GridValueCopy &copy, cudaStream_t stream);
/* The first `count` processes, in the next meeting of a group */
cudaError_t launch_grid_meet(const GridMeeting &M, int group, int count, cudaStream_t stream);
/* Where a meeting has failed: what is given is no number, and the host is told, in memory that both reach */
cudaError_t launch_grid_given(const GridGiven &given, const GridMeeting &M, int *host, cudaStream_t stream);
/* The sums of this process become those of all; the copies of all have been made then, too */
template <class T>
cudaError_t launch_grid_copy_and_sum(const GridCopies<T> &copies, const GridMeeting &M, const GridShared &sums, bool early, cudaStream_t stream);
#endif

} // namespace heptane

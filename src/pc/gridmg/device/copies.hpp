/*
   Copies and barriers between the processes of a divided hierarchy, for host and device: pieces of lines, and values of
   the matrix into the numbering of a box. Uses no MPI and no PETSc objects.
*/
#pragma once

#include "../../../comm/peer_sums.hpp"
#include "../../../device/scalar.hpp"
#include "../grid/region.hpp"
#include <utility>
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/*
   A barrier of the processes of one node without their hosts, with a time limit: each stores a word in the memory of
   every other process and polls the words it receives.
   On the device a barrier is a kernel of one block: earlier work on its stream is done, and later work begins when all
   words have arrived. Word w of a group belongs to process w. The device counts barriers, so that a graph may contain
   them. A process sends the word of barrier e + 1 only after it has received all words of e. So a receiver of e reads a
   word of e or e + 1, and one word per process is enough.
*/
struct GridBarrier {
  static constexpr int groups = 2, most = PeerSums::most_ranks; /* all processes; processes with slabs, which are the first ones */
  /* words of each process; bytes of its memory, with the failure flag after the words */
  static constexpr std::size_t words = groups * most, bytes = 4096;

  int            rank     = 0;
  PeerWord      *at[most] = {};      /* words of each process, as this one addresses them */
  std::uint64_t *epoch    = nullptr; /* [groups], the last barrier of each group; in device memory of this process, as is `arrived` */
  unsigned      *arrived  = nullptr; /* blocks of a kernel that have done their work before its barrier; zero between kernels */
  PeerLimit      limit;
};

/* A barrier of this process and another one, called by one thread for each other process of the group. Returns false
   after a timeout; limit.failed is then set on all processes */
HEPTANE_HD bool grid_barrier(const GridBarrier &M, int group, std::uint64_t epoch, int other)
{
  const PeerWord *from = M.at[M.rank] + group * GridBarrier::most + other;

  peer_store(M.at[other] + group * GridBarrier::most + M.rank, 0., epoch);
  return peer_wait(M.limit, [&] { return peer_load(from).epoch >= epoch; });
}

/* `height` pieces of `width` numbers each, in `count` places; pitches and steps in numbers. The first piece may lack
   its beginning and the last piece its end. */
template <class T>
struct GridCopy {
  T             *to    = nullptr;
  const T       *from  = nullptr;
  std::size_t    width = 0, height = 0, to_pitch = 0, from_pitch = 0;
  int            count   = 1;
  std::ptrdiff_t to_step = 0, from_step = 0; /* from place to place */
  std::size_t    first = 0, last = static_cast<std::size_t>(-1);

  HEPTANE_HD std::size_t lines() const { return width ? height * static_cast<std::size_t>(count) : 0; }
  /* Number e of line `line`, which is counted over all places */
  HEPTANE_HD bool has(std::size_t line, std::size_t e) const { return (line || e >= first) && (e < last || line + 1 < lines()); }
  HEPTANE_HD std::ptrdiff_t from_at(std::size_t line, std::size_t e) const { return At(line, e, from_pitch, from_step); }
  HEPTANE_HD std::ptrdiff_t to_at(std::size_t line, std::size_t e) const { return At(line, e, to_pitch, to_step); }
  HEPTANE_HD void           move(std::size_t line, std::size_t e) const
  {
    if (has(line, e)) to[to_at(line, e)] = from[from_at(line, e)];
  }

private:
  /* Lines fit in 32 bits, for which division is faster */
  HEPTANE_HD std::ptrdiff_t At(std::size_t line, std::size_t e, std::size_t pitch, std::ptrdiff_t step) const
  {
    const unsigned number = static_cast<unsigned>(line), per_place = static_cast<unsigned>(height), place = number / per_place;

    return static_cast<std::ptrdiff_t>(place) * step + static_cast<std::ptrdiff_t>((number - place * per_place) * pitch + e);
  }
};

/* The intersection of a vector of the local rows, at `local`, and a vector of a box, at `box` */
template <class T>
GridCopy<T> grid_copy_to_box(const GridIntersection &c, const T *local, T *box)
{
  GridCopy<T> copy;

  copy.to         = box + c.box;
  copy.from       = local + c.local;
  copy.width      = c.width;
  copy.height     = c.height;
  copy.to_pitch   = c.box_pitch;
  copy.from_pitch = c.local_pitch;
  copy.count      = static_cast<int>(c.count);
  copy.to_step    = static_cast<std::ptrdiff_t>(c.box_step);
  copy.from_step  = static_cast<std::ptrdiff_t>(c.local_step);
  copy.first      = c.first;
  copy.last       = c.last;
  return copy;
}
template <class T>
GridCopy<T> grid_copy_from_box(const GridIntersection &c, const T *box, T *local)
{
  GridCopy<T> copy = grid_copy_to_box<T>(c, nullptr, nullptr);

  copy.to   = local + c.local;
  copy.from = box + c.box;
  std::swap(copy.to_pitch, copy.from_pitch);
  std::swap(copy.to_step, copy.from_step);
  return copy;
}

/* Copies of one kernel, to or from several processes */
template <class T>
struct GridCopies {
  GridCopy<T> copy[GridBarrier::most];
  int         count = 0;

  void Add(const GridCopy<T> &c)
  {
    if (c.lines()) copy[count++] = c;
  }
};

/* Sums at[first], ..., at[first + count - 1] over the processes */
struct GridRankSums {
  static constexpr int most = 2;

  const PeerSums *peers = nullptr; /* on the device */
  Scalar         *at    = nullptr;
  int             first = 0, count = 0;
};

/* Values of the boxes for the rows of this process: x, or an increment that is added to x; after CG without red columns
   also r */
struct GridResults {
  GridCopies<Scalar> x, r; /* r: the same pieces, or none */
  bool               add = false;

  /* Number e of line `line` of box q */
  HEPTANE_HD void move(int q, std::size_t line, std::size_t e, bool failed) const
  {
    const GridCopy<Scalar> &c = x.copy[q];

    if (!c.has(line, e)) return;
    Scalar      &to   = c.to[c.to_at(line, e)];
    const Scalar from = c.from[c.from_at(line, e)];

    to = failed ? static_cast<Scalar>(peer_nan()) : add ? to + from : from;
    if (r.count) r.copy[q].move(line, e);
  }
};

/*
   Values of the local rows in the numbering of a box: entry s of row `row` towards neighbour q, as in
   GridShape::diagonal, is to[(q * block + s) * to_ld + row]. Couplings with cells outside of the box are omitted.
   Couplings with cells of other processes are in `interface`, of side q at [q - 1], for the rows that GridFaces counts.
*/
struct GridValueCopy {
  const Scalar    *values = nullptr; /* block diagonals of the process */
  std::size_t      ld     = 0;
  int              diagonal[7]; /* -1: none */
  int              block = 1, axis = 2;
  const Scalar    *interface[6] = {}; /* [block][faces], null: none */
  GridFaces        faces[3];          /* of each axis */
  std::size_t      of_face[3] = {};   /* how many each has */
  GridIntersection common;
  std::size_t      box_stride = 1, box_rows = 0; /* along `axis`: distance of rows of the box, number of its rows */
  bool             cut[2] = {false, false};      /* the grid continues before the first, after the last row of the box */
  Scalar          *to     = nullptr;
  std::size_t      to_ld  = 0;

  /* Sets the data of the local rows; `diagonal` and `interface` are set by the caller */
  void SetRows(const Scalar *of_diagonals, std::size_t pitch, const GridRegion &region, int unknowns)
  {
    values = of_diagonals;
    ld     = pitch;
    block  = unknowns;
    for (int a = 0; a < 3; a++) {
      faces[a]   = GridFaces::Of(region, a, unknowns);
      of_face[a] = faces[a].count();
    }
  }
  HEPTANE_HD std::size_t lines() const { return common.width ? common.height * common.count : 0; }
  /* Number e of line `line` in place k */
  HEPTANE_HD void move(int k, std::size_t line, std::size_t e) const
  {
    const int q = k / block, s = k % block;

    if ((!line && e < common.first) || (e >= common.last && line + 1 == lines())) return;
    const unsigned per_step = static_cast<unsigned>(common.height), step = static_cast<unsigned>(line) / per_step,
                   piece   = static_cast<unsigned>(line) - step * per_step;
    const std::size_t from = static_cast<std::size_t>(common.local + static_cast<std::ptrdiff_t>(step * common.local_step + piece * common.local_pitch + e));
    const std::size_t at   = static_cast<std::size_t>(common.box) + step * common.box_step + piece * common.box_pitch + e;

    to[static_cast<std::size_t>(q * block + s) * to_ld + at] = IsLeftOut(q, at) ? Scalar(0) : Value(q, s, from);
  }

private:
  HEPTANE_HD bool IsLeftOut(int q, std::size_t at) const
  {
    const bool below = cut[0] && q == 1 + 2 * axis, above = cut[1] && q == 2 + 2 * axis;

    if (!below && !above) return false;
    const unsigned row = static_cast<unsigned>(at) / static_cast<unsigned>(box_stride) % static_cast<unsigned>(box_rows);

    return below ? row == 0 : row + 1 == box_rows;
  }
  HEPTANE_HD Scalar Value(int q, int s, std::size_t from) const
  {
    if (q && interface[q - 1]) {
      const int            axis_of = (q - 1) / 2;
      const std::ptrdiff_t face    = faces[axis_of].number(from, (q - 1) % 2);

      if (face >= 0) return interface[q - 1][static_cast<std::size_t>(s) * of_face[axis_of] + static_cast<std::size_t>(face)];
    }
    return diagonal[q] < 0 ? Scalar(0) : values[static_cast<std::size_t>(diagonal[q] * block + s) * ld + from];
  }
};

#if defined(PETSC_HAVE_CUDA)
/* Launches. They return the CUDA error and do not synchronise. early: the kernel may begin before its predecessor has
   ended. */
template <class T>
cudaError_t launch_grid_copy(const GridCopies<T> &copies, bool early, cudaStream_t stream);
/* ... followed by a barrier of the first `count` processes */
template <class T>
cudaError_t launch_grid_copy_and_barrier(const GridCopies<T> &copies, const GridBarrier &M, int group, int count, bool early, cudaStream_t stream);
cudaError_t launch_grid_values(const GridValueCopy &copy, cudaStream_t stream);
/* The next barrier of a group, by its first `count` processes */
cudaError_t launch_grid_barrier(const GridBarrier &M, int group, int count, cudaStream_t stream);
/* After a failed barrier the results are NaN, and a flag is set for the host, in memory that both access */
cudaError_t launch_grid_results(const GridResults &given, const GridBarrier &M, int *host, cudaStream_t stream);
/* Replaces the sums of this process by the sums over all; the copies of all are then complete, too */
template <class T>
cudaError_t launch_grid_copy_and_sum(const GridCopies<T> &copies, const GridBarrier &M, const GridRankSums &sums, bool early, cudaStream_t stream);
#endif

} // namespace heptane

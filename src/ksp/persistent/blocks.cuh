/*
   Common parts of the persistent kernels: a block's window of the multiplied vector and its part of the matrix in
   shared memory, the product of its rows, the preconditioner, and the scalars. Without PETSc objects. Longer than 350
   lines: the operations of a kernel on its block's rows are one type.
*/
#pragma once

#include "../../device/grid_reduce.cuh"
#include "../../device/reciprocal.hpp"
#include "../../mat/bdiagh/fused/persistent.hpp"
#include "../../mat/bdiagh/fused/persistent_cut.hpp"
#include "../../mat/bdiagh/fused/persistent_tuning.hpp"
#include "rows.cuh"
#include <type_traits>

namespace heptane
{

/*
   A kernel's parameter. Diagonals are renumbered: the main diagonal first if there is one, the other near ones, then
   the far ones
*/
struct BdiaghPersistent {
  static constexpr int max_diagonals = BdiaghPersistentTuning::max_diagonals, published_sets = 3;

  int n;            /* rows and columns */
  int chunk;        /* rows per block */
  int below, above; /* additional columns of the window on either side, for the near diagonals */
  int near, far;    /* diagonals; with several unknowns per cell their columns, each of which counts as one */
  int units;        /* as BdiaghPersistentFields::units */
  const Scalar
    /* values. Separate pointers: pointers computed from one base would occupy registers in all iterations */
     *diagonal[max_diagonals];
  int offset[max_diagonals]; /* from the row, with several unknowns per cell from the first row of its cell */
  /*
     blocks whose rows are far or near columns of a block, or for which it is the reverse, relative to the block's
     number
  */
  int             partners;
  int             partner[4 * max_diagonals];
  FusedPersistent v;
  FusedScalars   *scalars;
  Real           *history;
  int             history_length;
  TaggedPart     *published; /* published_sets of published_values(), initially with tags of no iteration */

  BdiaghPersistentRemainder remainder;
};

/* A kernel's parameter on several ranks, see ranks.cuh */
struct BdiaghPersistentOfRanks;
template <class Variant>
using BdiaghPersistentOf = std::conditional_t<Variant::ranks, BdiaghPersistentOfRanks, BdiaghPersistent>;

/* Position of a block's rows and of the adjacent columns */
template <class Variant>
struct BdiaghPersistentBlock {
  static constexpr bool remainder_outside =
    /* columns of the remainder in other blocks are not part of the margin: see published_values() */
    Variant::remainder && !Variant::recurred;

  const BdiaghPersistent &P;
  /*
     own rows; the last block may have fewer than chunk, or none: start is a valid row in any case, since places without
     a row read it
  */
  const int             start, rows;
  const int             span; /* from the first own row to the first row of the next block */
  const CacheHint       evict_last = hint_evict_last(), evict_first = hint_evict_first();
  BdiaghBlockRemainder *block_remainder = remainder_of_block();
  /*
     In local memory, since they are read once per iteration. In registers they would displace loads of products() in
     flight: CG at 1.0M rows 0.8 us slower per iteration
  */
  volatile unsigned with_remainder = 0; /* bit q: row q of the thread has a remainder */
  /* bit q: row q of the thread is a column of the remainder of another block; if remainder_outside */
  volatile unsigned exported       = 0;
  volatile int      exported_index = 0; /* index of the first of these rows */

  __device__ __forceinline__ explicit BdiaghPersistentBlock(const BdiaghPersistent &P)
    : P(P), start(blockIdx.x * P.chunk), rows(max(0, min(P.chunk, P.n - static_cast<int>(blockIdx.x) * P.chunk))), span(P.chunk)
  {}
  __device__ __forceinline__ BdiaghPersistentBlock(const BdiaghPersistent &P, const BdiaghCut &cut)
    : P(P), start(min(cut.first(blockIdx.x), P.n - 1)), rows(cut.first(blockIdx.x + 1) - cut.first(blockIdx.x)), span(rows)
  {}

  /* In shared memory; a kernel without remainder uses none */
  static __device__ __forceinline__ BdiaghBlockRemainder *remainder_of_block()
  {
    if constexpr (Variant::remainder) {
      __shared__ BdiaghBlockRemainder block_remainder;
      return &block_remainder;
    } else return nullptr;
  }

  /* Places of the window from the first own row on */
  __device__ __forceinline__ int to_end() const { return P.chunk + P.above + (Variant::remainder ? P.remainder.most.extras : 0); }

  __device__ __forceinline__ bool inside(int row) const { return static_cast<unsigned>(row) < static_cast<unsigned>(P.n); }

  /* The place in the window of column e; e counts the columns below, above and of the remainder */
  __device__ __forceinline__ int window_place(int e) const
  {
    if constexpr (Variant::ranks && Variant::remainder)
      if (e >= P.below + P.above) return e + P.chunk; /* a block may have fewer rows */
    return e < P.below ? e : e + span;
  }

  /*
     f(place in the window, row) for every column of the window that is inside the matrix and not an own row; EXTRAS:
     including the columns of the remainder
  */
  template <bool EXTRAS = true, class F>
  __device__ __forceinline__ void for_margin(F &&f) const
  {
    const int extras = Variant::remainder && EXTRAS ? block_remainder->extras : 0;

    for (int e = threadIdx.x; e < P.below + P.above + extras; e += Variant::threads) {
      const int place = window_place(e),
                row   = e < P.below + P.above ? start - P.below + place : P.remainder.extra_col[P.remainder.extra[blockIdx.x] + e - P.below - P.above];
      if (inside(row)) f(place, row);
    }
  }

  /*
     Columns of the remainder that are rows of other blocks, if vectors are exchanged. The owners of the rows store
     values for the blocks that read them: CG the new p, BiCGStab v and t before a sum, from which a block updates its
     entries of p and r by recurrence. A value and the number of the iteration are one word, so that no fence is needed;
     `set` separates values that exist at the same time.
  */
  __device__ __forceinline__ TaggedPart *published_values(int set) const { return P.published + static_cast<std::size_t>(set) * P.remainder.exported_rows; }

  /*
     Stores the values of the thread's rows that other blocks read; value(q, l). The first row's number is kept: its
     lookup here would delay all blocks at the following sum.
  */
  template <class Value>
  __device__ __forceinline__ void publish(int set, unsigned long long iteration, Value &&value) const
  {
    if constexpr (remainder_outside) {
      int number = exported_index;
      for_bits(exported, [&](int q, int l) {
        if (number < 0) number = bdiagh_exported_index(P.remainder.exported, P.remainder.exported_before, start + l);
        store_tagged<false>(published_values(set) + number, static_cast<double>(value(q, l)), iteration);
        number = -1;
      });
    }
  }
  /*
     Loads the thread's first value while the scalars are computed. It may not have been stored yet: taken() then polls
     for it
  */
  __device__ __forceinline__ TaggedPart ask(int set) const
  {
    if constexpr (remainder_outside) {
      if (threadIdx.x < static_cast<unsigned>(block_remainder->extras)) return load_tagged(published_values(set) + block_remainder->extra[threadIdx.x]);
    }
    return {0, 0};
  }
  /*
     Value e of the block's extra columns; first: the value that ask() has loaded. On several ranks an arbitrary value
     after a wait has failed, since the sums then fail too
  */
  __device__ __forceinline__ Scalar taken(int set, unsigned long long iteration, int e, const TaggedPart &first = {0, 0}) const
  {
    TaggedPart t = e == static_cast<int>(threadIdx.x) ? first : TaggedPart{0, 0};

    if constexpr (Variant::ranks) {
      if (t.tag != iteration)
        (void)peer_wait(static_cast<const BdiaghPersistentOf<Variant> &>(P).ranks.grid.limit, [&] {
          t = load_tagged(published_values(set) + block_remainder->extra[e]);
          return t.tag == iteration;
        });
    } else
      while (t.tag != iteration) t = load_tagged(published_values(set) + block_remainder->extra[e]);
    return static_cast<Scalar>(t.part);
  }
  /* f(place in the window, e) for the thread's extra columns */
  template <class F>
  __device__ __forceinline__ void for_extras(F &&f) const
  {
    if constexpr (remainder_outside) {
      HEPTANE_ROLLED
      for (int e = threadIdx.x; e < block_remainder->extras; e += Variant::threads) f(P.below + P.chunk + P.above + e, e);
    }
  }

  /* Copies the stored values of these columns to the window */
  __device__ __forceinline__ void take_extras(int set, unsigned long long iteration, const TaggedPart &first, Scalar *window) const
  {
    for_extras([&](int at, int e) { window[at] = taken(set, iteration, e, first); });
  }

  /* Like for_margin(), if no thread has more than one column */
  __device__ __forceinline__ bool one_margin(int &place, int &row) const
  {
    const int e = threadIdx.x;

    place = window_place(e);
    row   = start - P.below + place;
    if constexpr (Variant::remainder) {
      const int extra = P.remainder.extra[blockIdx.x] + e - P.below - P.above;
      if (e >= P.below + P.above && extra < P.remainder.extra[blockIdx.x + 1]) {
        row = P.remainder.extra_col[extra];
        return true;
      }
    }
    return e < P.below + P.above && inside(row);
  }

  /* First row of the cell of a row; blocks begin with a cell */
  static __device__ __forceinline__ int first_of_cell(int row) { return Variant::block > 1 ? row - row % Variant::block : row; }
  __device__ __forceinline__ int        far_row(int row, int f) const { return first_of_cell(row) + P.offset[P.near + f]; }

  __device__ __forceinline__ int units() const { return Variant::units >= 0 ? Variant::units : P.units; }

  /*
     For a symmetric matrix, see BdiaghPersistentFields. The diagonals are: the main one, the lower and the upper one of
     the nearer pair, both of the farther pair, two far ones. whole(k): the values of diagonal k are in half(), which
     begins with the row before the block that its lower diagonal needs. from_lanes(k): the values are values of
     lanes_diagonal in the previous thread. number(k): index of k among the remaining diagonals, whose first values are
     the units; numbered(): the inverse.
  */
  static constexpr int                             lanes_diagonal = 2, half_diagonal = 4;
  static __device__ __forceinline__ constexpr bool whole(int k) { return Variant::symmetric && (k == half_diagonal - 1 || k == half_diagonal); }
  static __device__ __forceinline__ constexpr bool from_lanes(int k) { return Variant::symmetric && k == lanes_diagonal - 1; }
  static __device__ __forceinline__ constexpr int  number(int k) { return !Variant::symmetric || k == 0 ? k : k == lanes_diagonal ? 1 : k - 3; }
  static __device__ __forceinline__ constexpr int  numbered(int n) { return !Variant::symmetric || n == 0 ? n : n == 1 ? lanes_diagonal : n + 3; }
  __device__ __forceinline__ bool                  in_units(int k, int q) const { return number(k) * Variant::rows + q < units(); }
  template <class T>
  __device__ __forceinline__ T *half(T *matrix) const
  {
    return matrix + units() * Variant::threads;
  }
  __device__ __forceinline__ Scalar *after_matrix(Scalar *matrix) const
  {
    return half(matrix) + (Variant::symmetric ? Variant::rows * Variant::threads + P.offset[half_diagonal] : 0);
  }
  /* The value of lanes_diagonal in the row before the thread's, for the first thread of a warp */
  __device__ __forceinline__ Scalar value_before(int l) const
  {
    if constexpr (Variant::symmetric) {
      if (threadIdx.x % 32 == 0 && start + l > 0) return __ldg(P.diagonal[lanes_diagonal] + start + l - 1);
    }
    return 0;
  }

  /* Also the block's part of the remainder, stored after the matrix */
  __device__ __forceinline__ void load_matrix(Scalar *matrix) const
  {
    if constexpr (Variant::remainder) {
      const BdiaghBlockRemainder here = bdiagh_load_remainder(P.remainder, blockIdx.x, start, after_matrix(matrix), threadIdx.x, Variant::threads);
      if (threadIdx.x == 0) *block_remainder = here;
    }
    for (int u = 0; u < units(); u++) {
      const int l = u % Variant::rows * Variant::threads + threadIdx.x;
      if (l < rows) matrix[u * Variant::threads + threadIdx.x] = __ldcs(P.diagonal[numbered(u / Variant::rows)] + start + l);
    }
    if constexpr (Variant::symmetric) {
      Scalar *values = half(matrix);
      for (int e = threadIdx.x; e < P.offset[half_diagonal] + rows; e += Variant::threads) {
        const int row = start - P.offset[half_diagonal] + e;
        values[e]     = row >= 0 ? __ldcs(P.diagonal[half_diagonal] + row) : Scalar(0);
      }
    }
  }

  /* After load_matrix() and a barrier */
  __device__ __forceinline__ void find_remainder()
  {
    if constexpr (Variant::remainder) with_remainder = bdiagh_rows_with_remainder(*block_remainder, threadIdx.x, Variant::threads);
    if constexpr (remainder_outside) {
      const unsigned mine = bdiagh_exported_rows<Variant::rows>(P.remainder.exported, start, rows, threadIdx.x, Variant::threads);
      exported            = mine;
      if (mine) {
        const int q    = __ffs(static_cast<int>(mine)) - 1;
        exported_index = bdiagh_exported_index(P.remainder.exported, P.remainder.exported_before, start + q * Variant::threads + static_cast<int>(threadIdx.x));
      }
    }
  }

  /* Rows of the thread that have a remainder: products() calls each() for them without it, and add_remainder() adds
     it */
  __device__ __forceinline__ unsigned incomplete_rows() const
  {
    if constexpr (Variant::remainder) return with_remainder;
    return 0;
  }

  /*
     Sums the pieces of long rows: a warp per piece, lanes by a fixed butterfly. Runs before products(), so that it does
     not interrupt their loads. Requires a complete window, and that the previous sums have been read.
  */
  __device__ __forceinline__ void sum_pieces(const Scalar *window) const
  {
    if constexpr (Variant::remainder) {
      const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0); /* equal in all lanes, made known to the compiler */
      HEPTANE_ROLLED
      for (int piece = warp; piece < block_remainder->pieces; piece += Variant::threads / 32) {
        Scalar s = bdiagh_piece_share(*block_remainder, window, piece, threadIdx.x & 31);
#pragma unroll
        for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
        if ((threadIdx.x & 31) == 0) block_remainder->sums[piece] = s;
      }
    }
  }

  /*
     add(q, l, y) for the rows that have a remainder, y its product, after sum_pieces() and products(). Few rows have
     one, and registers for all rows in products() would displace its loads. A row's thread adds its pieces in their
     order. UNROLLED: a copy of the code for each q, unlike for_bits().
  */
  template <bool UNROLLED, class Add>
  __device__ __forceinline__ void add_remainder(const Scalar *window, Add &&add) const
  {
    if constexpr (Variant::remainder) {
      if (block_remainder->pieces) __syncthreads();
      for_bits(with_remainder, [&](int place, int l) {
        const Scalar y = bdiagh_remainder_of_row(*block_remainder, window, l);
        if constexpr (UNROLLED) {
#pragma unroll
          for (int q = 0; q < Variant::rows; q++)
            if (q == place) add(q, l, y);
        } else add(place, l, y);
      });
    }
  }

  /*
     f(q, l) for the bits q that are set. A rolled loop: few bits are set, and code for each q would exceed the
     instruction cache (BiCGStab with 17 rows per thread 52 us instead of 70)
  */
  template <class F>
  static __device__ __forceinline__ void for_bits(unsigned bits, F &&f)
  {
    HEPTANE_ROLLED
    for (unsigned left = bits; left; left &= left - 1) {
      const int q = __ffs(static_cast<int>(left)) - 1;
      f(q, q * Variant::threads + static_cast<int>(threadIdx.x));
    }
  }

  __device__ __forceinline__ Scalar value(const Scalar *matrix, int k, int q, int l) const
  {
    if (whole(k)) return half(matrix)[k == half_diagonal ? l + P.offset[half_diagonal] : l];
    if (in_units(k, q)) return matrix[number(k) * Variant::rows * Variant::threads + l];
    return load_hinted(P.diagonal[k] + start + l, q < Variant::kept || (Variant::wide && k == 0) ? evict_last : evict_first);
  }

  /*
     each(q, l, active, y, d) for all places of the thread: y = (A u)_(start + l) without the remainder, d the value on
     the first diagonal; with several unknowns per cell y = (u + A u)_(start + l). far(q, l, f): u at the column of far
     diagonal f. sum: room for the thread's rows. Diagonals known at compile time are summed row by row, with the values
     of the next rows loaded before a row is summed; otherwise diagonal by diagonal. Both keep many loads in flight.
  */
  template <bool BACKWARDS, class Far, class Each>
  __device__ __forceinline__ void products(const Scalar *matrix, const Scalar *window, Scalar (&sum)[Variant::rows], Far &&far, Each &&each) const
  {
    if constexpr (Variant::near >= 0) {
      constexpr int K = Variant::near + Variant::far, rooms = Variant::ahead + 1;
      Scalar        a[rooms][K], u[rooms][Variant::far > 0 ? Variant::far : 1], before[rooms];
      auto          in_memory = [&](int k, int q) { return !whole(k) && !from_lanes(k) && !in_units(k, q); };
      auto          prefetch  = [&](int i, int q, int l) {
#pragma unroll
        for (int f = 0; f < Variant::far; f++) u[i % rooms][f] = far(q, l, f);
#pragma unroll
        for (int k = 0; k < K; k++)
          if (in_memory(k, q)) a[i % rooms][k] = value(matrix, k, q, l);
        before[i % rooms] = value_before(l);
      };
      for_all_places_ahead<Variant, BACKWARDS>(rows, prefetch, [&](int i, int q, int l, bool active) {
        const Scalar *v = window + P.below + first_of_cell(l);
        Scalar        y = Variant::block > 1 ? window[P.below + l] : Scalar(0), first = 0, lane_before = 0;
        auto          coefficient = [&](int k) { return in_memory(k, q) ? a[i % rooms][k] : value(matrix, k, q, l); };
        if constexpr (Variant::symmetric) {
          lane_before = __shfl_up_sync(~0u, coefficient(lanes_diagonal), 1);
          if (threadIdx.x % 32 == 0) lane_before = before[i % rooms];
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
          const Scalar c = from_lanes(k) ? lane_before : coefficient(k);
          if (k == 0) first = c;
          y += c * (k < Variant::near ? v[P.offset[k]] : u[i % rooms][k - Variant::near]);
        }
        each(q, l, active, y, first);
      });
    } else {
      constexpr int recurred = BdiaghPersistentTuning::max_recurred;
#pragma unroll
      for (int q = 0; q < Variant::rows; q++) sum[q] = 0;
      for (int k = 0; k < P.near; k++) add_diagonal<BACKWARDS>(matrix, k, sum, [&](int, int l) { return window[P.below + l + P.offset[k]]; });
      if constexpr (Variant::recurred) {
#pragma unroll
        for (int f = 0; f < recurred; f++)
          if (f < P.far) add_diagonal<BACKWARDS>(matrix, P.near + f, sum, [&](int q, int l) { return far(q, l, f); });
      } else {
        for (int f = 0; f < P.far; f++) add_diagonal<BACKWARDS>(matrix, P.near + f, sum, [&](int q, int l) { return far(q, l, f); });
      }
      for_all_places<Variant, BACKWARDS>(rows, [&](int q, int l, bool active) {
        each(q, l, active, sum[q], !Variant::recurred && P.v.pc.source == FusedPc::matrix_diagonal ? value(matrix, 0, q, l) : Scalar(0));
      });
    }
  }

  template <bool BACKWARDS, class Column>
  __device__ __forceinline__ void add_diagonal(const Scalar *matrix, int k, Scalar (&sum)[Variant::rows], Column &&column) const
  {
    if (k * Variant::rows < units()) {
      const Scalar *a = matrix + k * Variant::rows * Variant::threads;
      for_all_places<Variant, BACKWARDS>(rows, [&](int q, int l, bool) { sum[q] += a[l] * column(q, l); });
    } else {
      const Scalar *a = P.diagonal[k] + start;
      for_all_places<Variant, BACKWARDS>(
        rows, [&](int q, int l, bool) { sum[q] += load_hinted(a + l, q < Variant::kept ? evict_last : evict_first) * column(q, l); });
    }
  }

  /*
     inverse_of_diagonal() for all rows of a thread in each iteration. On one GPU by a division; the reciprocal has not
     been measured there
  */
  static __device__ __forceinline__ Scalar inverse_in_loop(Scalar d)
  {
    if constexpr ((Variant::ranks || Variant::wide) && std::is_same_v<Scalar, double>) return static_cast<Scalar>(reciprocal(d == Scalar(0) ? Scalar(1) : d));
    else return inverse_of_diagonal(d);
  }
  /* The diagonal of the preconditioner; first: the value on the first diagonal */
  __device__ __forceinline__ Scalar inverse(int row, Scalar first) const
  {
    if constexpr (Variant::block > 1) {
      return 1; /* included in the copy */
    } else if constexpr (Variant::ranks) {
      const bool matrix_diagonal = P.v.pc.source == FusedPc::matrix_diagonal; /* avoids a branch between the loads of consecutive rows */
      Scalar     d               = inverse_in_loop(matrix_diagonal ? first : Scalar(1));
      if (!matrix_diagonal && P.v.pc.form == FusedPc::point) d = __ldg(P.v.pc.inverse + row);
      return d;
    } else return P.v.pc.source == FusedPc::matrix_diagonal ? inverse_of_diagonal(first) : given_inverse(row);
  }
  __device__ __forceinline__ Scalar diagonal_inverse(const Scalar *matrix, int q, int l) const
  {
    if constexpr (Variant::block > 1) return 1;
    return P.v.pc.source == FusedPc::matrix_diagonal ? inverse_in_loop(value(matrix, 0, q, l)) : given_inverse(start + l);
  }
  __device__ __forceinline__ Scalar inverse(int row) const
  {
    return P.v.pc.source == FusedPc::matrix_diagonal ? inverse_of_diagonal(__ldg(P.diagonal[0] + row)) : given_inverse(row);
  }
  /*
     The operand of diagonal_inverse(): the diagonal entry if the preconditioner's source is the matrix, else the
     inverse itself
  */
  __device__ __forceinline__ Scalar diagonal_or_inverse(const Scalar *matrix, int q, int l, bool active) const
  {
    if (!active) return Scalar(1);
    if (P.v.pc.source == FusedPc::matrix_diagonal) return value(matrix, 0, q, l);
    return P.v.pc.form == FusedPc::point ? __ldg(P.v.pc.inverse + start + l) : Scalar(1);
  }
  __device__ __forceinline__ Scalar given_inverse(int row) const
  {
    return P.v.pc.form == FusedPc::point ? __ldg(P.v.pc.inverse + row) : Scalar(1);
  }
};

} // namespace heptane

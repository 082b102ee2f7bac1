/*
   What a persistent kernel of a method consists of beside its rows: the scalars that each block keeps, where the vectors lie, and what the planning of a launch has to know
   about the kernel.
*/
#pragma once

#include "blocks.cuh"
#include "lists.hpp"
#include <type_traits>

namespace heptane
{

/* The scalars of the iteration, one copy a block, the same in all */
template <class Scalars>
struct PersistentScalars {
  Scalars S;

  /* One thread calls these */
  __device__ __forceinline__ void load(const BdiaghPersistent &P) { S = *static_cast<const Scalars *>(P.scalars); }
  /* f() may complete an iteration */
  template <class F>
  __device__ __forceinline__ void logged(const BdiaghPersistent &P, F &&f)
  {
    const int it = S.it;

    f();
    if (blockIdx.x == 0) log_norm(it, S, P.history, P.history_length);
  }
  /* All sums are in them */
  __device__ __forceinline__ void store(const BdiaghPersistent &P)
  {
    S.settled = 1;
    if (blockIdx.x == 0) *static_cast<Scalars *>(P.scalars) = S;
  }
};

/* What the planning of a launch has to know about a kernel */
struct BdiaghPersistentKernel {
  const void *kernel;
  int         threads, rows, near, far;
  bool        recurred, remainder;
  int         units;
  int         shared;           /* bytes in every case */
  int         windows, vectors; /* in shared memory, of the window's length and of the block's rows */
  int         further;          /* scalars in shared memory */
  int         block;            /* unknowns per cell */
  bool        symmetric;        /* in two forms, see BdiaghPersistentFields */
  int         whole_units;      /* then the units of the form that is not for symmetric matrices */
};

/* Where the vectors of a method lie */
template <class Variant>
struct BdiaghPersistentCgLayout {
  /* with the columns of far diagonals in registers: as many vectors in shared memory as fit beside the whole matrix, on compute capability 9.0 */
  static constexpr bool much_recurred = Variant::recurred && Variant::rows > 4;
  static constexpr bool x_shared = much_recurred && Variant::rows == 5, r_shared = (Variant::rows > 9 && !Variant::wide) || much_recurred;
  static constexpr int  windows = 1, vectors = x_shared + r_shared;
  using X = std::conditional_t<Variant::wide, SplitVector<Variant, 0>, OwnVector<Variant, x_shared>>;
  using W = std::conditional_t<Variant::wide, SplitVector<Variant, Variant::w_shared>, OwnVector<Variant, false>>;
};
template <class Variant>
struct BdiaghPersistentCgOneSumLayout {
  static constexpr bool x_shared = Variant::rows >= 4, t_shared = x_shared, s_shared = x_shared && Variant::ranks,
                        d_shared        = s_shared;           /* d: the diagonal of the preconditioner */
  static constexpr bool scalars_at_once = Variant::rows == 1; /* there are registers for them */
  static constexpr int  windows = 1, vectors = x_shared + t_shared + s_shared + d_shared;
};
template <class Variant>
struct BdiaghPersistentBcgsLayout {
  static constexpr int  in_registers  = Variant::block > 1 ? BdiaghPersistentBlockRoom::in_registers : 9; /* rows, of four vectors */
  static constexpr bool much_recurred = Variant::recurred && Variant::rows > 4; /* two vectors and the whole matrix in shared memory leave room for one more */
  static constexpr bool r0_loaded = Variant::rows > in_registers || much_recurred, inverse_shared = Variant::recurred && Variant::rows >= 4;
  /* of several ranks, whose halo takes registers too: 4 rows of a thread spilled 264 bytes */
  static constexpr bool r0_shared = inverse_shared && Variant::ranks && !much_recurred, x_shared = (r0_loaded || r0_shared) && !much_recurred;
  static constexpr int  windows = 2, vectors = x_shared + r0_shared + inverse_shared;
};

inline constexpr int bdiagh_ranks_shared = 512; /* at most: buffers of the neighbours, sums of the ranks */

/* Rows of a block with many columns of other ranks, where it has a remainder: see BdiaghPersistentHalo */
struct BdiaghLongHalo {
  static constexpr int most = BdiaghPersistentTuning::long_halo_rows;

  int    rows;
  int    row[most];               /* from the block's first on */
  int    first[most], last[most]; /* entries, without the row's first */
  Scalar sum[most];               /* of what these give in the round that was taken last */
};

template <class Variant, class Layout, class Scalars>
BdiaghPersistentKernel bdiagh_persistent_kernel(const void *kernel)
{
  constexpr int static_shared = sizeof(typename GridReduce<Variant::threads>::Shared) + sizeof(PersistentScalars<Scalars>) +
                                (Variant::remainder ? sizeof(BdiaghBlockRemainder) : 0) + (Variant::ranks ? bdiagh_ranks_shared : 0) +
                                (Variant::ranks && Variant::remainder ? sizeof(BdiaghLongHalo) : 0) + 32; /* and what alignment takes */
  constexpr int forms = Variant::symmetric ? 2 : 1;

  return {kernel,
          Variant::threads,
          Variant::rows,
          Variant::near,
          Variant::far,
          Variant::recurred,
          Variant::remainder,
          Variant::units,
          forms * static_shared,
          Layout::windows,
          Layout::vectors,
          Variant::threads * Variant::w_shared,
          Variant::block,
          Variant::symmetric,
          Variant::Whole::units};
}

} // namespace heptane

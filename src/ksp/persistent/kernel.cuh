/*
   Properties of the persistent kernel of a method except its rows: the scalars of each block, the placement of the
   vectors, and the data for planning a launch.
*/
#pragma once

#include "blocks.cuh"
#include "lists.hpp"
#include <type_traits>

namespace heptane
{

/* The scalars of the iteration: one copy per block, all equal */
template <class Scalars>
struct PersistentScalars {
  Scalars S;

  /* Called by one thread */
  __device__ __forceinline__ void load(const BdiaghPersistent &P) { S = *static_cast<const Scalars *>(P.scalars); }
  /* f() may complete an iteration */
  template <class F>
  __device__ __forceinline__ void logged(const BdiaghPersistent &P, F &&f)
  {
    const int it = S.it;

    f();
    if (blockIdx.x == 0) log_norm(it, S, P.history, P.history_length);
  }
  /* All sums are included */
  __device__ __forceinline__ void store(const BdiaghPersistent &P)
  {
    S.settled = 1;
    if (blockIdx.x == 0) *static_cast<Scalars *>(P.scalars) = S;
  }
};

/* Data of a kernel for planning a launch */
struct BdiaghPersistentKernel {
  const void *kernel;
  int         threads, rows, near, far;
  bool        recurred, remainder;
  int         units;
  int         shared;           /* bytes of static shared memory */
  int         windows, vectors; /* numbers of vectors in shared memory, with the length of the window and of the block's rows */
  int         further;          /* additional scalars in shared memory */
  int         block;            /* unknowns per cell */
  bool        symmetric;        /* in two forms, see BdiaghPersistentFields */
  int         whole_units;      /* if symmetric: units of the form for any matrix */
};

/* Placement of the vectors of a method */
template <class Variant>
struct BdiaghPersistentCgLayout {
  /*
     with the columns of far diagonals in registers: as many vectors in shared memory as fit next to the whole matrix,
     on compute capability 9.0
  */
  static constexpr bool much_recurred = Variant::recurred && Variant::rows > 4;
  static constexpr bool x_shared = much_recurred && Variant::rows == 5, r_shared = (Variant::rows > 9 && !Variant::wide) || much_recurred;
  static constexpr int  windows = 1, vectors = x_shared + r_shared;
  using X = std::conditional_t<Variant::wide, SplitVector<Variant, 0>, ThreadVector<Variant, x_shared>>;
  using W = std::conditional_t<Variant::wide, SplitVector<Variant, Variant::w_shared>, ThreadVector<Variant, false>>;
};
template <class Variant>
struct BdiaghPersistentCgOneSumLayout {
  static constexpr bool x_shared = Variant::rows >= 4, t_shared = x_shared, s_shared = x_shared && Variant::ranks,
                        d_shared        = s_shared;           /* d: the diagonal of the preconditioner */
  static constexpr bool scalars_at_once = Variant::rows == 1; /* registers suffice for them */
  static constexpr int  windows = 1, vectors = x_shared + t_shared + s_shared + d_shared;
};
template <class Variant>
struct BdiaghPersistentBcgsLayout {
  /* rows for which registers hold four vectors */
  static constexpr int in_registers = Variant::block > 1 ? BdiaghPersistentBlockRoom::in_registers : 9;
  /* shared memory with two vectors and the whole matrix has room for one more */
  static constexpr bool much_recurred = Variant::recurred && Variant::rows > 4;
  static constexpr bool r0_loaded = Variant::rows > in_registers || much_recurred, inverse_shared = Variant::recurred && Variant::rows >= 4;
  /* on several ranks, whose halo needs registers too: 4 rows per thread spilled 264 bytes */
  static constexpr bool r0_shared = inverse_shared && Variant::ranks && !much_recurred, x_shared = (r0_loaded || r0_shared) && !much_recurred;
  static constexpr int  windows = 2, vectors = x_shared + r0_shared + inverse_shared;
};

inline constexpr int bdiagh_ranks_shared = 512; /* at most: buffers of the neighbours, sums of the ranks */

/* Rows of a block with many columns of other ranks, if it has a remainder: see BdiaghPersistentHalo */
struct BdiaghLongHalo {
  static constexpr int most = BdiaghPersistentTuning::long_halo_rows;

  int    rows;
  int    row[most];               /* from the block's first on */
  int    first[most], last[most]; /* entries, without the row's first */
  Scalar sum[most];               /* of their contributions in the last round received */
};

template <class Variant, class Layout, class Scalars>
BdiaghPersistentKernel bdiagh_persistent_kernel(const void *kernel)
{
  constexpr int static_shared = sizeof(typename GridReduce<Variant::threads>::Shared) + sizeof(PersistentScalars<Scalars>) +
                                (Variant::remainder ? sizeof(BdiaghBlockRemainder) : 0) + (Variant::ranks ? bdiagh_ranks_shared : 0) +
                                /* and padding for alignment */
                                (Variant::ranks && Variant::remainder ? sizeof(BdiaghLongHalo) : 0) + 32;
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

/*
   The fused product on the device, written once for all formats. A format supplies its rows as a class, which kernels
   receive by value:
     threads<K>, blocks<K>        threads per block and blocks per multiprocessor with K sums: the bounds of the kernel
     block_size                   rows of a cell if known at compile time, else 0
     cells                        a tile is whole cells, so that M may have point blocks
     unit                         A is stored without its unit diagonal, and no M is applied: then there are no cells,
                                  has_diagonal, passes_u(), diagonal() or sync_cells()
     has_diagonal                 multiply() stores the row's diagonal entry in RowDiagonal; points may be
     FusedPc::matrix_diagonal rows(), block()              scalar rows, and the rows of a cell
     passes_u<K>()                 multiply() stores u of the row in RowDiagonal
     locate(at, i, active)        the place of row number `at` in storage order, component i of its cell if the rows
     have
                                  cells; called by all threads of a warp, active: this one has a row. Member .row of the
                                  result is the row's number.
     diagonal(place)              index of the row's diagonal block for multiply(); no_diagonal: none
     multiply(u, place, skip, d)  (A u) of the row without block `skip`; for unit rows d.u is u of the row, and the
     result
                                  is u + A u
     Stored                       storage type of A and the vectors; optional, default Scalar
     in_single                    true for unit rows stored as Single: u that is not computed on the fly is read and
                                  multiplied in single precision (EntryNumber); optional, default false
     begins                       true: all threads call begin<THREADS>(u) before the first row; optional, default false
     sync_cells()                       a barrier of the threads whose cells are in the same warps, if block_size is not
     0
*/
#pragma once

#include "../../device/launch.hpp"
#include "../pass_tuning.hpp"
#include "gather.hpp"
#include "launch_resident.cuh"
#include "point_block.cuh"
#include "product_scalars.cuh"

namespace heptane
{

/* Values of the row's own column that multiply() returns */
struct RowDiagonal {
  Scalar entry = 0, u = 0;
};

template <class Rows, int K>
inline constexpr int product_threads = Rows::template threads<K>;
template <class Rows, int K>
inline constexpr int product_blocks = Rows::template blocks<K>;

/* Storage type of the vectors of a product with such rows */
template <class Rows, class = void>
struct ProductStored {
  using type = Scalar;
};
template <class Rows>
struct ProductStored<Rows, std::void_t<typename Rows::Stored>> {
  using type = typename Rows::Stored;
};
template <class Rows>
using ProductOf = FusedProductOf<typename ProductStored<Rows>::type>;

template <class Rows, class = void>
inline constexpr bool product_in_single = false;
template <class Rows>
inline constexpr bool product_in_single<Rows, std::enable_if_t<Rows::in_single>> = true;
/* u as unit rows read it */
template <class Rows, bool MINUS>
using ProductGather = std::conditional_t<product_in_single<Rows> && !MINUS && std::is_same_v<typename ProductStored<Rows>::type, Single>, SingleGather<MINUS>,
                                         FusedGather<MINUS, typename ProductStored<Rows>::type>>;

template <class Rows, class = void>
inline constexpr bool product_begins = false;
template <class Rows>
inline constexpr bool product_begins<Rows, std::enable_if_t<Rows::begins>> = true;

/* Work of the format before its rows */
template <class Rows, bool MINUS, int K, class T>
__device__ __forceinline__ void begin_rows(const Rows &A, const FusedProductOf<T> &P, const ProductScalars<T> &now)
{
  if constexpr (product_begins<Rows>) A.template begin<product_threads<Rows, K>>(FusedGather<MINUS, T>{now.input, P.v, now.alpha});
}

/* Size of an array of K sums */
template <int K>
inline constexpr int product_room = K > 0 ? K : 1;

/* Threads of a block that process rows */
template <class Rows, int K>
__host__ __device__ __forceinline__ int product_rows_per_tile(const Rows &A)
{
  constexpr int threads = product_threads<Rows, K>;

  return Rows::cells ? threads - threads % A.block() : threads;
}

/* Tile number k of a product, in descending order if backward */
struct TileOrder {
  int  tiles;
  bool backward;

  HEPTANE_HD int operator()(int k) const { return backward ? tiles - 1 - k : k; }
};

/*
   As product_tiles(), for unit rows. No M is applied, and rows are independent. The compiler makes better code of this
   separate loop: an iteration of BiCGStab is 6 % faster, sellp, b = 1; CG, and bdiagh, within 1 %. H200
*/
template <class Rows, bool MINUS, int K, class T, class Order>
__device__ __forceinline__ int product_unit_tiles(const Rows &A, const FusedProductOf<T> &P, const ProductScalars<T> &now, const Order &order, int k, int end,
                                                  Scalar (&sums)[product_room<K>])
{
  constexpr int                    threads = product_threads<Rows, K>;
  const ProductGather<Rows, MINUS> u       = {now.input, P.v, now.alpha};

  for (; k < end; k += gridDim.x) {
    const unsigned at     = static_cast<unsigned>(order(k)) * threads + threadIdx.x;
    const bool     active = at < static_cast<unsigned>(A.rows());
    const auto     place  = A.locate(at, 0, active);
    if (!active) continue;
    RowOperands o = row_operands<K>(P, now.input, place.row, now.alpha, false);
    RowDiagonal d;
    o.u = d.u = u[place.row];
    Scalar y  = A.multiply(u, place, Rows::no_diagonal, d);
    if (K == 0) y = o.w - y;
    product_row<K>(P, place.row, y, o, sums);
  }
  return k;
}

/* The same for other rows, to which M^-1 may be applied */
template <class Rows, bool MINUS, int K, class T, class Order>
__device__ __forceinline__ int product_plain_tiles(const Rows &A, const FusedProductOf<T> &P, const ProductScalars<T> &now, const Order &order, int k, int end,
                                                   Scalar (&sums)[product_room<K>])
{
  constexpr int  B = Rows::block_size, threads = product_threads<Rows, K>;
  constexpr bool cells = Rows::cells, in_warp = !cells || (B > 0 && 32 % (B > 0 ? B : 1) == 0); /* of every cell */
  /* two buffers alternate, so that one barrier per tile is enough */
  __shared__ Scalar           value[2][in_warp ? 1 : threads];
  const int                   used = product_rows_per_tile<Rows, K>(A), thread = threadIdx.x, i = cells ? thread % A.block() : 0;
  const bool                  matrix_point = Rows::has_diagonal && applies_matrix_diagonal(P.pc, FusedPc::point), point = applies_loaded(P.pc, FusedPc::point);
  const bool                  matrix_blocks = cells && applies_matrix_diagonal(P.pc, FusedPc::blocks), blocks = cells && applies(P.pc, FusedPc::blocks);
  const Scalar                alpha    = now.alpha;
  const T                    *input    = now.input;
  const bool                  passes_u = A.template passes_u<K>();
  int                         turn     = 0;
  const FusedGather<MINUS, T> u        = {input, P.v, alpha};

  for (; k < end; k += gridDim.x) {
    const unsigned at     = static_cast<unsigned>(order(k)) * used + thread;
    const bool     active = thread < used && at < static_cast<unsigned>(A.rows());
    const auto     place  = A.locate(at, i, active);
    Scalar         y      = 0;
    RowOperands    o;
    RowDiagonal    d;
    Scalar         self = 0;

    if (active) {
      o = row_operands<K>(P, input, place.row, alpha, !passes_u);
      if (matrix_blocks) self = u[place.row];
      y = A.multiply(u, place, matrix_blocks ? A.diagonal(place) : Rows::no_diagonal, d);
      if (passes_u && !P.sum_q) o.u = matrix_blocks ? self : d.u;
      if (K == 0) y = o.w - y;
      if (matrix_point) y *= inverse_of_diagonal(d.entry);
      else if (point) y *= P.pc.inverse[place.row];
    }
    if constexpr (cells) {
      if (blocks) {
        y = apply_point_block<B, in_warp>(P.pc, active, place.row, i, y, thread, value[turn], [&] { A.sync_cells(); });
        y += K == 0 ? -self : self;
        turn ^= 1;
      }
    }
    if (active) product_row<K>(P, place.row, y, o, sums);
  }
  return k;
}

/*
   Processes tiles k, k + gridDim.x, ... below end of a product, in the sequence order(k); adds to the thread's sums.
   Returns the first number from end on that belongs to this block. In a caller with several loops each loop has its own
   shared memory, so that no barrier is needed between them.
*/
template <class Rows, bool MINUS, int K, class T, class Order>
__device__ __forceinline__ int product_tiles(const Rows &A, const FusedProductOf<T> &P, const ProductScalars<T> &now, const Order &order, int k, int end,
                                             Scalar (&sums)[product_room<K>])
{
  if constexpr (Rows::unit) return product_unit_tiles<Rows, MINUS, K>(A, P, now, order, k, end, sums);
  else return product_plain_tiles<Rows, MINUS, K>(A, P, now, order, k, end, sums);
}

/* Tiles of all rows */
template <class Rows, int K>
__host__ __device__ __forceinline__ int product_all_tiles(const Rows &A)
{
  const int used = product_rows_per_tile<Rows, K>(A);

  return (A.rows() + used - 1) / used;
}

/*
   Computes  y = M^-1 A u, u = q or q - alpha v, and its sums, at most K; K = 0: the combination of M^-1 (rhs - A u), u
             and old
   Threads   one per row, in the order of storage, in strides of the grid. If M has blocks, tiles are whole cells, whose
             rows are combined within a warp or through shared memory. First, if the format `begins`, its begin().
   Bytes     per row the format's bytes of values and index, sizeof(Scalar) * (vectors read + 1); q and v once each if
             caches hold the rows that neighbours share; M^-1: points 1 scalar more, blocks `block`, and as many values
             of A less if they are own; own points and a folded M^-1 none; K = 0: rhs, and old if there is one
   Order     deterministic: a row as the format's multiply(), then the rows of a thread, threads and blocks in a fixed
             order
*/
template <class Rows, bool MINUS, int K>
__global__ void __launch_bounds__(product_threads<Rows, K>, product_blocks<Rows, K>)
  product_kernel(const __grid_constant__ Rows A, const __grid_constant__ ProductOf<Rows> P, const FusedScalars *S, const FusedReduction red, bool backward)
{
  wait_for_predecessor();
  const auto now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  Scalar          sums[product_room<K>] = {};
  const TileOrder order                 = {product_all_tiles<Rows, K>(A), backward};
  begin_rows<Rows, MINUS, K>(A, P, now);
  product_tiles<Rows, MINUS, K>(A, P, now, order, static_cast<int>(blockIdx.x), order.tiles, sums);
  if constexpr (K > 0) finish_product<product_threads<Rows, K>>(P, sums, red);
}

/* early: the kernel may begin before its predecessor has ended */
template <bool MINUS, int K, class Rows>
cudaError_t launch_product(const Rows &A, const ProductOf<Rows> &P, const FusedScalars *S, const FusedReduction &red, bool early, cudaStream_t stream)
{
  return launch_resident<product_kernel<Rows, MINUS, K>>(blocks_for(A.rows(), product_rows_per_tile<Rows, K>(A)), product_threads<Rows, K>, A.block(), K,
                                                         stream, early, red, A, P, S, red, goes_backward(P));
}

} // namespace heptane

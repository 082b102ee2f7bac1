/*
   Preconditioners as row arithmetic, and the operations on a row of a product: the preconditioner, then the products
   that are summed. Fused kernels, passes after MatMult() and the host share this source. Has no PETSc objects.
*/
#pragma once

#include "../device/bfloat16.hpp"
#include "reduction.hpp"
#include "remainder_rows.hpp"
#include <limits>
#include <type_traits>

namespace heptane
{

/*
   A preconditioner M as row arithmetic, and whether the operator already contains it. Kernels compare form and source
   in their loops, hence both are whole words.
*/
struct FusedPc {
  /* The form of M^-1 */
  enum Form : int {
    none,   /* I */
    point,  /* inverse[row] */
    blocks, /* sum of inverse[s * ld + row] * (component s of the row's cell), s < block */
    called  /* by PCApply() between the passes */
  };
  /* Origin of the inverse */
  enum Source : int {
    given,          /* any M, stored in `inverse` */
    matrix_diagonal /* the operator's diagonal or diagonal blocks: see applies_matrix_diagonal() */
  };
  /* The matrix of the operator */
  enum Matrix : unsigned char {
    plain,      /* A */
    scaled,     /* a copy that contains M^-1, so that no preconditioner is applied: see fold.hpp. M^-1 defines form, block and inverse. */
    scaled_unit /* the same without its unit diagonal: u + (stored part) u */
  };
  Form          form    = none;
  Source        source  = given;
  int           block   = 1;
  Matrix        matrix  = plain;
  bool          z_alone = false; /* point in CG: z = M^-1 r is recurred instead of r; r is computed as z / inverse when needed */
  bool          single  = false; /* scaled, and the copy and the vectors are stored as Single */
  const Scalar *inverse = nullptr;
  std::size_t   ld      = 0;
};

HEPTANE_HD bool is_folded(const FusedPc &pc)
{
  return pc.matrix != FusedPc::plain;
}

/* Whether M^-1 has this form and products have to apply it to their rows */
HEPTANE_HD bool applies(const FusedPc &pc, FusedPc::Form form)
{
  return pc.form == form && !is_folded(pc);
}

/*
   M^-1 is built from the plain matrix that is multiplied. point: 1 / A(row, row), or 1 if that entry is 0; nothing is
   loaded. blocks: `inverse` holds the inverses of the diagonal blocks D. It is loaded instead of D, as M^-1 A u = u +
   M^-1 (A - D) u.
*/
HEPTANE_HD bool applies_matrix_diagonal(const FusedPc &pc, FusedPc::Form form)
{
  return pc.form == form && pc.source == FusedPc::matrix_diagonal;
}

/* `inverse` is loaded in addition to the whole matrix */
HEPTANE_HD bool applies_loaded(const FusedPc &pc, FusedPc::Form form)
{
  return applies(pc, form) && pc.source == FusedPc::given;
}

/* Row of M^-1 y with block inverses; cell: the components of the row's cell */
HEPTANE_HD Scalar pc_block_row(const FusedPc &pc, std::size_t row, const Scalar *cell)
{
  Scalar z = 0;
  for (int s = 0; s < pc.block; s++) z += pc.inverse[s * pc.ld + row] * cell[s];
  return z;
}

/* Row of M^-T y */
HEPTANE_HD Scalar pc_block_row_transpose(const FusedPc &pc, std::size_t row, const Scalar *cell)
{
  const int         i     = static_cast<int>(row % pc.block);
  const std::size_t first = row - i;
  Scalar            z     = 0;
  for (int s = 0; s < pc.block; s++) z += pc.inverse[i * pc.ld + first + s] * cell[s];
  return z;
}

/*
   Own blocks: M^-1 D may differ from I by so much; what a product with inverses of well-conditioned blocks is off by in
   any case
*/
inline constexpr Real block_inverse_tolerance = 1000 * std::numeric_limits<Real>::epsilon();

/* What PCJACOBI makes of a diagonal entry */
HEPTANE_HD Scalar inverse_of_diagonal(Scalar d)
{
  return d == Scalar(0) ? Scalar(1) : Scalar(1) / d;
}

/*
   The set of sums that a product computes: of y with u, with itself and with w, and of w with u. They are stored
   contiguously in this order. Kernels are compiled for no sum, for one with y, and for all four; a product that
   combines has a kernel of its own, K = 0.
*/
enum ProductSums : int { no_sums = 0, sum_yu = 1, sum_yy = 2, sum_wy = 4, sum_wu = 8, all_sums = 15 };

HEPTANE_HD constexpr int number_of(ProductSums set)
{
  return (set & 1) + (set >> 1 & 1) + (set >> 2 & 1) + (set >> 3 & 1);
}

/*
   A product without sums stores of_r M^-1 (rhs - A u) + of_u u + of_old old instead of y. M = I and of_r = 1 yield a
   residual; smoothers add to u. The launch sets the factors; they are not scalars of the solve.
*/
struct ProductCombination {
  const Scalar *rhs  = nullptr; /* null: y itself is stored */
  const Scalar *old  = nullptr; /* may be the vector that is written; null: of_old is 0 */
  Scalar        of_r = 1, of_u = 0, of_old = 0;
};

template <class V>
HEPTANE_HD V combine_row(const ProductCombination &c, const V &r, const V &u, const V &old)
{
  return c.of_r * r + c.of_u * u + c.of_old * old;
}

struct PeerHalo;

/* Rows [first, end) */
struct RowRun {
  int first = 0, end = 0;
};

/*
   Rows with many columns of other processes, such as rows of wells, which have such columns in each plane. One warp
   adds sum k of `count`, over the entries from[k] .. from[k + 1] - 1 of FusedHalo::rows, and stores it as
   peer_local_word(). The row itself keeps one entry, which reads that word.
*/
struct HaloShared {
  const int *from  = nullptr;
  int        count = 0;
};

/* The off-rank contribution to the rows of a product */
struct FusedHalo {
  RemainderRows   rows;            /* columns are elements of ghost */
  const Scalar   *ghost = nullptr; /* on the host: the received values of u */
  const PeerHalo *peers = nullptr; /* on the device: the exchange of u, for the launch of the product; null: no columns of other processes */
  RowRun          free;            /* the longest run of rows without such columns */
  HaloShared      shared;          /* on the device */
};

/* Storage type of FusedProductOf::w: 16 bits with vectors of Singles, as its sums are defined by the stored values */
template <class T>
using OperandOf = std::conditional_t<std::is_same_v<T, Scalar>, Scalar, BFloat16>;

/*
   T: storage type of the vectors. In single precision A is a scaled copy and nothing is combined. A copy stored as
   Single also multiplies vectors of Scalars if the product combines.
   y = M^-1 A u and its sums (own blocks: M^-1 (A - D) u, to which u is added last; folded: y = A u of a scaled A). It
   reads the scalars and sums of earlier passes and changes no scalars: the next pass of the method does that.
*/
template <class T>
struct FusedProductOf {
  const T *q = nullptr, *v = nullptr;                   /* u = q - alpha v; u = q if v is null */
  const T *other_q[PassTuning::cg_directions - 1] = {}; /* vectors that alternate with q, see input_of() */
  /* alpha = *alpha, or *alpha / (the sum *divisor) if divisor is not null; in the memory space of the vectors */
  const Scalar *alpha = nullptr, *divisor = nullptr;
  const Scalar *square = nullptr;                  /* a sum: see is_stopped(); null: no norm is left to test */
  const T      *sum_q = nullptr, *sum_v = nullptr; /* the sums use u = sum_q - alpha sum_v instead (right preconditioning); null: the same u */
  T            *y = nullptr;
  FusedPc       pc;
  ProductSums   sums     = no_sums;
  int           at       = 0;     /* position of the sums: see publish_sums() */
  bool          backward = false; /* from the last rows to the first, for the caches: see goes_backward() */

  const OperandOf<T> *w = nullptr;

  FusedHalo halo; /* set by the operator */

  ProductCombination combine; /* if set there are no sums, and v is null */
};
using FusedProduct = FusedProductOf<Scalar>;

template <class T>
HEPTANE_HD bool combines(const FusedProductOf<T> &P)
{
  return P.combine.rhs != nullptr;
}

/*
   Operands of the sums or the combination of a row in addition to y. Loaded before the product, so that the loads
   overlap. w: the right-hand side if the product combines.
*/
struct RowOperands {
  Scalar u = 0, w = 0, old = 0;
};

/* FusedProduct::q of this iteration */
template <class T>
HEPTANE_HD const T *input_of(const FusedProductOf<T> &P, const FusedScalars &S)
{
  return S.input == 0 ? P.q : pick(P.other_q, S.input - 1);
}

/* Scalars of a product, and the sums of earlier passes that it reads */
template <class T>
struct ProductScalars {
  bool     still; /* there is no work */
  Scalar   alpha;
  const T *input; /* see input_of() */
};

template <class T>
HEPTANE_HD Scalar alpha_of(const FusedProductOf<T> &P)
{
  const Scalar divisor = P.divisor ? sum_of_pass(P.divisor) : Scalar(1), dividend = load_here(P.alpha);

  return P.divisor ? dividend / divisor : dividend;
}

/* For sums in the memory space of the vectors: not for several processes */
template <class T>
HEPTANE_HD ProductScalars<T> product_scalars(const FusedProductOf<T> &P, const FusedScalars &S, bool with_alpha)
{
  const Scalar square = P.square ? sum_of_pass(P.square) : Scalar(0), alpha = with_alpha ? alpha_of(P) : Scalar(0);

  return {is_stopped(S, P.square, square), alpha, input_of(P, S)};
}

/* K sums, 0: the product combines. input: see input_of(). load_u: multiply() does not return u of the row itself */
template <int K, class T>
HEPTANE_HD RowOperands row_operands(const FusedProductOf<T> &P, const T *input, std::size_t row, Scalar alpha, bool load_u = true)
{
  const T    *q = P.sum_q ? P.sum_q : input, *v = P.sum_q ? P.sum_v : P.v;
  RowOperands o;

  if constexpr (K == 0) {
    if (load_u && P.combine.of_u != Scalar(0)) o.u = input[row];
    o.w = P.combine.rhs[row];
    if (P.combine.old) o.old = P.combine.old[row];
  }
  if ((load_u || P.sum_q) && (K == 4 || (K == 1 && P.sums == sum_yu))) o.u = v ? q[row] - alpha * v[row] : q[row];
  if (P.w && (K == 4 || (K == 1 && P.sums == sum_wy))) o.w = P.w[row];
  return o;
}

/* Stores y of the row, already preconditioned, and adds to the sums; K = 0: y is of the residual, and is combined */
template <int K, class T>
HEPTANE_HD void product_row(const FusedProductOf<T> &P, std::size_t row, Scalar y, const RowOperands &o, Scalar sums[])
{
  P.y[row] = K == 0 ? combine_row(P.combine, y, o.u, o.old) : y;
  if constexpr (K == 1) sums[0] += (P.sums == sum_yu ? o.u : o.w) * y;
  if constexpr (K == 4) {
    sums[0] += y * o.u;
    sums[1] += y * y;
    sums[2] += o.w * y;
    sums[3] += o.w * o.u;
  }
}

/*
   Calls f(minus, K), integral constants, for the instance of this product, which does not combine; minus: u = q - alpha
   v; room for K sums
*/
template <class T, class F>
auto with_product(const FusedProductOf<T> &P, F &&f)
{
  using std::integral_constant;
  if (P.v) return f(integral_constant<bool, true>(), integral_constant<int, 4>());
  if (number_of(P.sums) > 1) return f(integral_constant<bool, false>(), integral_constant<int, 4>());
  return f(integral_constant<bool, false>(), integral_constant<int, 1>());
}

} // namespace heptane

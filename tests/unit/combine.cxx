/*
   Products that combine their result with other vectors, on the host and row by row as kernels do it, and the pass that does it after MatMult(), against the definition; the
   scalars of Chebyshev iteration.
*/
#include "line_of_cells.hpp"
#include "ksp/fusedchebyshev/steps.hpp"
#include "pass/product/product_host.hpp"

namespace
{

FusedPc preconditioner(const Line &A, const Vector &inverse, FusedPc::Form form, FusedPc::Source source)
{
  FusedPc pc;

  pc.form    = form;
  pc.source  = source;
  pc.block   = form == FusedPc::point ? 1 : A.b;
  pc.inverse = inverse.data();
  pc.ld      = A.n;
  return pc;
}

Vector preconditioned(const FusedPc &pc, const Vector &r)
{
  Vector z = r;

  for (std::size_t i = 0; i < r.size(); i++) {
    if (pc.form == FusedPc::point) z[i] = pc.inverse[i] * r[i];
    if (pc.form == FusedPc::blocks) z[i] = pc_block_row(pc, i, r.data() + i - i % pc.block);
  }
  return z;
}

void expect_near(const Vector &a, const Vector &b, const char *what)
{
  for (std::size_t i = 0; i < b.size(); i++) ASSERT_NEAR(a[i], b[i], 500 * std::numeric_limits<Scalar>::epsilon()) << what << ", row " << i;
}

/* What a thread of the fused product does with its row; blocks after all rows have got as far */
Vector as_kernels_do(const Line &A, const FusedProduct &P)
{
  const bool own = applies_matrix_diagonal(P.pc, FusedPc::blocks);
  Vector     r(A.n), y = {P.y, P.y + A.n};

  for (int i = 0; i < A.n; i++) r[i] = row_operands<0>(P, P.q, i, 0).w - A.row(P.q, i, own);
  Vector z = preconditioned(P.pc, r);
  for (int i = 0; i < A.n; i++) product_row<0>(P, i, own ? z[i] - P.q[i] : z[i], row_operands<0>(P, P.q, i, 0), nullptr);
  std::swap_ranges(y.begin(), y.end(), P.y); /* y as it was */
  return y;
}

} // namespace

TEST(Combine, ProductsAndPassesAgainstTheDefinition)
{
  for (int b : {1, 3, 8})
    for (int cells : {0, 1, 2, 3, 32, 33})
      for (const FusedPc::Form form : {FusedPc::none, FusedPc::point, FusedPc::blocks})
        for (int variant = 0; variant < (form == FusedPc::blocks ? 4 : 2); variant++) {
          const bool        with_old = variant % 2;
          const Line        A        = {cells * b, b};
          const std::size_t n        = A.n;
          Vector            inverse  = inverses(A);
          for (int i = 0; form == FusedPc::point && i < A.n; i++) inverse[i] = 1 / A.entry(i, i);
          const Vector u = random_vector(n, 1), rhs = random_vector(n, 2), old = random_vector(n, 3);
          Vector       y = old, w(n), r(n), expected(n);
          Scalar       nothing[4];
          FusedProduct P;
          P.q            = u.data();
          P.y            = y.data();
          P.pc           = preconditioner(A, inverse, form, variant / 2 ? FusedPc::matrix_diagonal : FusedPc::given);
          P.combine.rhs  = rhs.data();
          P.combine.of_r = Scalar(1.25);
          P.combine.of_u = Scalar(0.75);
          if (with_old) P.combine.old = y.data(), P.combine.of_old = Scalar(-0.5);
          for (int i = 0; i < A.n; i++) w[i] = A.row(u.data(), i, false), r[i] = rhs[i] - w[i];
          r = preconditioned(P.pc, r);
          for (std::size_t i = 0; i < n; i++) expected[i] = Scalar(1.25) * r[i] + Scalar(0.75) * u[i] - (with_old ? Scalar(0.5) * old[i] : Scalar(0));

          expect_near(as_kernels_do(A, P), expected, "rows");
          product_host(A, P, nothing);
          expect_near(y, expected, "host");

          y           = old;
          P.pc.source = FusedPc::given; /* after a product with all of A */
          run_step_host(CombineStep(P, w.data()), n, form == FusedPc::blocks, b, FusedScalars(), nullptr);
          expect_near(y, expected, "after the product");
        }
}

/* A scaled copy without its unit diagonal: u is added to its product; rhs may be the vector that is multiplied, or the old one */
TEST(Combine, WithACopyWithoutItsUnitDiagonal)
{
  for (int b : {1, 3})
    for (int cells : {0, 1, 2, 33})
      for (int rhs_is : {0, 1, 2}) { /* a vector of its own, u, old */
        const Line        A = {cells * b, b};
        const std::size_t n = A.n;
        const Vector      u = random_vector(n, 1), own = random_vector(n, 2), old = random_vector(n, 3);
        const Vector     &rhs = rhs_is == 0 ? own : rhs_is == 1 ? u : old;
        Vector            y(n), expected(n);
        Scalar            nothing[4];
        FusedProduct      P;

        P.q              = u.data();
        P.y              = y.data();
        P.pc.form        = FusedPc::blocks; /* in the copy */
        P.pc.block       = b;
        P.pc.matrix      = FusedPc::scaled_unit;
        P.combine.rhs    = rhs.data();
        P.combine.of_r   = Scalar(1.25);
        P.combine.of_u   = Scalar(0.75);
        P.combine.old    = old.data();
        P.combine.of_old = Scalar(-0.5);
        for (int i = 0; i < A.n; i++) expected[i] = Scalar(1.25) * (rhs[i] - u[i] - A.row(u.data(), i, false)) + Scalar(0.75) * u[i] - Scalar(0.5) * old[i];
        product_host(A, P, nothing);
        expect_near(y, expected, "host");
      }
}

TEST(Combine, ReadsNothingThatDoesNotCount)
{
  const Vector r = random_vector(33, 1);
  Vector       y(33, std::numeric_limits<Scalar>::quiet_NaN());
  FusedProduct P;

  P.y            = y.data();
  P.combine.of_r = 2;
  run_step_host(CombineStep(P, r.data()), y.size(), false, 1, FusedScalars(), nullptr);
  for (std::size_t i = 0; i < y.size(); i++) EXPECT_EQ(y[i], 2 * r[i]);
}

/* The coefficients are those of c_k+1 = 2 mu c_k - c_k-1 while c does not overflow, and numbers after that */
TEST(Combine, ChebyshevCoefficients)
{
  ChebyshevScalars S = running<ChebyshevScalars>();
  double           c[2];

  chebyshev_start(S, Real(0.5), Real(1.5));
  EXPECT_NEAR(S.scale, 1, tolerance(1));
  chebyshev_next(S);
  EXPECT_EQ(S.omega, Scalar(1));
  c[0] = 1;
  c[1] = 1 / (1 - double(S.scale) * 0.5);
  for (int k = 1; k < 5000; k++) {
    const double mu = 2, next = 2 * mu * c[1] - c[0];

    chebyshev_next(S);
    if (k < 100) {
      EXPECT_NEAR(S.omega, 2 * mu * c[1] / next, tolerance(10)) << k;
    }
    c[0] = c[1];
    c[1] = next;
  }
  EXPECT_TRUE(is_finite(S.omega));
  EXPECT_EQ(S.made, 5000);
}

/* A norm that is no number ends it with the count of PETSc's loop, which is one ahead until the last iteration; the last one ends it anyway */
TEST(Combine, ChebyshevStopsAtNumbersThatAreNone)
{
  for (int last : {1, 2, 9}) {
    ChebyshevScalars S = running<ChebyshevScalars>(), T;

    S.last = last;
    T      = S;
    while (T.stop == FusedStop::no) chebyshev_after_norm(T, 4);
    EXPECT_EQ(T.stop, FusedStop::limit);
    EXPECT_EQ(T.it, last);
    chebyshev_after_norm(S, std::numeric_limits<Scalar>::quiet_NaN());
    EXPECT_EQ(S.stop, FusedStop::norm);
    EXPECT_EQ(S.its, std::min(2, last));
    EXPECT_EQ(S.it, 0);
  }
}

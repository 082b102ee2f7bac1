/*
   A preconditioner in a product on the host, against plain loops: whatever its form, its source and the matrix that it comes with.
*/
#include "fused_vectors.hpp"
#include "pass/product_host.hpp"
#include "pass/step_cost.hpp"
#include <gtest/gtest.h>

using namespace heptane;

namespace
{

constexpr int cells = 7;

/* A dense matrix as a format gives it to product_host(): its diagonal blocks are block diagonal 0 */
struct DenseRows {
  static constexpr int no_diagonal = -1;
  int                  n, block;
  const Vector        &a;

  int  rows() const { return n; }
  int  tile() const { return 2 * block; }
  int  diagonal() const { return 0; }
  void multiply(const Scalar *x, int first, int last, int skip, Scalar *y) const
  {
    for (int i = first; i < last; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++)
        if (skip != 0 || i / block != j / block) y[i] += a[i * n + j] * x[j];
    }
  }
};

/* The matrix, whose diagonal blocks are diagonal, with the inverses of these as they are loaded, by points and by blocks */
struct System {
  int    n, block;
  Vector a, points, blocks;

  explicit System(int b) : n(cells * b), block(b), a(random_vector(n * n, 1)), points(n), blocks(n * b)
  {
    for (int i = 0; i < n; i++) {
      for (int j = i / b * b; j < i / b * b + b; j++) a[i * n + j] = i == j ? Scalar(2 + i % 3) : Scalar(0);
      points[i]             = 1 / a[i * n + i];
      blocks[i % b * n + i] = points[i];
    }
  }
  FusedPc pc(FusedPc::Form form, FusedPc::Source source, FusedPc::Matrix matrix) const
  {
    FusedPc pc;

    pc.form    = form;
    pc.source  = source;
    pc.matrix  = matrix;
    pc.block   = form == FusedPc::blocks ? block : 1;
    pc.inverse = form == FusedPc::blocks ? blocks.data() : points.data();
    pc.ld      = n;
    return pc;
  }
};

/* y = scale A u + self u */
void check(const System &s, const FusedPc &pc, bool scale, bool self)
{
  const Vector u = random_vector(s.n, 2);
  Vector       y(s.n);
  Scalar       sums[4] = {};
  double       yu      = 0;
  FusedProduct P;

  P.q    = u.data();
  P.y    = y.data();
  P.pc   = pc;
  P.sums = sum_yu;
  product_host(DenseRows{s.n, s.block, s.a}, P, sums);
  for (int i = 0; i < s.n; i++) {
    double au = 0;

    for (int j = 0; j < s.n; j++) au += s.a[i * s.n + j] * u[j];
    const double expected = (scale ? s.points[i] : 1) * au + (self ? u[i] : 0);
    EXPECT_NEAR(y[i], expected, tolerance(s.n)) << "row " << i;
    yu += expected * u[i];
  }
  EXPECT_NEAR(sums[0], yu, tolerance(s.n * s.n));
}

TEST(Pc, IsAppliedToTheRowsOfAProduct)
{
  for (int b : {1, 2, 3, 8}) {
    const System s(b);

    check(s, s.pc(FusedPc::none, FusedPc::given, FusedPc::plain), false, false);
    check(s, s.pc(FusedPc::point, FusedPc::given, FusedPc::plain), true, false);
    check(s, s.pc(FusedPc::blocks, FusedPc::given, FusedPc::plain), true, false);
    check(s, s.pc(FusedPc::blocks, FusedPc::own, FusedPc::plain), true, false);
  }
}

/* A folded preconditioner keeps its form and its inverses, and products leave them alone */
TEST(Pc, IsNotAppliedAgainToAScaledMatrix)
{
  for (int b : {1, 2, 3, 8}) {
    const System s(b);

    for (FusedPc::Form form : {FusedPc::point, FusedPc::blocks}) {
      check(s, s.pc(form, FusedPc::given, FusedPc::scaled), false, false);
      check(s, s.pc(form, FusedPc::given, FusedPc::scaled_unit), false, true);
    }
  }
}

TEST(Pc, CostsWhatIsLoadedBesideTheMatrix)
{
  const System s(3);
  const auto   scalars = [&](auto... fields) { return pc_scalars(s.pc(fields...)); };
  const auto   flops   = [&](auto... fields) { return pc_flops(s.pc(fields...)); };

  EXPECT_EQ(scalars(FusedPc::none, FusedPc::given, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::called, FusedPc::given, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::point, FusedPc::given, FusedPc::plain), 1);
  EXPECT_EQ(scalars(FusedPc::point, FusedPc::own, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::blocks, FusedPc::given, FusedPc::plain), 3);
  EXPECT_EQ(scalars(FusedPc::blocks, FusedPc::own, FusedPc::plain), 0);
  EXPECT_EQ(flops(FusedPc::point, FusedPc::own, FusedPc::plain), 1);
  EXPECT_EQ(flops(FusedPc::blocks, FusedPc::own, FusedPc::plain), 6);
  for (FusedPc::Matrix matrix : {FusedPc::scaled, FusedPc::scaled_unit})
    for (FusedPc::Form form : {FusedPc::point, FusedPc::blocks}) {
      EXPECT_EQ(scalars(form, FusedPc::given, matrix), 0);
      EXPECT_EQ(flops(form, FusedPc::given, matrix), 0);
    }
}

} // namespace

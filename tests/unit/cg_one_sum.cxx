/*
   CG with one sum per iteration: its scalars, and the recurrences of the persistent kernels on a small matrix, against CG in the order of PETSc.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedcg/one_sum.hpp"
#include <functional>

namespace
{

constexpr int  n        = 300;
constexpr bool wide     = std::is_same_v<Scalar, double>;
constexpr Real rounding = std::numeric_limits<Scalar>::epsilon();

/* Symmetric, with coefficients between 1 and 1000 and main diagonals of their size */
struct Problem {
  Vector diagonal = Vector(n), next = Vector(n), inverse = Vector(n), b = Vector(n);

  Problem()
  {
    Vector between(n + 1);

    for (int i = 0; i <= n; i++) between[i] = std::pow(Scalar(10), Scalar(i * 37 % 100) / Scalar(33));
    for (int i = 0; i < n; i++) {
      next[i]     = -between[i + 1];
      diagonal[i] = between[i] + between[i + 1] + Scalar(0.05);
      inverse[i]  = 1 / diagonal[i];
      b[i]        = Scalar(i * 29 % 31) - 15;
    }
  }
  Scalar times(const Vector &u, int i) const { return diagonal[i] * u[i] + (i + 1 < n ? next[i] * u[i + 1] : 0) + (i > 0 ? next[i - 1] * u[i - 1] : 0); }
};

struct State {
  Vector    x = Vector(n), r, p = Vector(n);
  CgScalars S = running<CgScalars>();

  explicit State(const Problem &A) : r(A.b)
  {
    Scalar zr = 0;
    for (int i = 0; i < n; i++) zr += A.inverse[i] * r[i] * r[i];
    S.norm = FusedNorm::natural;
    S.b    = 0;
    S.last = 5000;
    cg_start(S, zr, zr);
  }
};

/* What a launch of the kernel does, from one state in which iterations end to another. before: each sum */
void launch(
  const Problem &A, State &V, const std::function<void(Scalar *)> &change = [](Scalar *) {})
{
  Vector     z(n), s(n), t(n), w(n);
  CgScalars &S     = V.S;
  const int  first = S.it;
  Scalar     dpi   = 0;

  for (int i = 0; i < n; i++) {
    z[i]   = A.inverse[i] * V.r[i];
    V.p[i] = z[i] + S.b * V.p[i];
  }
  for (int i = 0; i < n; i++) {
    s[i] = A.times(V.p, i);
    t[i] = A.inverse[i] * s[i];
    dpi += V.p[i] * s[i];
  }
  cg_after_product(S, dpi);
  while (S.stop == FusedStop::no) {
    Scalar sums[cg_one_sums] = {0, 0, 0, 0};

    for (int i = 0; i < n; i++) {
      V.x[i] += S.a * V.p[i];
      V.r[i] -= S.a * s[i];
      z[i] -= S.a * t[i];
    }
    for (int i = 0; i < n; i++) {
      w[i] = A.times(z, i);
      sums[cg_one_zr] += z[i] * V.r[i];
      sums[cg_one_nn] += z[i] * z[i];
      sums[cg_one_zw] += z[i] * w[i];
      sums[cg_one_drift] += std::fabs((z[i] - A.inverse[i] * V.r[i]) * V.r[i]);
    }
    change(sums);
    cg_after_one_sum(S, sums, S.it == first);
    if (S.stop != FusedStop::no) break;
    for (int i = 0; i < n; i++) {
      V.p[i] = z[i] + S.b * V.p[i];
      s[i]   = w[i] + S.b * s[i];
      t[i]   = A.inverse[i] * w[i] + S.b * t[i];
    }
  }
}

/* An iteration with two sums, from such a state */
void iterate(const Problem &A, State &V)
{
  Scalar dpi = 0, zr = 0;
  Vector w(n);

  for (int i = 0; i < n; i++) V.p[i] = A.inverse[i] * V.r[i] + V.S.b * V.p[i];
  for (int i = 0; i < n; i++) {
    w[i] = A.times(V.p, i);
    dpi += V.p[i] * w[i];
  }
  cg_after_product(V.S, dpi);
  for (int i = 0; i < n; i++) {
    V.x[i] += V.S.a * V.p[i];
    V.r[i] -= V.S.a * w[i];
    zr += A.inverse[i] * V.r[i] * V.r[i];
  }
  cg_after_residual(V.S, zr, zr);
}

Real true_residual(const Problem &A, const State &V)
{
  Real sum = 0;

  for (int i = 0; i < n; i++) {
    const Real d = A.b[i] - A.times(V.x, i);
    sum += d * d;
  }
  return std::sqrt(sum);
}

/* Launches until the norm is so much of the first; how many */
int solve(const Problem &A, State &V, Real reduction)
{
  int launches = 0;

  V.S.test      = 1;
  V.S.converged = V.S.dp * reduction;
  for (; launches < 5000 && V.S.stop != FusedStop::test; launches++) {
    V.S.stop = FusedStop::no;
    launch(A, V);
    if (V.S.stop != FusedStop::test && V.S.stop != FusedStop::limit) break;
  }
  return launches;
}

TEST(CgOneSum, IsConjugateGradients)
{
  const Problem A;
  State         two(A);

  for (int it = 1; it <= 20; it++) {
    State again(A);

    again.S.last = it;
    launch(A, again);
    iterate(A, two);
    EXPECT_EQ(again.S.it, it);
    EXPECT_EQ(again.S.stop, FusedStop::limit);
    EXPECT_NEAR(again.S.dp, two.S.dp, 20000 * rounding * two.S.dp) << "iteration " << it;
  }
}

/* As many iterations as with two sums, and a residual that is true; in single precision as far as that goes before directions are formed anew */
TEST(CgOneSum, Converges)
{
  const Problem A;
  State         one(A), two(A);
  const Real    first = true_residual(A, one), reduction = wide ? 1e-8 : 1e-2;

  two.S.test      = 1;
  two.S.converged = two.S.dp * reduction;
  while (two.S.stop == FusedStop::no) iterate(A, two);
  EXPECT_LE(solve(A, one, reduction), 2);
  EXPECT_EQ(one.S.stop, FusedStop::test);
  EXPECT_NEAR(one.S.it, two.S.it, 2 + two.S.it / 20);
  EXPECT_LE(true_residual(A, one), 100 * reduction * first);
}

/* z that drifts from M^-1 r is formed anew: the recurred norm falls as far as it is asked to */
TEST(CgOneSum, FallsFurtherThanRounding)
{
  const Problem A;
  State         V(A);
  const int     launches = solve(A, V, wide ? 1e-24 : 1e-10);

  EXPECT_EQ(V.S.stop, FusedStop::test);
  EXPECT_GE(launches, 2);
  EXPECT_LE(launches, 40);
}

TEST(CgOneSum, StopsForWhatIsNotToBeTrusted)
{
  const Scalar nan   = std::numeric_limits<Scalar>::quiet_NaN();
  CgScalars    begin = running<CgScalars>();

  begin.norm = FusedNorm::natural;
  begin.beta = 4;
  cg_after_product(begin, 8);
  const auto after = [&](Scalar zw, Scalar drift, bool first = false) {
    CgScalars    S                 = begin;
    const Scalar sums[cg_one_sums] = {2, 2, zw, drift};
    cg_after_one_sum(S, sums, first);
    EXPECT_EQ(S.it, 1);
    EXPECT_EQ(S.b, Scalar(first && S.stop != FusedStop::no ? 0 : 0.5));
    EXPECT_EQ(S.beta, Scalar(2));
    return S;
  };
  CgScalars S = after(6, 0); /* 6 - 8 / 4 */
  EXPECT_EQ(S.stop, FusedStop::no);
  EXPECT_EQ(S.dpi, Scalar(4));
  EXPECT_EQ(S.a, Scalar(0.5));
  EXPECT_EQ(S.pending[0], Scalar(0.5));
  for (Scalar zw : {Scalar(2), Scalar(2.001), Scalar(1), Scalar(-6), nan, std::numeric_limits<Scalar>::infinity()}) {
    S = after(zw, 0);
    EXPECT_EQ(S.stop, FusedStop::limit) << zw;
    EXPECT_EQ(S.its, 1);
    EXPECT_EQ(S.dpi, Scalar(8)) << "that of the last step, for the sign of the next";
    EXPECT_FALSE(x_is_incomplete(S));
  }
  EXPECT_EQ(after(6, Scalar(0.001)).stop, FusedStop::no);
  EXPECT_EQ(after(6, Scalar(0.01)).stop, FusedStop::limit);
  EXPECT_EQ(after(6, nan).stop, FusedStop::limit);
  EXPECT_EQ(after(6, 0, true).stop, FusedStop::no);
  EXPECT_EQ(after(-6, 0, true).stop, FusedStop::limit); /* the next direction is z */
}

/* A step that sums spoil is not taken, and the solve is none the worse */
TEST(CgOneSum, GoesOnBehindSpoiltSums)
{
  const Problem A;
  State         V(A), right(A);
  int           sums = 0;

  launch(A, V, [&](Scalar *all) {
    if (++sums == 10) all[cg_one_zw] = 0;
  });
  EXPECT_EQ(V.S.stop, FusedStop::limit);
  EXPECT_EQ(V.S.it, 10);
  V.S.stop = FusedStop::no;
  V.S.last = right.S.last = 20;
  launch(A, V);
  launch(A, right);
  EXPECT_EQ(V.S.it, 20);
  EXPECT_NEAR(V.S.dp, right.S.dp, (wide ? 1e-9 : 1e-2) * right.S.dp);
}

} // namespace

/*
   Chebyshev iteration in mixed precision: its passes against iterates by the three-term recurrence in double precision, and the way to the solution and back.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedchebyshev/mixed.hpp"

namespace
{

constexpr double rounding = std::is_same_v<Scalar, double> ? 1e-6 : 1e-4; /* of numbers of order one, stored as Single and added a few times */

/* Neighbours in a line, and the inverse diagonal */
struct Chain {
  int    n;
  Vector inverse;

  explicit Chain(int rows) : n(rows), inverse(rows)
  {
    for (int i = 0; i < n; i++) inverse[i] = Scalar(1) / diagonal(i);
  }
  static Scalar diagonal(int i) { return Scalar(3 + i % 4); }
  template <class T>
  double row(const std::vector<T> &x, int i) const
  {
    return diagonal(i) * double(x[i]) - (i ? double(x[i - 1]) : 0) - (i + 1 < n ? 0.5 * double(x[i + 1]) : 0);
  }
};

/* Vectors of the recurrences, in one piece each */
struct Vectors {
  std::vector<Single> z, d, w, y, weight;
  ChebyshevSingles    all;

  explicit Vectors(int n, Single value = std::numeric_limits<Single>::quiet_NaN()) : z(n, value), d(z), w(z), y(z), weight(z)
  {
    all = {z.data(), d.data(), w.data(), y.data(), weight.data()};
  }
};

/* A solve with the norm of z, or of r = z / inverse, and the same by iterates, each from its definition */
struct Solve {
  static constexpr int n = 33;
  const bool           of_r;
  const Chain          A{n};
  const Vector         b = random_vector(n, 1);
  Vector               x = random_vector(n, 2), now = x, before = Vector(n), z = Vector(n);
  double               norm = 0; /* squared */
  Vectors              v{n};
  Scalar               sums[2] = {};
  ChebyshevScalars     S       = running<ChebyshevScalars>(), exact;

  explicit Solve(bool norm_of_r) : of_r(norm_of_r)
  {
    chebyshev_start(S, Real(0.4), Real(1.6));
    chebyshev_next(S);
    exact = S;
    Residual(x);
    Round(ChebyshevRound::starts, S.scale);
    EXPECT_NEAR(sums[0], norm, rounding * norm);
    S.settled = 1;
  }
  /* z of that vector, and its norm */
  void Residual(const Vector &u)
  {
    norm = 0;
    for (int i = 0; i < n; i++) {
      const double r = b[i] - A.row(u, i);
      z[i]           = static_cast<Scalar>(r * A.inverse[i]);
      norm += of_r ? r * r : double(z[i]) * z[i];
    }
  }
  void Round(ChebyshevRound::How how, Scalar step)
  {
    run_step_host(ChebyshevRound(z.data(), of_r ? A.inverse.data() : nullptr, v.all, step, how), n, false, 1, S, sums);
  }
  /* Iteration k of both; z becomes that of the iterate */
  void Iterate(int k)
  {
    const ChebyshevSingleStep step(v.all, of_r);
    Vector                    next(n);
    Real                      history[8];

    Residual(now);
    for (int i = 0; i < n; i++) next[i] = exact.omega * (now[i] + exact.scale * z[i]) + (Scalar(1) - exact.omega) * before[i];
    before = now;
    now    = next;
    chebyshev_next(exact);
    for (int i = 0; i < n; i++) v.w[i] = static_cast<Single>(A.inverse[i] * A.row(v.d, i));
    advance_host(step, S, sums, history, 8);
    ASSERT_EQ(S.it, k - 1);
    run_step_host(step, n, false, 1, S, sums);
    Residual(now);
  }
  void Compare(int k) const
  {
    EXPECT_NEAR(sums[0], norm, rounding * (1 + norm)) << k;
    for (int i = 0; i < n; i++) {
      EXPECT_NEAR(double(x[i]) + double(v.y[i]), now[i], rounding) << k;
      EXPECT_NEAR(v.z[i], z[i], rounding) << k;
    }
  }
};

TEST(ChebyshevSingle, FollowsTheIterates)
{
  for (bool of_r : {false, true}) {
    Solve solve(of_r);

    for (int k = 1; k <= 12; k++) {
      solve.Iterate(k);
      solve.Compare(k);
    }
  }
}

/* An update: the residual in double precision is another one than that of the recurrences, as if these had lost 1e-3 of it */
TEST(ChebyshevSingle, GoesOnWithAnotherResidual)
{
  for (int behind : {1, 2, 7})
    for (bool keeps : {false, true}) {
      Solve             solve(behind == 2);
      ChebyshevScalars &S = solve.S;

      for (int k = 1; k <= behind; k++) solve.Iterate(k);
      run_step_host(AddCorrectionStep(solve.v.y.data(), solve.x.data(), nullptr), Solve::n, false, 1, S, nullptr);
      solve.Residual(solve.x);
      for (Scalar &zi : solve.z) zi += Scalar(1e-3);
      solve.Round(keeps ? ChebyshevRound::keeps : ChebyshevRound::restarts, keeps ? S.omega * S.scale : S.scale);
      for (int i = 0; i < Solve::n; i++) {
        const double last = double(solve.now[i]) - solve.before[i], omega = solve.exact.omega;

        EXPECT_EQ(solve.v.z[i], static_cast<Single>(solve.z[i]));
        EXPECT_EQ(solve.v.y[i], Single(0));
        EXPECT_NEAR(solve.v.d[i], keeps ? (omega - 1) * last + omega * S.scale * solve.z[i] : S.scale * solve.z[i], rounding);
      }
    }
}

/* The coefficients begin anew as they began */
TEST(ChebyshevSingle, CoefficientsBeginAnew)
{
  ChebyshevScalars S = running<ChebyshevScalars>(), T;

  chebyshev_start(S, Real(0.4), Real(1.6));
  chebyshev_next(S);
  T = S;
  for (int k = 0; k < 9; k++) chebyshev_next(T);
  chebyshev_restart(T);
  for (int k = 0; k < 9; k++) {
    EXPECT_EQ(T.made, S.made);
    EXPECT_NEAR(T.omega, S.omega, tolerance(1));
    chebyshev_next(S);
    chebyshev_next(T);
  }
}

/* Back in double precision the first iterate and its norm are those of a start from there */
TEST(ChebyshevSingle, LeavesWithAFirstIterate)
{
  constexpr int n = 37;
  const Chain   A(n);
  const Vector  x = random_vector(n, 3), z = random_vector(n, 4);
  Vector        p(n), expected(n);

  for (bool of_r : {false, true}) {
    Scalar           sum;
    double           norm = 0;
    ChebyshevScalars S    = running<ChebyshevScalars>();

    chebyshev_start(S, Real(0.4), Real(1.6));
    run_step_host(ChebyshevFirst(x.data(), z.data(), of_r ? A.inverse.data() : nullptr, p.data(), S.scale), n, false, 1, S, &sum);
    for (int i = 0; i < n; i++) {
      const double r = of_r ? double(z[i]) / A.inverse[i] : double(z[i]);
      norm += r * r;
      EXPECT_NEAR(p[i], x[i] + S.scale * z[i], tolerance(1));
    }
    EXPECT_NEAR(sum, norm, tolerance(n) * norm);
  }
}

/* Where the norm meets the test nothing changes any more */
TEST(ChebyshevSingle, StopsWhereTheTestIsMet)
{
  constexpr int    n = 9;
  Vectors          v(n, Single(1));
  ChebyshevScalars S       = running<ChebyshevScalars>();
  Scalar           sums[1] = {4};
  Real             history[8];

  chebyshev_start(S, Real(0.4), Real(1.6));
  chebyshev_next(S);
  S.converged                   = 2;
  const ChebyshevScalars before = S;
  advance_host(ChebyshevSingleStep(v.all, false), S, sums, history, 8);
  EXPECT_EQ(S.stop, FusedStop::test);
  EXPECT_EQ(S.it, 1);
  EXPECT_EQ(S.omega, before.omega); /* of the difference that is there */
  EXPECT_EQ(S.made, before.made);
}

TEST(AddCorrectionStep, AddsWhatIsANumberAndNothingBehindABreakdown)
{
  constexpr int       n     = 19;
  const Vector        start = random_vector(n, 5);
  Vector              x     = start, kept(n);
  std::vector<Single> y(n, Single(0.5));
  FusedScalars        S = running<>();

  y[3]   = std::numeric_limits<Single>::infinity();
  y[18]  = std::numeric_limits<Single>::quiet_NaN();
  S.stop = FusedStop::product;
  run_step_host(AddCorrectionStep(y.data(), x.data(), kept.data()), n, false, 1, S, nullptr);
  EXPECT_EQ(x, start);
  EXPECT_EQ(y[0], Single(0.5));
  S.stop = FusedStop::test;
  run_step_host(AddCorrectionStep(y.data(), x.data(), kept.data()), n, false, 1, S, nullptr);
  EXPECT_EQ(kept, start);
  for (int i = 0; i < n; i++) {
    EXPECT_EQ(x[i], i == 3 || i == 18 ? start[i] : start[i] + Scalar(0.5));
    EXPECT_EQ(y[i], Single(0));
  }
}

} // namespace

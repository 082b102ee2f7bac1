/*
   Passes of the fused solvers over their vectors on the host, against plain loops.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedbcgs/steps.hpp"
#include "ksp/fusedcg/steps.hpp"

namespace
{

FusedPc point_blocks(const Vector &inverse, int b, std::size_t ld)
{
  FusedPc pc;

  pc.form    = FusedPc::blocks;
  pc.block   = b;
  pc.inverse = inverse.data();
  pc.ld      = ld;
  return pc;
}

/* What follows a product of a layout with blocks of another size: the point blocks and the sums, u formed or there */
TEST(Steps, PointBlocksBehindAProduct)
{
  for (int b : {2, 3, 8}) {
    const std::size_t n = 21ul * b, ld = n + 5;
    const Vector      q = random_vector(n, 1), v = random_vector(n, 2), w = random_vector(n, 3), y0 = random_vector(n, 4), inverse = random_vector(ld * b, 5);
    const Scalar      alpha = Scalar(0.5);

    for (bool formed : {false, true}) {
      Vector       y = y0;
      FusedProduct P;
      Scalar       sums[4]     = {};
      double       expected[4] = {};

      P.q     = q.data();
      P.v     = formed ? v.data() : nullptr;
      P.alpha = &alpha;
      P.w     = w.data();
      P.y     = y.data();
      P.sums  = all_sums;
      P.pc    = point_blocks(inverse, b, ld);
      run_step_host(ProductStep<4>(P), n, true, b, running(), sums);
      for (std::size_t i = 0; i < n; i++) {
        const double u = q[i] - (formed ? 0.5 * v[i] : 0);
        double       z = 0;

        for (int s = 0; s < b; s++) z += inverse[s * ld + i] * y0[i / b * b + s];
        EXPECT_NEAR(y[i], z, tolerance(b)) << "b " << b << " row " << i;
        expected[0] += z * u;
        expected[1] += z * z;
        expected[2] += w[i] * z;
        expected[3] += w[i] * u;
      }
      for (int k = 0; k < 4; k++) EXPECT_NEAR(sums[k], expected[k], tolerance(n * b)) << "sum " << k;
    }
  }
}

TEST(Steps, BcgsUpdateFormsOrLoadsTheHalfStep)
{
  for (std::size_t n : sizes) {
    const Vector v = random_vector(n, 1), t = random_vector(n, 2), r0 = random_vector(n, 3), p0 = random_vector(n, 4), x0 = random_vector(n, 5);
    Vector       s(n);
    BcgsScalars  S = running<BcgsScalars>();

    S.alpha = Scalar(0.5);
    S.omega = Scalar(0.25);
    S.beta  = Scalar(-2);
    for (std::size_t i = 0; i < n; i++) s[i] = r0[i] - S.alpha * v[i];
    for (bool stored : {false, true}) {
      Vector r = r0, p = p0, x = x0;
      Scalar sums[4] = {};
      double rr      = 0;

      run_step_host(BcgsUpdate<Scalar>(v.data(), t.data(), stored ? s.data() : nullptr, r.data(), p.data(), x.data(), stored), n, false, 1, S, sums);
      for (std::size_t i = 0; i < n; i++) {
        const double rn = s[i] - 0.25 * t[i];
        EXPECT_NEAR(r[i], rn, tolerance(1));
        EXPECT_NEAR(x[i], x0[i] + 0.5 * p0[i] + 0.25 * s[i], tolerance(1));
        EXPECT_NEAR(p[i], rn - 2 * (p0[i] - 0.25 * v[i]), tolerance(4));
        rr += rn * rn;
      }
      EXPECT_NEAR(sums[0], rr, tolerance(n));
    }
  }
}

TEST(Steps, TheFirstDirectionIsNotRead)
{
  const std::size_t n = 37;
  const Vector      z = random_vector(n, 1);
  Vector            p(n, std::numeric_limits<Scalar>::quiet_NaN()), x = random_vector(n, 2);
  const Vector      x0 = x;
  Scalar            sums[4];

  run_step_host(CgDirection<Scalar>(z.data(), {{p.data()}}, x.data()), n, false, 1, running<CgScalars>(), sums);
  EXPECT_EQ(p, z);
  EXPECT_EQ(x, x0);
}

/* p in one vector and in several in turn: the same directions and the same x, to the last bit, wherever the iteration ends, between and after */
TEST(Steps, DirectionsInTurn)
{
  const std::size_t n    = 41;
  const int         most = CgDirections::most, iterations = 3 * most + 2;
  const Scalar      nan = std::numeric_limits<Scalar>::quiet_NaN();

  for (int end = 0; end <= iterations; end++) {
    for (int cleared = -1; cleared < end; cleared++) { /* x completed before this iteration too */
      Vector x[2], last[2];

      for (int turn = 0; turn < 2; turn++) {
        std::vector<Vector> p(most, Vector(n, nan));
        CgDirections        all;
        CgScalars           S                = running<CgScalars>();
        Scalar              sums[fused_sums] = {};

        for (int k = 0; k < (turn ? most : 1); k++) all.p[k] = p[k].data();
        x[turn]  = random_vector(n, 1);
        S.others = turn ? most - 1 : 0;
        for (int it = 0; it < end; it++, S.it++) {
          const Vector z = random_vector(n, 10 + it);

          if (it == cleared) {
            run_step_host(CgComplete(all, x[turn].data()), n, false, 1, S, sums);
            x_is_complete(S);
          }
          S.b       = it ? Scalar(0.5 + 0.125 * it) : Scalar(0);
          S.settled = 1;
          CgDirection<Scalar>::advance(S, sums);
          run_step_host(CgDirection<Scalar>(z.data(), all, x[turn].data()), n, false, 1, S, sums);
          last[turn] = p[direction_of(S)];
          S.beta     = Scalar(1 + it);
          cg_after_product(S, Scalar(3));
          EXPECT_EQ(S.stop, FusedStop::no);
          EXPECT_EQ(S.a, S.pending[direction_of(S)]);
        }
        EXPECT_EQ(x_is_incomplete(S), end > 0);
        run_step_host(CgComplete(all, x[turn].data()), n, false, 1, S, sums);
      }
      EXPECT_EQ(x[0], x[1]) << end << " iterations";
      EXPECT_EQ(last[0], last[1]);
    }
  }
}

TEST(Steps, SameBitsAgain)
{
  const std::size_t n = 4100;
  const Vector      a = random_vector(n, 1), b = random_vector(n, 2);
  Scalar            first[4], again[4];

  run_step_host(DotsStep(a.data(), b.data(), b.data()), n, false, 1, running(), first);
  run_step_host(DotsStep(a.data(), b.data(), b.data()), n, false, 1, running(), again);
  EXPECT_EQ(first[0], again[0]);
  EXPECT_EQ(first[1], again[1]);
}

} // namespace

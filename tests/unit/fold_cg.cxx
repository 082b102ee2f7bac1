/*
   CG's vectors on their way to a scaled matrix and back, and its norms there.
*/
#include "ksp/fusedcg/fusedcg_fold.hpp"
#include "pass/step_host.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace heptane;

namespace
{

using Vector = std::vector<Scalar>;

const double tolerance = 500 * std::numeric_limits<Scalar>::epsilon();

TEST(Fold, CgThereAndBack)
{
  const std::size_t n = 37;
  Vector            d(n), x(n), r(n), p(n);
  Scalar            sums[4];

  for (std::size_t i = 0; i < n; i++) {
    d[i] = Scalar(0.25 + i);
    x[i] = Scalar(1 + 0.5 * i);
    r[i] = Scalar(2 - 0.25 * i);
    p[i] = Scalar(3 + i);
  }
  const Vector x0 = x, r0 = r, p0 = p;
  for (bool has_p : {false, true}) {
    const FusedScalars S = {};

    x = x0, r = r0, p = p0;
    run_step_host(CgFold(d.data(), x.data(), r.data(), p.data(), has_p, false), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      const double s = std::sqrt(static_cast<double>(d[i]));

      EXPECT_NEAR(x[i], x0[i] / s, tolerance);
      EXPECT_NEAR(r[i], r0[i] * s, tolerance);
      EXPECT_NEAR(p[i], has_p ? p0[i] / s : p0[i], tolerance);
    }
    run_step_host(CgFold(d.data(), x.data(), r.data(), nullptr, false, true), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      EXPECT_NEAR(x[i], x0[i], tolerance);
      EXPECT_NEAR(r[i], r0[i], tolerance);
    }
  }
}

TEST(Fold, NormsOfCg)
{
  const std::size_t n = 41;
  Vector            d(n), r(n), w(n);

  for (std::size_t i = 0; i < n; i++) {
    d[i] = Scalar(0.5 + (i % 7));
    r[i] = Scalar(0.125 * (i % 5) - 0.25);
    w[i] = Scalar(0.0625 * (i % 3));
  }
  for (int norm = 0; norm < 3; norm++) { /* of z, of r, none */
    Vector    ri = r;
    CgScalars S  = {};
    Scalar    sums[4];
    double    zr = 0, nn = 0;

    S.a = Scalar(0.5);
    run_step_host(CgFoldedResidual<Scalar>(norm < 2 ? d.data() : nullptr, w.data(), ri.data(), norm == 1), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      const double a = r[i] - 0.5 * w[i], s = std::sqrt(static_cast<double>(d[i])), of = norm == 0 ? s * a : norm == 1 ? a / s : 0;

      EXPECT_NEAR(ri[i], a, tolerance);
      zr += a * a;
      nn += of * of;
    }
    EXPECT_NEAR(sums[0], zr, tolerance * n);
    EXPECT_NEAR(sums[1], nn, tolerance * n);
  }
}

} // namespace

/*
   CG and BiCGStab as the device goes through them, run on the host: two copies of the scalars in turn, sums that the next pass takes, batches of iterations with passes queued behind the
   end, and a host that looks between batches. Compared with the same passes one iteration at a time, and with the solution.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedbcgs/steps.hpp"
#include "ksp/fusedcg/steps.hpp"

namespace
{

constexpr std::size_t n      = 60;
constexpr int         length = 64; /* of the ring of norms */

/* y = A x, tridiagonal; symmetric where skew = 0 */
void multiply(double skew, const Vector &x, Scalar *y)
{
  for (std::size_t i = 0; i < n; i++)
    y[i] = Scalar(2.5 + 0.01 * i) * x[i] - Scalar(1 + skew) * (i ? x[i - 1] : 0) - Scalar(1 - skew) * (i + 1 < n ? x[i + 1] : 0);
}

struct Device {
  FusedMemory memory = {};
  Real        history[length];
  int         turn = 0, worked = 0; /* passes that did something */
  double      skew = 0;

  template <class Method>
  Method &scalars(int copy)
  {
    return *reinterpret_cast<Method *>(memory.scalars[copy]);
  }
  template <class Step>
  void run(Step step)
  {
    using Method = typename Step::Scalars;
    Method S     = scalars<Method>(turn);
    Scalar sums[4];

    if constexpr (Step::changes) {
      advance_host(step, S, memory.sums, history, length);
      turn                  = 1 - turn;
      scalars<Method>(turn) = S;
    }
    if (S.stop != FusedStop::no) return;
    worked++;
    run_step_host(step, n, false, 1, S, sums);
    std::copy(sums, sums + Step::sums, memory.sums + step.first_sum());
  }
  void product(const FusedProduct &P)
  {
    const ProductScalars now = product_scalars(P, scalars<FusedScalars>(turn), P.v);
    const Scalar        *q   = now.input;
    Vector               u(n);
    Scalar               sums[4] = {};

    if (now.still) return;
    worked++;
    for (std::size_t i = 0; i < n; i++) u[i] = P.v ? q[i] - now.alpha * P.v[i] : q[i];
    Vector y(n);
    multiply(skew, u, y.data());
    with_product(P, [&](auto, auto K) {
      for (std::size_t i = 0; i < n; i++) product_row<K()>(P, i, y[i], row_operands<K()>(P, q, i, now.alpha), sums);
    });
    std::copy(sums, sums + number_of(P.sums), memory.sums + P.at);
  }
};

struct Result {
  Vector            x;
  std::vector<Real> norms;
  FusedStop         stop;
  int               worked;
  bool              operator==(const Result &b) const { return x == b.x && norms == b.norms && stop == b.stop && worked == b.worked; }
};

/* upload: the host hands its scalars back after every look, as it does where its test lets a solve go on */
template <class Method, class Iteration, class Settle>
Result solve(Device &d, Method S, Vector &x, int batch, bool upload, Iteration iteration, Settle settle)
{
  Result r;

  S.settled            = 1;
  d.scalars<Method>(0) = S;
  while (S.stop == FusedStop::no) {
    const int from = S.it;
    for (int k = 0; k < batch; k++) iteration();
    S = d.scalars<Method>(d.turn);
    if (S.stop == FusedStop::no) {
      const int it = S.it;
      settle(S);
      log_norm(it, S, d.history, length);
    }
    S.settled = 1;
    for (int it = from + 1; it <= S.it; it++) r.norms.push_back(d.history[it % length]);
    if (upload) d.scalars<Method>(d.turn) = S;
  }
  r.x      = x;
  r.stop   = S.stop;
  r.worked = d.worked;
  return r;
}

Vector right_hand_side(double skew)
{
  Vector b(n);

  multiply(skew, random_vector(n, 1), b.data());
  return b;
}

Result cg(int batch, bool upload, Real converged, int others)
{
  Device              d;
  Vector              r = right_hand_side(0), w(n), x(n);
  std::vector<Vector> p(CgDirections::most, Vector(n));
  CgDirections        all;
  CgScalars           S = running<CgScalars>();
  FusedProduct        P;

  for (int k = 0; k < CgDirections::most; k++) all.p[k] = p[k].data();
  std::copy(all.p + 1, all.p + CgDirections::most, P.other_q);
  P.q                     = all.p[0];
  P.y                     = w.data();
  P.sums                  = sum_yu;
  P.at                    = cg_pw;
  S.others                = others;
  S.converged             = converged;
  d.scalars<CgScalars>(0) = S;
  d.run(DotsStep(r.data(), r.data(), r.data()));
  cg_start(S, d.memory.sums[cg_zr], d.memory.sums[cg_nn]);
  Result result = solve(
    d, S, x, batch, upload,
    [&] {
      d.run(CgDirection<Scalar>(r.data(), all, x.data()));
      d.product(P);
      d.run(CgResidual(FusedPc(), r.data(), w.data(), true));
    },
    [&](CgScalars &now) { cg_after_residual(now, d.memory.sums[cg_zr], d.memory.sums[cg_nn]); });
  Scalar none[4];
  run_step_host(CgComplete(all, x.data()), n, false, 1, d.scalars<CgScalars>(d.turn), none);
  result.x = x;
  return result;
}

Result bcgs(int batch, bool upload, Real converged, int)
{
  Device       d;
  Vector       r = right_hand_side(0.3), r0(n), p(n), v(n), t(n), x(n);
  BcgsScalars  S = running<BcgsScalars>();
  FusedProduct first, second;

  d.skew      = 0.3;
  S.converged = converged;
  first.q     = p.data();
  first.w = second.w = r0.data();
  first.y            = v.data();
  first.square = second.square = d.memory.sums + bcgs_rr;
  first.sums                   = sum_wy;
  first.at                     = bcgs_vr0;
  second.q                     = r.data();
  second.v                     = v.data();
  second.divisor               = d.memory.sums + bcgs_vr0;
  second.y                     = t.data();
  second.sums                  = all_sums;
  second.at                    = bcgs_second;
  d.scalars<BcgsScalars>(0)    = S;
  d.run(BcgsStart(r.data(), r0.data(), p.data()));
  bcgs_start(S, d.memory.sums[bcgs_rr]);
  return solve(
    d, S, x, batch, upload,
    [&] {
      d.product(first);
      second.alpha = &d.scalars<BcgsScalars>(d.turn).rho;
      d.product(second);
      d.run(BcgsUpdate<Scalar>(v.data(), t.data(), nullptr, r.data(), p.data(), x.data(), false));
    },
    [&](BcgsScalars &now) { bcgs_after_update(now, d.memory.sums[bcgs_rr]); });
}

void same_however_it_is_run(Result (*method)(int, bool, Real, int), int others)
{
  const Real   converged = Real(3e4) * std::numeric_limits<Real>::epsilon();
  const Result one       = method(1, true, converged, others);
  const Vector exact     = random_vector(n, 1);

  EXPECT_EQ(one.stop, FusedStop::test);
  EXPECT_GT(one.norms.size(), 8u);
  EXPECT_LE(one.norms.back(), converged);
  for (std::size_t i = 0; i < n; i++) EXPECT_NEAR(one.x[i], exact[i], 10 * converged);
  for (int batch : {1, 2, 3, 7, 32})
    for (bool upload : {false, true}) EXPECT_TRUE(method(batch, upload, converged, others) == one) << batch << " iterations between looks";
}

TEST(Batches, CgWithOneDirection)
{
  same_however_it_is_run(cg, 0);
}

TEST(Batches, CgWithDirectionsInTurn)
{
  same_however_it_is_run(cg, CgDirections::most - 1);
}

TEST(Batches, BiCgStab)
{
  same_however_it_is_run(bcgs, 0);
}

} // namespace

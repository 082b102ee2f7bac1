/*
   What follows a reduction of the fused solvers, against PETSc's rules: steps, norms, tests, breakdowns.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedbcgs/fusedbcgs_steps.hpp"
#include "ksp/fusedbicg/fusedbicg_steps.hpp"
#include "ksp/fusedcg/fusedcg_steps.hpp"
#include "pass/step_host.hpp"
#include <gtest/gtest.h>

using namespace heptane;

namespace
{

/* An iteration that ends at its product leaves x without its step, and with those before */
TEST(Scalars, CgStepsOfAnIterationThatEndsEarly)
{
  CgScalars S = running<CgScalars>();

  S.others = CgDirections::most - 1;
  S.beta   = 2;
  cg_after_product(S, 4);
  S.it = 1;
  cg_after_product(S, -4);
  EXPECT_EQ(S.stop, FusedStop::indefinite_mat);
  EXPECT_EQ(S.pending[0], Scalar(0.5));
  EXPECT_EQ(S.pending[1], Scalar(0));
  S.stop = FusedStop::no;
  S.it   = CgDirections::most; /* the first vector again: the others are in x */
  cg_after_product(S, 4);
  EXPECT_EQ(S.stop, FusedStop::indefinite_mat);
  EXPECT_FALSE(x_is_incomplete(S));
}

TEST(Scalars, CgStopsWhereKspcgDoes)
{
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  CgScalars    S   = running<CgScalars>();

  S.beta = 2;
  cg_after_product(S, 4);
  EXPECT_EQ(S.stop, FusedStop::no);
  EXPECT_EQ(S.a, Scalar(0.5));
  EXPECT_EQ(S.pending[0], Scalar(0.5));
  cg_after_residual(S, 1, 9);
  EXPECT_EQ(S.it, 1);
  EXPECT_EQ(S.dp, Real(3));
  EXPECT_EQ(S.b, Scalar(0.5));
  CgScalars T = S;
  cg_after_product(T, -4); /* the curvature changed its sign */
  EXPECT_EQ(T.stop, FusedStop::indefinite_mat);
  EXPECT_EQ(T.pending[0], Scalar(0));
  EXPECT_EQ(T.its, 2);
  T = S;
  cg_after_product(T, nan);
  EXPECT_EQ(T.stop, FusedStop::product);
  T = S;
  cg_after_product(T, 4);
  cg_after_residual(T, -1, 1);
  EXPECT_EQ(T.stop, FusedStop::indefinite_pc);
  EXPECT_EQ(T.its, 3);
  T = S;
  cg_after_residual(T, 1, nan);
  EXPECT_EQ(T.stop, FusedStop::norm);
  EXPECT_EQ(T.it, 1); /* not logged */
  T           = S;
  T.converged = 3;
  cg_after_residual(T, 1, 9);
  EXPECT_EQ(T.stop, FusedStop::test);
  EXPECT_EQ(T.it, 2);
  T      = S;
  T.last = 2;
  cg_after_residual(T, 1, 9);
  EXPECT_EQ(T.stop, FusedStop::limit);
  T      = S; /* a batch that ends where something else would have stopped it: seen when it goes on */
  T.last = 2;
  cg_after_residual(T, -1, 9);
  EXPECT_EQ(T.stop, FusedStop::limit);
  T.stop = FusedStop::no;
  T.last = 10;
  cg_go_on(T);
  EXPECT_EQ(T.stop, FusedStop::indefinite_pc);
  EXPECT_EQ(T.its, 3);
}

TEST(Scalars, NormsAndTestsThatAreLeftOut)
{
  CgScalars S = running<CgScalars>();

  S.beta      = 1;
  S.converged = 100;
  S.chknorm   = 2;
  cg_after_residual(S, 1, 9); /* iteration 1: no norm, no test */
  EXPECT_EQ(S.dp, Real(0));
  EXPECT_EQ(S.stop, FusedStop::no);
  cg_after_residual(S, 1, 9); /* 2: a norm, no test */
  EXPECT_EQ(S.dp, Real(3));
  EXPECT_EQ(S.stop, FusedStop::no);
  S.min_it = 4;
  cg_after_residual(S, 1, 9); /* 3: below the minimum */
  EXPECT_EQ(S.stop, FusedStop::no);
  cg_after_residual(S, 1, 9);
  EXPECT_EQ(S.stop, FusedStop::test);
  EXPECT_EQ(S.it, 4);
}

TEST(Scalars, BcgsBreakdowns)
{
  BcgsScalars S       = running<BcgsScalars>();
  Scalar      sums[4] = {2, 4, 3, 5}; /* (t, s), (t, t), (t, r0), (s, r0) */

  S.rho = 8;
  bcgs_after_first(S, 4);
  EXPECT_EQ(S.alpha, Scalar(2));
  BcgsScalars T = S;
  bcgs_after_first(T, 0);
  EXPECT_EQ(T.stop, FusedStop::zero_product);
  T = S;
  bcgs_after_second(T, sums);
  EXPECT_EQ(T.omega, Scalar(0.5));
  EXPECT_EQ(T.rho, Scalar(3.5));
  EXPECT_EQ(T.beta, Scalar(3.5 / 8 * (2 / 0.5)));
  bcgs_after_update(T, 16);
  EXPECT_EQ(T.stop, FusedStop::no);
  EXPECT_EQ(T.dp, Real(4));
  T       = S;
  sums[1] = 0;
  bcgs_after_second(T, sums);
  EXPECT_EQ(T.stop, FusedStop::singular);
  T        = S;
  T.rhoold = 0;
  bcgs_after_update(T, 16);
  EXPECT_EQ(T.stop, FusedStop::zero_rho);
}

std::vector<Scalar> own_fields(const CgScalars &S)
{
  return {S.beta, S.betaold, S.dpi, S.a, S.b, S.pending[0], S.pending[1], S.pending[2]};
}
std::vector<Scalar> own_fields(const BicgScalars &S)
{
  return {S.beta, S.betaold, S.dpi, S.a, S.b, S.pending};
}
std::vector<Scalar> own_fields(const BcgsScalars &S)
{
  return {S.rho, S.rhoold, S.alpha, S.omega, S.beta};
}

/* Not memcmp(): copies of a struct need not copy what lies between its members */
template <class Method>
bool same_bits(const Method &a, const Method &b)
{
  return a.stop == b.stop && a.it == b.it && a.its == b.its && a.settled == b.settled && a.input == b.input && a.dp == b.dp && own_fields(a) == own_fields(b);
}

/* What the next iteration's first pass makes of the sums is what the host makes of them between two batches; and once it has, they are not taken again */
TEST(Scalars, SumsAreTakenOnceByThePassOrByTheHost)
{
  const Scalar sums[fused_sums] = {4, 9, 5};
  CgScalars    S                = running<CgScalars>();

  S.beta            = 2;
  S.others          = 2;
  CgScalars by_pass = S, by_host = S;
  cg_before_direction(by_pass, sums);
  cg_after_residual(by_host, sums[cg_zr], sums[cg_nn]);
  by_host.settled = 1;
  cg_before_direction(by_host, sums);
  EXPECT_TRUE(same_bits(by_pass, by_host));
  EXPECT_EQ(by_pass.it, 1);
  EXPECT_EQ(by_pass.dp, Real(3));
  EXPECT_EQ(by_pass.input, 1);
  EXPECT_EQ(by_pass.settled, 0);

  BicgScalars B      = running<BicgScalars>();
  B.beta             = 2;
  BicgScalars b_pass = B, b_host = B;
  bicg_before_direction(b_pass, sums);
  bicg_after_residual(b_host, sums[bicg_zr], sums[bicg_nn]);
  b_host.settled = 1;
  bicg_before_direction(b_host, sums);
  EXPECT_TRUE(same_bits(b_pass, b_host));
  EXPECT_EQ(b_pass.b, Scalar(2));
}

/* BiCGStab with the half step in a pass of its own, or formed by the product: one advance of the scalars or two */
TEST(Scalars, BcgsAdvancesAlikeWithAndWithoutTheHalfStepAsAPass)
{
  const Scalar sums[fused_sums] = {16, 4, 2, 4, 3, 5};

  for (int settled : {0, 1}) {
    BcgsScalars S   = running<BcgsScalars>();
    S.settled       = settled;
    S.rho           = 8;
    S.rhoold        = 3;
    S.beta          = 1;
    BcgsScalars one = S, two = S;
    BcgsUpdate(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, false).advance(one, sums);
    BcgsHalf::advance(two, sums);
    EXPECT_EQ(two.alpha, Scalar(2));
    BcgsUpdate(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, true).advance(two, sums);
    EXPECT_TRUE(same_bits(one, two));
    EXPECT_EQ(one.it, settled ? 0 : 1);
    EXPECT_EQ(one.omega, Scalar(0.5));
  }
}

/* A product does nothing exactly where the next pass that changes the scalars finds that the iteration ends, but for what it alone can tell */
TEST(Scalars, ProductsStandStillWhereTheNextPassStops)
{
  const Real   inf    = std::numeric_limits<Real>::infinity();
  const Scalar nan    = std::numeric_limits<Scalar>::quiet_NaN();
  int          stands = 0;

  for (Real converged : {Real(0), Real(3)})
    for (Real diverged : {Real(5), inf})
      for (int last : {4, 1000})
        for (int chknorm : {-1, 4})
          for (int min_it : {0, 9})
            for (FusedNorm norm : {FusedNorm::none, FusedNorm::preconditioned})
              for (Scalar rr : {Scalar(9), Scalar(16), Scalar(25), nan}) {
                BcgsScalars S = running<BcgsScalars>();

                S.it              = 3;
                S.rhoold          = 1;
                S.last            = last;
                S.norm            = norm;
                S.chknorm         = chknorm;
                S.min_it          = min_it;
                S.converged       = converged;
                S.diverged        = diverged;
                const bool  still = stands_still(S, true, rr);
                BcgsScalars T     = S;
                bcgs_after_update(T, rr);
                EXPECT_EQ(still, T.stop != FusedStop::no);
                stands += still;
                EXPECT_FALSE(stands_still(S, false, rr));
                S.settled = 1; /* that norm has been tested */
                EXPECT_FALSE(stands_still(S, true, rr));
                S.stop = FusedStop::test;
                EXPECT_TRUE(stands_still(S, false, rr));
              }
  EXPECT_GT(stands, 20);
}

/* The host keeps the norm of each iteration once, in its place of the ring, and a pass of an iteration that stands still changes nothing */
TEST(Scalars, NormsAreLoggedByWhoAdvances)
{
  Real        history[4]       = {};
  Scalar      sums[fused_sums] = {4, 9, 5};
  CgScalars   S                = running<CgScalars>();
  CgDirection direction(nullptr, {}, nullptr);
  CgUpdate    update(nullptr, nullptr);

  S.beta = 2;
  S.it   = 4;
  advance_host(direction, S, sums, history, 4);
  EXPECT_EQ(history[1], Real(3));
  advance_host(update, S, sums, history, 4);
  EXPECT_EQ(S.dpi, Scalar(5));
  EXPECT_EQ(S.a, Scalar(4. / 5));
  EXPECT_EQ(history[2], Real(0));
  S.stop                 = FusedStop::test;
  const CgScalars before = S;
  advance_host(direction, S, sums, history, 4);
  EXPECT_TRUE(same_bits(S, before));
  EXPECT_EQ(history[2], Real(0));
}

/* A product's alpha is what the pass after it takes, to the last bit: a quotient of what passes before have left, or a number */
TEST(Scalars, AlphaOfAProduct)
{
  const Scalar sums[fused_sums] = {16, 3};
  BcgsScalars  S                = running<BcgsScalars>();
  FusedProduct P;

  S.rho    = 8;
  S.rhoold = 1;
  P.alpha  = &S.rho;
  EXPECT_EQ(alpha_of(P), Scalar(8));
  P.divisor = sums + bcgs_vr0;
  bcgs_before_half(S, sums);
  EXPECT_EQ(alpha_of(P), S.alpha);
}

} // namespace

/*
   Sums that a pass of the fused solvers leaves and the next one takes: once, by the pass or by the host between two batches, with the same result.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedbcgs/steps.hpp"
#include "ksp/fusedbicg/steps.hpp"
#include "ksp/fusedcg/steps.hpp"

namespace
{

Vector own_fields(const CgScalars &S)
{
  return {S.beta, S.betaold, S.dpi, S.a, S.b, S.pending[0], S.pending[1], S.pending[2]};
}
Vector own_fields(const BicgScalars &S)
{
  return {S.beta, S.betaold, S.dpi, S.a, S.b, S.pending};
}
Vector own_fields(const BcgsScalars &S)
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
TEST(Sums, SumsAreTakenOnceByThePassOrByTheHost)
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
TEST(Sums, BcgsAdvancesAlikeWithAndWithoutTheHalfStepAsAPass)
{
  const Scalar sums[fused_sums] = {16, 4, 2, 4, 3, 5};

  for (int settled : {0, 1}) {
    BcgsScalars S   = running<BcgsScalars>();
    S.settled       = settled;
    S.rho           = 8;
    S.rhoold        = 3;
    S.beta          = 1;
    BcgsScalars one = S, two = S;
    BcgsUpdate<Scalar>(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, false).advance(one, sums);
    BcgsHalf<Scalar>::advance(two, sums);
    EXPECT_EQ(two.alpha, Scalar(2));
    BcgsUpdate<Scalar>(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, true).advance(two, sums);
    EXPECT_TRUE(same_bits(one, two));
    EXPECT_EQ(one.it, settled ? 0 : 1);
    EXPECT_EQ(one.omega, Scalar(0.5));
  }
}

/* A product does nothing exactly where the next pass that changes the scalars finds that the iteration ends, but for what it alone can tell */
TEST(Sums, ProductsStandStillWhereTheNextPassStops)
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
                const bool  still = is_stopped(S, true, rr);
                BcgsScalars T     = S;
                bcgs_after_update(T, rr);
                EXPECT_EQ(still, T.stop != FusedStop::no);
                stands += still;
                EXPECT_FALSE(is_stopped(S, false, rr));
                S.settled = 1; /* that norm has been tested */
                EXPECT_FALSE(is_stopped(S, true, rr));
                S.stop = FusedStop::test;
                EXPECT_TRUE(is_stopped(S, false, rr));
              }
  EXPECT_GT(stands, 20);
}

/* The host keeps the norm of each iteration once, in its place of the ring, and a pass of an iteration that stands still changes nothing */
TEST(Sums, NormsAreLoggedByWhoAdvances)
{
  Real                history[4]       = {};
  Scalar              sums[fused_sums] = {4, 9, 5};
  CgScalars           S                = running<CgScalars>();
  CgDirection<Scalar> direction(nullptr, {}, nullptr);
  CgUpdate            update(nullptr, nullptr);

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
TEST(Sums, AlphaOfAProduct)
{
  const Scalar sums[fused_sums] = {16, 3};
  BcgsScalars  S                = running<BcgsScalars>();
  FusedProduct P;

  S.rho    = 8;
  S.rhoold = 1;
  P.alpha  = &S.rho;
  EXPECT_EQ(product_scalars(P, S, true).alpha, Scalar(8));
  P.divisor = sums + bcgs_vr0;
  bcgs_before_half(S, sums);
  EXPECT_EQ(product_scalars(P, S, true).alpha, S.alpha);
}

} // namespace

/*
   What follows a reduction of the fused solvers, against PETSc's rules: steps, norms, tests, breakdowns.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedbcgs/fusedbcgs_steps.hpp"
#include "ksp/fusedcg/fusedcg_steps.hpp"
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

} // namespace

/*
   What follows a reduction of CG, against PETSc's rules: steps, norms, tests.
*/
#include "fused_vectors.hpp"
#include "ksp/fusedcg/steps.hpp"

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

/* As a batch finds them, without PETSc's test between two iterations */
TEST(Scalars, CgStopsAtItsNormAndItsLimit)
{
  CgScalars S = running<CgScalars>();

  S.beta = 2;
  cg_after_product(S, 4);
  cg_after_residual(S, 1, 9);
  EXPECT_EQ(S.dp, Real(3));
  CgScalars T = S;
  cg_after_residual(T, 1, std::numeric_limits<Scalar>::quiet_NaN());
  EXPECT_EQ(T.stop, FusedStop::norm);
  EXPECT_EQ(T.it, 1); /* not logged */
  T           = S;
  T.converged = 3;
  cg_after_residual(T, 1, 9);
  EXPECT_EQ(T.stop, FusedStop::test);
  EXPECT_EQ(T.it, 2);
  T      = S; /* a batch that ends where something else would have stopped it: seen when it goes on */
  T.last = 2;
  cg_after_residual(T, -1, 9);
  EXPECT_EQ(T.stop, FusedStop::limit);
  T.stop = FusedStop::no;
  T.last = 10;
  cg_continue(T);
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

} // namespace

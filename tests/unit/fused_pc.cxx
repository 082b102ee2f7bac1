/*
   What a preconditioner costs in a product beside the matrix, whatever its form, its source and the matrix that it comes with.
*/
#include "pass/step_cost.hpp"

namespace
{

FusedPc pc_of(FusedPc::Form form, FusedPc::Source source, FusedPc::Matrix matrix)
{
  FusedPc pc;

  pc.form   = form;
  pc.source = source;
  pc.matrix = matrix;
  pc.block  = form == FusedPc::blocks ? 3 : 1;
  return pc;
}

TEST(Pc, CostsWhatIsLoadedBesideTheMatrix)
{
  const auto scalars = [&](auto... fields) { return pc_scalars(pc_of(fields...)); };
  const auto flops   = [&](auto... fields) { return pc_flops(pc_of(fields...)); };

  EXPECT_EQ(scalars(FusedPc::none, FusedPc::given, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::called, FusedPc::given, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::point, FusedPc::given, FusedPc::plain), 1);
  EXPECT_EQ(scalars(FusedPc::point, FusedPc::matrix_diagonal, FusedPc::plain), 0);
  EXPECT_EQ(scalars(FusedPc::blocks, FusedPc::given, FusedPc::plain), 3);
  EXPECT_EQ(scalars(FusedPc::blocks, FusedPc::matrix_diagonal, FusedPc::plain), 0);
  EXPECT_EQ(flops(FusedPc::point, FusedPc::matrix_diagonal, FusedPc::plain), 1);
  EXPECT_EQ(flops(FusedPc::blocks, FusedPc::matrix_diagonal, FusedPc::plain), 6);
  for (FusedPc::Matrix matrix : {FusedPc::scaled, FusedPc::scaled_unit})
    for (FusedPc::Form form : {FusedPc::point, FusedPc::blocks}) {
      EXPECT_EQ(scalars(form, FusedPc::given, matrix), 0);
      EXPECT_EQ(flops(form, FusedPc::given, matrix), 0);
    }
}

} // namespace

/*
   Copies of slices in single precision: numbers that it has no room for.
*/
#include "sellp_singles.hpp"

namespace
{

/* Numbers out of the range are told, on the diagonal and beside it, with and without scaling; those that become zero are not */
TEST(SellpSingleRange, IsTold)
{
  const struct {
    Scalar entry;
    int    found;
  } entries[] = {
    {Scalar(1e29),      0                  },
    {Scalar(1e-45),     0                  },
    {Scalar(NAN),       scaled_out_of_range},
    {Scalar(INFINITY),  scaled_out_of_range},
    {-Scalar(INFINITY), scaled_out_of_range},
    {Scalar(4e31),      scaled_out_of_range}, /* a fourth of it is left */
    {Scalar(-4e31),     scaled_out_of_range},
  };

  for (PetscInt b : {1, 3})
    for (FusedSide side : {FusedSide::none, FusedSide::left, FusedSide::both})
      for (const auto &e : entries) {
        Matrix       A = cells(40, b);
        SellpLimits  limits;
        FusedScaling F;
        limits.block = b;
        F.side       = side;
        Vector m     = inverses(A.rows, 1, F);
        for (PetscInt i = 0; i < A.rows; i++) m[i] = Scalar(0.25);
        F.inverse          = m.data();
        A.a[A.ptr[21] + 1] = e.entry;
        const auto L       = sellp_find_layout(A.csr(), b, false, limits);
        Vector     values(L.values());
        Singles    copy(L.values());
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        EXPECT_EQ(fold(slices_of(L, values), F, copy), e.found) << "b " << b << " entry " << e.entry;
      }
}

/* Without scaling there need be no diagonal of ones: a row that would be lost is told, one of zeros is not */
TEST(SellpSingleRange, OfRowsThatAreNotScaled)
{
  for (PetscInt b : {1, 3})
    for (double size : {1e-29, 1e-31, 1e-46, 0.}) {
      Matrix       A = cells(40, b);
      SellpLimits  limits;
      FusedScaling F;
      limits.block = b;
      for (PetscInt k = A.ptr[20]; k < A.ptr[21]; k++) A.a[k] = k == A.ptr[20] ? Scalar(-size) : Scalar(0);
      const auto L = sellp_find_layout(A.csr(), b, false, limits);
      Vector     values(L.values());
      Singles    copy(L.values());
      sellp_fill(L, A.csr(), A.a.data(), values.data());
      EXPECT_EQ(fold(slices_of(L, values), F, copy), size > 0 && Scalar(size) > 0 && size < 1e-30 ? scaled_out_of_range : 0) << "b " << b << " size " << size;
    }
}

TEST(SellpSingleRange, OfTheFactorsOfVectors)
{
  const Matrix A = cells(20, 1);
  const auto   L = sellp_find_layout(A.csr(), 1, false, {});
  Vector       values(L.values());
  Singles      copy(L.values());
  FusedScaling F;

  sellp_fill(L, A.csr(), A.a.data(), values.data());
  F.side   = FusedSide::both;
  Vector m = inverses(A.rows, 1, F);
  for (const auto &[bad, found] : std::vector<std::pair<double, int>>{
         {1e31,  scaled_out_of_range},
         {1e-31, scaled_out_of_range},
         {1e29,  0                  },
         {1e-29, 0                  },
         {-1,    scaled_not_positive}
  }) {
    m[7]      = Scalar(bad);
    F.inverse = m.data();
    EXPECT_EQ(fold(slices_of(L, values), F, copy) & ~(bad < 0 ? scaled_out_of_range : 0), found) << bad;
  }
}

} // namespace

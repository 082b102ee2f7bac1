/*
   Couplings across lines in 16 bits on all levels of a hierarchy: the operators stay symmetric.
*/
#include "of_double.hpp"
#include "pc/gridmg/host/host.hpp"
#include "pc/gridmg/grid/plan.hpp"

#if PetscDefined(USE_REAL_DOUBLE) /* these systems are in double precision, as matrices of such builds */

namespace
{

/* Levels of a symmetric matrix whose couplings have sizes of several orders */
struct Hierarchy {
  GridSystem<float>   S;
  std::vector<float>  memory;
  std::vector<double> values;

  Hierarchy()
  {
    GridShape  shape;
    GridMatrix A;
    GridReport report;

    Plan(&shape);
    Fill(shape, &A);
    grid_setup_host(A, nullptr, S, &report);
  }
  void Plan(GridShape *shape)
  {
    const int   extent[3] = {13, 9, 6};
    GridMeans   means;
    std::size_t total = 0;

    for (int a = 0; a < 3; a++) {
      shape->extent[a] = extent[a];
      if (a) shape->stride[a] = shape->stride[a - 1] * extent[a - 1];
      means.sum[a] = means.count[a] = 1;
    }
    S.plan   = grid_plan_levels(*shape, GridOptions(), means);
    S.levels = grid_shape_levels<float>(S.plan);
    S.remainder.resize(S.levels.size());
    grid_choose_half(true, &S);
    for (const GridLevel<float> &L : S.levels) total += L.cells * (L.slots() + 2);
    memory.resize(total);
    float *at = memory.data();
    for (GridLevel<float> &L : S.levels) {
      L.coef = at;
      L.x    = L.coef + L.slots() * L.cells;
      L.b    = L.x + L.cells;
      at     = L.b + L.cells;
    }
  }
  void Fill(const GridShape &shape, GridMatrix *A)
  {
    const std::size_t                      n = shape.cells();
    std::mt19937                           engine(3);
    std::uniform_real_distribution<double> exponent(-6, 6);

    values.assign(7 * n, 0);
    for (int a = 0; a < 3; a++) {
      A->stride[a] = S.natural.stride[a] = shape.stride[S.plan.axis[a]];
      for (int side = 0; side < 2; side++) A->diagonal[1 + 2 * a + side] = 1 + 2 * S.plan.axis[a] + side;
    }
    A->diagonal[0] = 0;
    A->values      = values.data();
    A->ld          = n;
    for (std::size_t c = 0; c < n; c++) {
      values[c] += 1e-4;
      for (int a = 0; a < 3; a++)
        if (c / shape.stride[a] % shape.extent[a] + 1 < static_cast<std::size_t>(shape.extent[a])) {
          const double      v = -std::exp(exponent(engine));
          const std::size_t d = c + shape.stride[a];

          values[(2 + 2 * a) * n + c] = values[(1 + 2 * a) * n + d] = v;
          values[c] -= v;
          values[d] -= v;
        }
    }
  }
};

/* The same coupling on both sides of a face, bit for bit: CG relies on it */
TEST(GridHalf, StaysSymmetric)
{
  const Hierarchy H;

  ASSERT_GT(H.S.levels.size(), 3u);
  for (const GridLevel<float> &L : H.S.levels) {
    int faces = 0;

    EXPECT_EQ(L.half, sizeof(Scalar) > sizeof(float));
    for (int k = 0; k < L.K; k++)
      for (int colour = 0; colour < 2; colour++)
        for (std::size_t column = 0; column < L.columns; column++) {
          const GridColumn C(L, colour, column);
          const long long  neighbour[] = {C.west, C.east, C.south, C.north};
          float            mine[4], theirs[4];

          if (!C.exists) continue;
          L.across<1>(L.half, 0, 0, L.at(k, colour, column), mine);
          for (int side = 0; side < 4; side++) {
            if (neighbour[side] < 0) {
              EXPECT_EQ(mine[side], 0);
              continue;
            }
            L.across<1>(L.half, 0, 0, L.at(k, 1 - colour, static_cast<std::size_t>(neighbour[side])), theirs);
            ASSERT_EQ(mine[side], theirs[side ^ 1]);
            EXPECT_LT(mine[side], 0);
            faces++;
          }
        }
    EXPECT_EQ(faces, 2 * L.K * (L.J * (L.I - 1) + L.I * (L.J - 1)));
  }
}

} // namespace

#else
SKIPPED_IN_SINGLE(GridHalf)
#endif

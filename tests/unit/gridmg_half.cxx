/*
   Couplings across lines in 16 bits: every reader of a level finds in a half one what it finds in a full one whose couplings are rounded already.
*/
#include "gridmg_block.hpp"
#include "pc/gridmg/rows/coarse_rows.hpp"
#include "pc/gridmg/host/host.hpp"

namespace
{

float rounded(float v)
{
  float first, second;

  grid_unpack(grid_pack(v, -v), first, second);
  EXPECT_EQ(first, -second);
  return first;
}

TEST(GridHalf, Rounds)
{
  for (float v : {1.f, -1.f, 0.f, 3.14159f, -2e-20f, 1e30f, 1.00390625f, 1.01171875f}) EXPECT_LE(std::fabs(rounded(v) - v), std::ldexp(std::fabs(v), -8));
  EXPECT_EQ(rounded(1.00390625f), 1.f); /* between two numbers: to the even one */
  EXPECT_EQ(rounded(1.01171875f), 1.015625f);
  EXPECT_EQ(rounded(-0.5f), -0.5f);
}

/* The range is that of single precision: nothing becomes infinite or loses its sign, what is small stays about what it is, what is no number stays none */
TEST(GridHalf, Range)
{
  using limits        = std::numeric_limits<float>;
  const float largest = std::ldexp(255.f, 120); /* of 16 bits */

  EXPECT_EQ(rounded(limits::max()), largest);
  EXPECT_EQ(rounded(-limits::max()), -largest);
  EXPECT_EQ(rounded(largest), largest);
  EXPECT_LE(std::fabs(rounded(limits::min()) - limits::min()), std::ldexp(limits::min(), -8));
  EXPECT_LE(std::fabs(rounded(1e-40f) - 1e-40f), std::ldexp(limits::min(), -7));
  EXPECT_TRUE(std::isinf(rounded(limits::infinity())));
  for (float v : {limits::quiet_NaN(), -limits::quiet_NaN()}) {
    float first, second;

    grid_unpack(grid_pack(v, 1.f), first, second);
    EXPECT_TRUE(std::isnan(first));
    EXPECT_EQ(second, 1.f);
  }
  std::mt19937 engine(7);
  for (int k = 0; k < 1000000; k++) {
    const std::uint32_t bits = engine();
    float               v;

    std::memcpy(&v, &bits, sizeof(v));
    if (!std::isfinite(v) || std::fabs(v) > largest || std::fabs(v) < limits::min()) continue;
    ASSERT_LE(std::fabs(rounded(v) - v), std::ldexp(std::fabs(v), -8)) << v;
  }
}

/* The same numbers in a full and in a half level */
template <int B>
struct Pair {
  GridLevel<float>   full, half;
  std::vector<float> memory[2];

  Pair(int K, int J, int I)
  {
    std::mt19937                          engine(5);
    std::uniform_real_distribution<float> number(-0.5f / B, 0.5f / B);

    full        = grid_level_of<float>(K, J, I);
    full.pair_j = full.pair_i = 1;
    half                      = full;
    half.half                 = true;
    for (int k = 0; k < 2; k++) {
      GridLevel<float> &L = k ? half : full;

      memory[k].assign(L.cells * (L.slots() * B * B + 3 * B), 0);
      L.coef = memory[k].data();
      L.x    = L.coef + L.slots() * B * B * L.cells;
      L.b    = L.x + B * L.cells;
      L.d    = L.b + B * L.cells;
    }
    for (int colour = 0; colour < 2; colour++)
      for (int k = 0; k < K; k++)
        for (std::size_t column = 0; column < full.columns; column++) {
          const GridColumn  C(full, colour, column);
          const std::size_t c = full.at(k, colour, column);

          if (!C.exists) continue;
          for (int p = 0; p < B; p++)
            for (int s = 0; s < B; s++) {
              const float v[4] = {C.west < 0 ? 0 : rounded(number(engine)), C.east < 0 ? 0 : rounded(number(engine)), C.south < 0 ? 0 : rounded(number(engine)),
                                  C.north < 0 ? 0 : rounded(number(engine))};

              full.store_across<B>(p, s, c, v);
              half.store_across<B>(p, s, c, v);
              for (int slot : {grid_below, grid_above, grid_pivot}) full.entry<B>(slot, p, s)[c] = half.entry<B>(slot, p, s)[c] = number(engine);
            }
          for (int p = 0; p < B; p++) {
            full.x[p * full.cells + c] = half.x[p * full.cells + c] = number(engine);
            full.b[p * full.cells + c] = half.b[p * full.cells + c] = number(engine);
          }
        }
  }
};

template <int B>
void same(const float *a, const float *b, std::size_t n, const char *what)
{
  bool any = false;

  for (std::size_t k = 0; k < n; k++) {
    ASSERT_EQ(a[k], b[k]) << what << ", " << B << " unknowns, " << k;
    any |= a[k] != 0;
  }
  EXPECT_TRUE(any);
}

template <int B>
void compare()
{
  Pair<B>               P(9, 5, 7), coarse(9, 3, 4);
  const std::size_t     n = P.full.cells;
  GridRawCell<B, float> raw[2];

  for (std::size_t c = 0; c < n; c++) {
    raw[0].load(P.full, c);
    raw[1].load(P.half, c);
    ASSERT_EQ(std::memcmp(raw, raw + 1, sizeof(raw[0])), 0);
  }
  for (int colour = 0; colour < 2; colour++) {
    for (const GridLevel<float> *L : {&P.full, &P.half})
      grid_solve_lines_host<B>(*L, colour, [&](int k, std::size_t column, float(&z)[B]) {
        const GridColumn C(*L, colour, column);

        if (C.exists) grid_line_rhs<B>(GridNeighbours<float>{*L, nullptr}, false, k, colour, column, C, z);
        return C.exists;
      });
    same<B>(P.full.x, P.half.x, B * n, "lines");
  }
  for (int k = 0; k < 9; k++)
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < coarse.full.columns; column++) {
        grid_restrict<B>(GridPacked<false>(), P.full, coarse.full, static_cast<const float *>(nullptr), k, colour, column);
        grid_restrict<B>(GridPacked<true>(), P.half, coarse.half, static_cast<const float *>(nullptr), k, colour, column);
      }
  same<B>(coarse.full.b, coarse.half.b, B * coarse.full.cells, "restriction");
  for (int k = 0; k < 9; k++)
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < coarse.full.columns; column++) {
        grid_coarse_cell<B>(P.full, coarse.full, k, colour, column);
        grid_coarse_cell<B>(P.half, coarse.half, k, colour, column);
      }
  for (std::size_t c = 0; c < coarse.full.cells; c++) { /* this one is rounded anew */
    raw[0].load(coarse.full, c);
    raw[1].load(coarse.half, c);
    for (int slot = 0; slot < grid_slots; slot++)
      for (int p = 0; p < B; p++)
        for (int s = 0; s < B; s++) {
          const float v = raw[0].value[slot][p][s];

          ASSERT_EQ(slot < grid_west || slot == grid_pivot ? v : rounded(v), raw[1].value[slot][p][s]) << "coarse operator, slot " << slot;
        }
  }
}

TEST(GridHalf, SameAsRounded)
{
  compare<1>();
  compare<2>();
  compare<3>();
}

/* What thread blocks do */
TEST(GridHalf, SameInBlocks)
{
  Pair<1> P(20, 5, 7), coarse(20, 3, 4);
  Pair<3> Q(20, 5, 7);

  for (int colour = 0; colour < 2; colour++) {
    GridStep s{GridOp::solve, 0, colour};

    for (int k = 0; k < 2; k++) {
      GridScan<float, 16>     scan;
      GridBlockScan<3, float> of_blocks;

      run_block(GridTuning::columns * 16, [&] {
        GridStored source;
        GridKept   sink = {false};

        for (std::size_t first = 0; first < P.full.columns; first += GridTuning::columns)
          if (k)
            grid_solve_lines<2, 16>(
              P.half, P.full, source, sink, s, first, scan, [] { return true; }, [] {}, GridPacked<true>());
          else
            grid_solve_lines<2, 16>(
              P.full, P.full, source, sink, s, first, scan, [] { return true; }, [] {});
      });
      run_block(GridTuning::columns * 16, [&] {
        GridRestricted<float>                   of     = {P.full, P.full.x};
        GridRestricted<float, GridPacked<true>> packed = {P.half, P.half.x};
        GridKept                                sink   = {false};

        for (std::size_t first = 0; first < coarse.full.columns; first += GridTuning::columns)
          if (k)
            grid_solve_lines<2, 16>(
              coarse.half, coarse.full, packed, sink, s, first, scan, [] { return true; }, [] {}, GridPacked<true>());
          else
            grid_solve_lines<2, 16>(
              coarse.full, coarse.full, of, sink, s, first, scan, [] { return true; }, [] {});
      });
      using Shape = GridBlockShape<3, float>;
      run_block(Shape::block(20), [&] {
        for (std::size_t first = 0; first < Q.full.columns; first += Shape::columns)
          if (k)
            grid_solve_block_lines<3, float>(
              Q.half, Q.full, s, first, of_blocks, [] {}, [] {}, GridPacked<true>());
          else
            grid_solve_block_lines<3, float>(
              Q.full, Q.full, s, first, of_blocks, [] {}, [] {});
      });
    }
    same<1>(P.full.x, P.half.x, P.full.cells, "lines");
    same<1>(coarse.full.b, coarse.half.b, coarse.full.cells, "restriction");
    same<3>(Q.full.x, Q.half.x, 3 * Q.full.cells, "lines");
  }
}

} // namespace

/*
   Cells of the finest level from the matrix, a row by a thread of a block, against one thread that has all rows: cells without couplings, with couplings from one side alone, rows of zeros, couplings
   with cells that are no neighbours, values that are not finite.
*/
#include "gridmg_block.hpp"
#include <array>

namespace
{

constexpr int columns_of_block = 4;

/* A matrix of a grid of K x J x I cells, k fastest, of b unknowns; every cell has its trouble with some probability */
struct Matrix {
  GridMatrix A;
  Vector     values;

  Matrix(int K, int J, int I, int b)
  {
    std::mt19937                           engine(11);
    std::uniform_real_distribution<Scalar> number(-1, 1);
    const std::size_t                      cells = static_cast<std::size_t>(K) * J * I;

    A.stride[0] = 1;
    A.stride[1] = static_cast<std::size_t>(K);
    A.stride[2] = static_cast<std::size_t>(K) * J;
    A.ld        = cells * b;
    A.scale     = 0.5;
    values.assign(7 * b * A.ld, 0);
    A.values = values.data();
    for (int r = 0; r < 7; r++) A.diagonal[r] = r;
    for (std::size_t c = 0; c < cells; c++) {
      const int  at[] = {static_cast<int>(c % K), static_cast<int>(c / K % J), static_cast<int>(c / K / J)}, n[] = {K, J, I};
      const int  trouble = static_cast<int>(engine() % 16);
      const bool nothing = trouble == 0, fixed = trouble == 1, last_row = trouble == 2, wrong = trouble == 3, infinite = trouble == 4;

      for (int r = 0; r < 7; r++)
        for (int i = 0; i < b; i++)
          for (int s = 0; s < b; s++) {
            const int    axis   = r ? (r - 1) / 2 : 0;
            const bool   inside = !r || (r % 2 ? at[axis] > 0 : at[axis] + 1 < n[axis]);
            const Scalar value  = number(engine);
            Scalar      &to     = values[static_cast<std::size_t>(r * b + s) * A.ld + c * b + i];

            if (inside && !nothing && !(fixed && r)) to = value;
            if (last_row && r && i + 1 < b) to = 0; /* what a cell has for its neighbours is in its last row */
            if (wrong && !inside && i + 1 == b && s + 1 == b) to = 1;
            if (infinite && !r && i + 1 == b && s == 0) to = c % 2 ? INFINITY : NAN;
          }
    }
  }
};

/* Bits of numbers, so that those that are none are equal too */
template <class Real>
bool same(Real a, Real b)
{
  return std::memcmp(&a, &b, sizeof(Real)) == 0 || (std::isnan(a) && std::isnan(b));
}

template <int B, class Real>
void compare(int K, int J, int I, bool half)
{
  const Matrix          M(K, J, I, B);
  GridLevel<Real>       L[2];
  std::vector<Real>     memory[2];
  std::vector<unsigned> faults[2];
  unsigned              seen = 0;

  for (int n = 0; n < 2; n++) {
    L[n]          = grid_level_of<Real>(K, J, I);
    L[n].unknowns = B;
    L[n].half     = half;
    memory[n].assign(L[n].cells * grid_slots * B * B, 7);
    faults[n].assign(2 * K * L[n].columns, 0);
    L[n].coef = memory[n].data();
  }
  for (int layer = 0; layer < 2 * K; layer++)
    for (std::size_t c = 0; c < L[0].columns; c++) faults[0][layer * L[0].columns + c] = grid_load_cell<B>(M.A, L[0], layer >> 1, layer & 1, c);
  GridRowBits<B, columns_of_block> bits;
  run_block(columns_of_block * B, [&] {
    const int                             x = threadIdx.x % columns_of_block;
    const GridOneRow<B, columns_of_block> row(bits, x, threadIdx.x / columns_of_block);

    for (std::size_t first = 0; first < L[1].columns; first += columns_of_block)
      for (int layer = 0; layer < 2 * K; layer++) {
        const bool        within = first + x < L[1].columns;
        const std::size_t column = within ? first + x : L[1].columns - 1;
        const unsigned    mine   = grid_load_cell<B>(
          M.A, L[1], layer >> 1, layer & 1, column, [](std::size_t, const Scalar(&)[grid_slots], Scalar) {}, row);
        const unsigned all = row.faults(mine);

        if (within && threadIdx.x < columns_of_block) faults[1][layer * L[1].columns + column] = all;
      }
  });
  for (std::size_t k = 0; k < memory[0].size(); k++) ASSERT_TRUE(same(memory[0][k], memory[1][k])) << B << " unknowns, place " << k;
  EXPECT_EQ(faults[0], faults[1]) << B;
  for (unsigned f : faults[0]) seen |= f;
  EXPECT_EQ(seen, (1u << grid_zero_row) | (1u << grid_not_finite) | (1u << grid_not_neighbours) | (1u << grid_fixed_rows)) << B;
}

TEST(GridLoad, RowsByThreads)
{
  compare<4, double>(5, 6, 7, false);
  compare<4, float>(4, 5, 6, true);
  compare<7, float>(5, 5, 5, false);
  compare<8, float>(6, 5, 4, true);
}

} // namespace

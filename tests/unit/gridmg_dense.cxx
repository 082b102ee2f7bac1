/*
   Lines of the structured multigrid that are solved by an inverse: which levels have them, the inverses, and what thread blocks do with them, with threads of the host in place of those of the
   device.
*/
#include "gridmg_block.hpp"
#include "gridmg_wells.hpp"
#include "pc/gridmg/hierarchy/lists.hpp"

namespace
{

/* The matrix of a line, written down once more */
std::vector<double> matrix_of(const Wells &w, int line)
{
  const GridLevel<double>     &L = w.Level();
  const GridRemainder<double> &K = w.S.remainder[0];
  const int                    n = w.S.dense[0].n, B = w.S.B, place = w.S.dense[0].column[line];
  std::vector<double>          A(static_cast<std::size_t>(n * n));

  for (int i = 0; i < n; i++)
    for (int s = 0; s < B; s++) {
      const std::size_t c   = 2 * L.columns * static_cast<std::size_t>(i / B) + static_cast<std::size_t>(place);
      double            sum = L.entry<0>(grid_pivot, i % B, s)[c];

      for (int slot = 0; slot < grid_pivot; slot++) sum -= L.entry<0>(slot, i % B, s)[c];
      A[static_cast<std::size_t>(i * n + i / B * B + s)] = sum;
      if (i / B > 0) A[static_cast<std::size_t>(i * n + (i / B - 1) * B + s)] = L.entry<0>(grid_below, i % B, s)[c];
      if (i / B + 1 < L.K) A[static_cast<std::size_t>(i * n + (i / B + 1) * B + s)] = L.entry<0>(grid_above, i % B, s)[c];
    }
  const auto at = [&](std::int64_t row) { /* of the line, or -1 */
                                          const std::size_t c = static_cast<std::size_t>(row) % L.cells;

                                          return c % (2 * L.columns) == static_cast<std::size_t>(place)
                                                   ? static_cast<int>(c / (2 * L.columns)) * B + static_cast<int>(static_cast<std::size_t>(row) / L.cells)
                                                   : -1;
  };
  for (int r = 0; r < K.rows; r++)
    for (int e = K.ptr[r]; e < K.ptr[r + 1]; e++)
      if (at(K.row[r]) >= 0) A[static_cast<std::size_t>(at(K.row[r]) * n + at(K.col[e]))] += K.value[e];
  return A;
}

TEST(GridDense, Inverses)
{
  for (int B : {1, 2, 3, 5, 8})
    for (int K : {1, 3, 4, 8, 9, 31, 33}) {
      Wells      w(K, 3, 4, B, {1, 6, 11});
      GridReport report;
      const int  n = w.S.dense[0].n, lines = w.S.dense[0].lines;

      ASSERT_EQ(lines, K > 2 ? 3 : 0);
      grid_invert_dense_host(w.S, 1, &report);
      EXPECT_EQ(report.count[grid_singular], 0ull);
      for (int line = 0; line < lines; line++) {
        const std::vector<double> A    = matrix_of(w, line);
        double                    most = 0;

        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;

            for (int k = 0; k < n; k++) sum += A[static_cast<std::size_t>(i * n + k)] * w.S.dense[0].row(line, k)[j];
            most = std::max(most, std::fabs(sum));
          }
        EXPECT_LT(most, 1e-11) << K << " cells of " << B << ", line " << line;
      }
    }
}

/* Row sums of zero: one unknown and one equation are left out, and the others are solved */
TEST(GridDense, SingularLines)
{
  for (int K : {5, 8, 20, 33}) {
    Wells      w(K, 1, 2, 1, {0}, true);
    GridReport report;
    int        unsolved = 0, zeros = 0;

    grid_invert_dense_host(w.S, 1, &report);
    EXPECT_EQ(report.count[grid_singular], 1ull) << K;
    const std::vector<double> A = matrix_of(w, 0);
    std::vector<double>       x(static_cast<std::size_t>(K));
    for (int i = 0; i < K; i++) {
      for (int j = 0; j < K; j++) x[static_cast<std::size_t>(i)] += w.S.dense[0].row(0, i)[j] * (j % 3 - 1);
      zeros += x[static_cast<std::size_t>(i)] == 0;
    }
    for (int i = 0; i < K; i++) {
      double left = i % 3 - 1;

      for (int j = 0; j < K; j++) left -= A[static_cast<std::size_t>(i * K + j)] * x[static_cast<std::size_t>(j)];
      unsolved += std::fabs(left) > 1e-10;
    }
    EXPECT_EQ(zeros, 1) << K;
    EXPECT_LE(unsolved, 1) << K;
  }
}

/* A step by thread blocks, those of lines with an inverse behind the others, against the host */
template <int B, class F>
void compare(int K, int threads, bool zero, bool change, F regular)
{
  for (int colour = 0; colour < 2; colour++) {
    Wells      w(K, 3, 4, B, {1, 6, 11, 2});
    GridReport report;
    GridStep   s{GridOp::solve, 0, colour};

    s.zero   = zero;
    s.change = change;
    grid_factor_host(w.S, 1, &report);
    const std::vector<double> before = w.Memory();
    w.S.plan.steps                   = {s};
    grid_steps_host(w.S, 0, 1);
    const std::vector<double> wanted = w.Memory();
    w.Restore(before);
    const GridLevel<double> &L = w.Level();
    const GridDense<double>  D = w.S.Dense(0);
    std::vector<double>      r(static_cast<std::size_t>(D.n)), parts(static_cast<std::size_t>(threads));
    regular(L, s, D.line);
    run_block(threads, [&] {
      const auto sum = [&](double part) {
        double total = 0;

        parts[static_cast<std::size_t>(threadIdx.x)] = part;
        warp_of_threads->Wait();
        for (int lane = 0; lane < 32; lane++) total += parts[static_cast<std::size_t>(threadIdx.x / 32 * 32 + lane)];
        warp_of_threads->Wait();
        return total;
      };

      for (unsigned block = 0; block < static_cast<unsigned>(D.last(colour) - D.first(colour)) * grid_dense_shares(D.n, threads); block++) {
        grid_solve_dense_lines<B>(
          L, L, D, GridStoredRows(), s, block, threads, r.data(), sum, [] {}, [] {}, GridPacked<false>());
        block_of_threads->Wait(); /* r is that of the next block */
      }
    });
    double most = 0;
    for (std::size_t k = 0; k < wanted.size(); k++) most = std::max(most, std::fabs(wanted[k] - w.Memory()[k]));
    EXPECT_LT(most, 1e-11) << K << " cells of " << B << ", " << threads << " threads, colour " << colour << (zero ? ", from zero" : "")
                           << (change ? ", with the change" : "");
  }
}

TEST(GridDense, ThreadBlocks)
{
  const auto lines = [](const GridLevel<double> &L, const GridStep &s, const int *inverses) {
    with_chunks(L.K, [&](auto cells, auto chunks) {
      GridScan<double, chunks()> scan;

      run_block(GridTuning::columns * chunks(), [&] {
        GridStored source;
        GridKept   sink = {s.change};

        for (std::size_t first = 0; first < L.columns; first += GridTuning::columns)
          grid_solve_lines<cells(), chunks()>(
            L, L, source, sink, s, first, scan, [] { return true; }, [] {}, GridPacked<false>(), inverses);
      });
    });
  };
  const auto blocks = [](const GridLevel<double> &L, const GridStep &s, const int *inverses) {
    using Shape = GridBlockShape<3, double>;
    GridBlockScan<3, double> scan;

    run_block(Shape::block(L.K), [&] {
      for (std::size_t first = 0; first < L.columns; first += Shape::columns)
        grid_solve_block_lines<3, double>(
          L, L, s, first, scan, [] {}, [] {}, GridPacked<false>(), inverses);
    });
  };

  for (int K : {3, 33, 300})
    for (int threads : {32, 64}) compare<1>(K, threads, threads == 32, K % 2, lines);
  for (int K : {3, 12, 100}) compare<3>(K, 64, false, K % 2, blocks);
  compare<3>(7, 32, true, true, blocks);
}

/* From which level on */
TEST(GridDense, WhichLevels)
{
  const auto entry = [](int k, int j, int i, int m, int n, int o) {
    return GridEntry{
      {0, k, j, i},
      {0, m, n, o}
    };
  };
  GridPlan   plan;
  const auto from =
    [&](int B, const std::vector<GridEntry> &entries) { /* the first one, or their number */
                                                        const std::vector<int> lines = grid_dense_lines(plan, B, grid_remainder_levels(B, entries, plan));

                                                        return std::find_if(lines.begin(), lines.end(), [](int n) { return n > 0; }) - lines.begin();
    };
  const auto grid = [&](int K) {
    plan.levels.clear();
    for (int n = 16; n > 0; n /= 2) plan.levels.push_back({K, n, n, n > 1, n > 1});
  };

  grid(20);
  EXPECT_EQ(from(1, {}), 5); /* nothing to solve so */
  EXPECT_EQ(from(1, {entry(1, 3, 4, 9, 3, 4), entry(9, 3, 4, 1, 3, 4)}), 0);
  EXPECT_EQ(from(1, {entry(1, 3, 4, 9, 3, 5)}), 1);  /* lines 4 and 5 are one line of the next level */
  EXPECT_EQ(from(1, {entry(1, 3, 4, 9, 3, 12)}), 4); /* these of the last one */
  EXPECT_EQ(from(8, {entry(1, 3, 4, 9, 3, 4)}), 0);
  grid(520);
  EXPECT_EQ(from(1, {entry(1, 3, 4, 9, 3, 4)}), 5); /* lines that are too long */
  grid(500);
  std::vector<GridEntry> many;
  for (int line = 0; line < 256; line++) many.push_back(entry(1, line / 16, line % 16, 9, line / 16, line % 16));
  EXPECT_EQ(from(1, many), 4); /* 250000 numbers for each line: those of the next level, four of them, and the last are more than a million */
  many.resize(1);
  EXPECT_EQ(from(1, many), 1);
}

} // namespace

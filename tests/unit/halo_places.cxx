/*
   CG that goes on by itself in kernels of several ranks, each block a thread here: sums over all blocks of all ranks, and a halo that is sent and carried on between them, by the
   functions that kernels use. Random delays; residuals against CG on one rank, and the same bits in all blocks and in every run.
*/
#include "peer_grids.hpp"
#include "pass/halo_places.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace heptane;

namespace
{

/*
   A ring of `ranks` times `per_rank` unknowns, each coupled to the two beside it and one across; a block is one thread with PLACES rows of each of its THREADS. Inside a rank
   the blocks exchange z by an array each, published by the sum.
*/
class Ring {
public:
  static constexpr int PLACES = 3, THREADS = 2, per_block = PLACES * THREADS;

  Ring(int of_ranks, int of_blocks, std::uint64_t limit = 60 * second)
    : ranks(of_ranks), blocks(of_blocks), per_rank(blocks * per_block), n(ranks * per_rank), grids(std::vector<int>(ranks, blocks), 7, limit),
      A(n, std::vector<double>(n)), r(n), p(n), shared(2, std::vector<double>(n)), of_rank(ranks)
  {
    for (int i = 0; i < n; i++)
      for (int j : {i - 1, i + 1, i + n / 2}) {
        const int    k = (j + n) % n;
        const double a = -1. / (1 + std::abs(i - k) % 3 + (i + k) % 5);
        A[i][k] = A[k][i] = a;
      }
    for (int i = 0; i < n; i++) A[i][i] = 4;
    for (int k = 0; k < ranks; k++) Make(k);
  }

  /* CG from b by all blocks. norms: of each iteration, squared, as the first block has them; how many other blocks have other bits */
  template <bool LATE>
  int Solve(const std::vector<double> &b, int its, int seed, std::vector<double> *norms)
  {
    const std::vector<std::pair<int, int>> all  = everyone(std::vector<int>(ranks, blocks));
    const double                           beta = std::inner_product(b.begin(), b.end(), b.begin(), 0.);
    std::vector<std::vector<double>>       of_block(all.size());

    r = p = b;
    on_ranks(static_cast<int>(all.size()), [&](int i) { Block<LATE>(all[i].first, all[i].second, its, beta, seed + i, &of_block[i]); });
    *norms = of_block[0];
    return static_cast<int>(std::count_if(of_block.begin(), of_block.end(), [&](const auto &other) { return other != of_block[0]; }));
  }

  struct Rank {
    std::vector<PeerWord>      words;
    std::vector<int>           send_row;
    std::vector<PeerNeighbour> neighbour;
    std::vector<int>           ghost; /* global numbers */
    PeerHalo                   H;
    ByRow                      sent, rows;
    std::uint64_t              rounds = 4; /* as if others had used the memory */
    int                        failed = 0;
  };

  const int                        ranks, blocks, per_rank, n;
  Grids                            grids;
  std::vector<std::vector<double>> A;
  std::vector<double>              r, p;
  std::vector<std::vector<double>> shared;
  std::vector<Rank>                of_rank;

private:
  std::vector<int> Needs(int a, int b) const;
  void             Make(int k);
  template <bool LATE>
  void Block(int rank, int block, int its, double beta, int seed, std::vector<double> *norms);
};

/* Columns of rank b in rows of rank a */
std::vector<int> Ring::Needs(int a, int b) const
{
  std::vector<int> columns;

  for (int j = b * per_rank; a != b && j < (b + 1) * per_rank; j++)
    for (int i = a * per_rank; i < (a + 1) * per_rank; i++)
      if (A[i][j] != 0) {
        columns.push_back(j);
        break;
      }
  return columns;
}

/* The lists of rank k, with its columns of other ranks by their owners. The matrix is symmetric: whoever sends to a rank receives from it too */
void Ring::Make(int k)
{
  Rank                         &R = of_rank[k];
  std::vector<std::vector<int>> sent(per_rank);

  for (int b = 0; b < ranks; b++)
    for (int j : Needs(k, b)) R.ghost.push_back(j);
  R.H.ghosts = R.H.stride = static_cast<int>(R.ghost.size());
  R.words.resize(2 * R.ghost.size() + 1);
  for (int b = 0; b < ranks; b++) {
    const std::vector<int> columns = Needs(b, k);
    if (columns.empty()) continue;
    for (std::size_t s = 0; s < columns.size(); s++)
      sent[columns[s] - k * per_rank].push_back(peer_target(static_cast<int>(R.neighbour.size()), static_cast<int>(s)));
    int at = 0, stride = 0; /* of my values among the words of rank b */
    for (int c = 0; c < ranks; c++) {
      if (c == k) at = stride;
      stride += static_cast<int>(Needs(b, c).size());
    }
    of_rank[b].words.resize(2 * stride + 1);
    R.neighbour.push_back({static_cast<int>(R.send_row.size()), stride, of_rank[b].words.data() + at});
    for (int j : columns) R.send_row.push_back(j - k * per_rank);
  }
  for (int i = 0; i < per_rank; i++) {
    for (int target : sent[i]) R.sent.Entry(i, target);
    for (std::size_t g = 0; g < R.ghost.size(); g++)
      if (A[k * per_rank + i][R.ghost[g]] != 0) R.rows.Entry(i, static_cast<int>(g), static_cast<Scalar>(A[k * per_rank + i][R.ghost[g]]));
  }
  R.H.sends      = static_cast<int>(R.send_row.size());
  R.H.send_row   = R.send_row.data();
  R.H.neighbours = static_cast<int>(R.neighbour.size());
  R.H.neighbour  = R.neighbour.data();
  R.H.ghost      = R.words.data();
  R.H.rounds     = &R.rounds;
  R.H.limit      = {grids.G[k].limit.nanoseconds, &R.failed};
}

/* LATE: z of other ranks is taken in the product, else behind the second sum */
template <bool LATE>
void Ring::Block(int rank, int block, int its, double beta, int seed, std::vector<double> *norms)
{
  Rank                    &R     = of_rank[rank];
  const int                first = rank * per_rank, start = block * per_block;
  Reduce                   reduce(grids.G[rank], block, 1);
  HaloPlaces<PLACES, LATE> halo[THREADS];
  std::vector<double>      mine(per_rank), w(per_block);
  std::uint64_t            round = peer_round(R.H) - 1;
  std::vector<PeerWord *>  to(R.H.neighbours);
  Delay                    delay(seed);
  const RemainderRows      sent = R.sent.View(), rows = R.rows.View();
  auto                     send = [&](const std::vector<double> &v) {
    round++;
    for (int n = 0; n < R.H.neighbours; n++) to[n] = peer_buffer(R.H, round, n);
    for (int t = 0; t < THREADS; t++) halo[t].send(to.data(), sent, start + t, THREADS, round, [&](int q) { return v[first + start + t + q * THREADS]; });
  };
  auto take = [&](int t) { halo[t].take(R.H, rows, start + t, THREADS, round); };

  for (int t = 0; t < THREADS; t++) halo[t].find(sent, rows, start + t, THREADS, start + per_block);
  for (int i = 0; i < per_rank; i++) mine[i] = p[first + i]; /* all of this rank, as a block carries on what it has of others */
  send(p);
  for (int t = 0; t < THREADS && !LATE; t++) take(t);
  double b = 0;
  for (int it = 0; it < its; it++) {
    std::vector<double> &there  = shared[it & 1];
    double               one[1] = {0}, two[2] = {0, 0}, sum[1] = {0}, sums[2] = {0, 0};

    std::fill(w.begin(), w.end(), 0);
    for (int t = 0; t < THREADS; t++) {
      auto each = [&](int q, Scalar y) { w[t + q * THREADS] += y; };
      if constexpr (LATE) halo[t].take_and_carry_on(R.H, rows, start + t, THREADS, round, static_cast<Scalar>(b), each);
      else halo[t].carry_on(static_cast<Scalar>(b), each);
    }
    for (int l = 0; l < per_block; l++) {
      const int i = start + l;
      for (int j = 0; j < per_rank; j++) w[l] += A[first + i][first + j] * mine[j];
      one[0] += w[l] * mine[i];
    }
    delay();
    reduce.sum(one, sum);
    const double a = beta / sum[0];
    for (int l = 0; l < per_block; l++) {
      const int i = first + start + l;
      r[i] -= a * w[l];
      there[i] = r[i];
      two[0] += r[i] * r[i];
    }
    send(there);
    delay();
    reduce.sum(two, sums);
    b    = sums[0] / beta;
    beta = sums[0];
    for (int t = 0; t < THREADS && !LATE; t++) take(t);
    for (int i = 0; i < per_rank; i++) mine[i] = there[first + i] + b * mine[i];
    norms->push_back(beta);
  }
  reduce.end();
  if (block == 0) peer_end_rounds(R.H, grids.G[rank].limit, round);
}

/* The squared norms of CG on one rank, in the plainest way */
std::vector<double> plain_cg(const std::vector<std::vector<double>> &A, std::vector<double> r, int its)
{
  const std::size_t   n    = r.size();
  std::vector<double> p    = r, w(n), norms;
  double              beta = std::inner_product(r.begin(), r.end(), r.begin(), 0.);

  for (int it = 0; it < its; it++) {
    for (std::size_t i = 0; i < n; i++) w[i] = std::inner_product(p.begin(), p.end(), A[i].begin(), 0.);
    const double a = beta / std::inner_product(p.begin(), p.end(), w.begin(), 0.);
    for (std::size_t i = 0; i < n; i++) r[i] -= a * w[i];
    const double now = std::inner_product(r.begin(), r.end(), r.begin(), 0.);
    for (std::size_t i = 0; i < n; i++) p[i] = r[i] + now / beta * p[i];
    beta = now;
    norms.push_back(beta);
  }
  return norms;
}

/* Kernel after kernel, of both kinds in turn: the residuals of CG, the same bits in all blocks and in every run */
TEST(Peer, CgThatGoesOnInKernelsOfAllRanks)
{
  for (auto [ranks, blocks] : {
         std::pair{1, 2},
         {2, 1},
         {2, 3},
         {3, 2},
         {4, 1}
  }) {
    Ring                ring(ranks, blocks);
    const int           its = 25;
    std::vector<double> b(ring.n), norms, first[2];

    for (int i = 0; i < ring.n; i++) b[i] = 1 + i % 7 - 0.3 * (i % 3);
    const std::vector<double> plain = plain_cg(ring.A, b, its);
    for (int run = 0; run < 12; run++) {
      const int late = run % 2;

      EXPECT_EQ(late ? ring.Solve<true>(b, its, 31 * run, &norms) : ring.Solve<false>(b, its, 31 * run, &norms), 0);
      if (run < 2) {
        first[late] = norms;
        for (int it = 0; it < its; it++) EXPECT_NEAR(norms[it], plain[it], 1e-9 * plain[it] + 1e-20 * plain[0]) << ranks << " ranks, iteration " << it;
      }
      EXPECT_EQ(norms, first[late]) << ranks << " ranks, run " << run;
    }
  }
}

} // namespace

/*
   CG and BiCGStab that go on by themselves in kernels of several ranks: the system and what ranks and blocks have of it.
*/
#pragma once

#include "peer_grids.hpp"
#include "pass/product/halo_places.hpp"
#include <numeric>

namespace heptane
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

  /* From b by all blocks. norms: of each iteration, squared, as the first block has them; how many other blocks have other bits */
  int Solve(bool cg, const std::vector<double> &b, int its, int seed, std::vector<double> *norms)
  {
    const std::vector<std::pair<int, int>> all  = everyone(std::vector<int>(ranks, blocks));
    const double                           beta = std::inner_product(b.begin(), b.end(), b.begin(), 0.);
    std::vector<std::vector<double>>       of_block(all.size());

    r = p = b;
    on_ranks(static_cast<int>(all.size()), [&](int i) {
      auto block = cg ? &Ring::Cg : together > 1 ? &Ring::Bcgs<2> : &Ring::Bcgs<1>;
      (this->*block)(all[i].first, all[i].second, its, beta, seed + i, &of_block[i]);
    });
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
  int                              together = 1; /* columns of other ranks that a row of BiCGStab asks for at once, 1 or 2 */
  Grids                            grids;
  std::vector<std::vector<double>> A;
  std::vector<double>              r, p;
  std::vector<std::vector<double>> shared;
  std::vector<Rank>                of_rank;

private:
  std::vector<int> Needs(int a, int b) const;
  void             Make(int k);
  void             Cg(int rank, int block, int its, double beta, int seed, std::vector<double> *norms);
  template <int COLUMNS>
  void Bcgs(int rank, int block, int its, double rho, int seed, std::vector<double> *norms);
};

/* Columns of rank b in rows of rank a */
inline std::vector<int> Ring::Needs(int a, int b) const
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
inline void Ring::Make(int k)
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

/* What a block does with the halo */
template <int KEPT, int COLUMNS = 1>
class BlockHalo {
public:
  static constexpr int threads = Ring::THREADS;

  BlockHalo(Ring::Rank &rank, int first, int end)
    : R(rank), sent(R.sent.View()), rows(R.rows.View()), start(first), round(peer_round(R.H) - 1), to(R.H.neighbours)
  {
    for (int t = 0; t < threads; t++) {
      halo[t].find(sent, rows, start + t, threads, end);
      if (first / Ring::per_block % 2 == 0)
        continue; /* every other block has the further columns of a row summed by others, as long rows of kernels are by a warp */
      excluded[t] = halo[t].several();
      halo[t].exclude(excluded[t]);
    }
  }
  /* own: of the block's rows */
  void send(const double *own, bool begins = false)
  {
    round++;
    for (int n = 0; n < R.H.neighbours; n++) to[n] = peer_buffer(R.H, round, n);
    for (int t = 0; t < threads; t++) {
      auto value = [&](int q) { return own[t + q * threads]; };
      if (begins) halo[t].send_first(to.data(), sent, start + t, threads, round, value);
      else halo[t].send(to.data(), sent, start + t, threads, round, value);
    }
  }
  void receive()
  {
    for (int t = 0; t < threads; t++) {
      halo[t].receive(R.H, rows, start + t, threads, round);
      for (int q = 0; q < Ring::PLACES; q++) {
        if (!(excluded[t] >> q & 1)) continue;
        const int k   = remainder_of(rows, start + t + q * threads);
        Scalar    sum = 0;
        for (int lane = 0; lane < 32; lane++) sum += halo_share(rows, rows.ptr[k] + COLUMNS, rows.ptr[k + 1], lane, R.H, round);
        halo[t].add(q, sum);
      }
    }
  }
  /* each(own row, C z, what is carried on) */
  template <class Each>
  void update_halo(Each &&each)
  {
    for (int t = 0; t < threads; t++) halo[t].update_halo([&](int q, Scalar z, Scalar(&carried)[KEPT]) { each(t + q * threads, z, carried); });
  }

  Ring::Rank                                         &R;
  const RemainderRows                                 sent, rows;
  const int                                           start;
  std::uint64_t                                       round;
  std::vector<PeerWord *>                             to;
  HaloPlaces<Ring::PLACES, KEPT, COLUMNS, (KEPT > 1)> halo[threads];
  unsigned                                            excluded[threads] = {};
};

} // namespace heptane

/*
   CG and BiCGStab that go on by themselves in kernels of several ranks, each block a thread here: sums over all blocks of all ranks, and a halo that is sent and carried on between them, by the
   functions that kernels use. Random delays; residuals against those on one rank, and the same bits in all blocks and in every run.
*/
#include "ksp/fusedbcgs/carried.hpp"
#include "peer_ring.hpp"
#include <numeric>

namespace heptane
{

void Ring::Cg(int rank, int block, int its, double beta, int seed, std::vector<double> *norms)
{
  const int           first = rank * per_rank, start = block * per_block;
  Reduce              reduce(grids.G[rank], block, 1);
  BlockHalo<1>        halo(of_rank[rank], start, start + per_block);
  std::vector<double> mine(p.begin() + first, p.begin() + first + per_rank),
    w(per_block); /* mine: of all of this rank, as a block carries on what it has of others */
  Delay  delay(seed);
  double b = 0;

  halo.send(&mine[start], true);
  halo.receive();
  for (int it = 0; it < its; it++) {
    std::vector<double> &there  = shared[it & 1];
    double               one[1] = {0}, two[2] = {0, 0}, sum[1] = {0}, sums[2] = {0, 0};

    for (int l = 0; l < per_block; l++) w[l] = std::inner_product(mine.begin(), mine.end(), A[first + start + l].begin() + first, 0.);
    halo.update_halo([&](int l, Scalar z, Scalar(&carried)[1]) {
      carried[0] = z + static_cast<Scalar>(b) * carried[0];
      w[l] += carried[0];
    });
    for (int l = 0; l < per_block; l++) one[0] += w[l] * mine[start + l];
    delay();
    reduce.sum(one, sum);
    const double a = beta / sum[0];
    for (int l = 0; l < per_block; l++) {
      const int i = first + start + l;
      r[i] -= a * w[l];
      there[i] = r[i];
      two[0] += r[i] * r[i];
    }
    halo.send(&there[first + start]);
    delay();
    reduce.sum(two, sums);
    if (it + 1 < its) halo.receive(); /* the last round is read by nobody */
    b    = sums[0] / beta;
    beta = sums[0];
    for (int i = 0; i < per_rank; i++) mine[i] = there[first + i] + b * mine[i];
    norms->push_back(beta);
  }
  reduce.end();
  if (block == 0) peer_end_rounds(halo.R.H, grids.G[rank].limit, halo.round);
}

/* Longer than 60 lines: vectors stay from one product to the next, as in the kernel */
template <int COLUMNS>
void Ring::Bcgs(int rank, int block, int its, double rho, int seed, std::vector<double> *norms)
{
  const int                 first = rank * per_rank, start = block * per_block;
  Reduce                    reduce(grids.G[rank], block, 1);
  BlockHalo<3, COLUMNS>     halo(of_rank[rank], start, start + per_block);
  std::vector<double>       P(p.begin() + first, p.begin() + first + per_rank), S = P, V(per_rank), own(per_block); /* of all of this rank; S: r and s */
  const std::vector<double> r0(P.begin() + start, P.begin() + start + per_block);
  Delay                     delay(seed);
  double                    nothing[1] = {0}, square = 0, alpha = 0, omega = 0, beta = 0;
  BcgsScalars               scalars = {};

  halo.send(&P[start], true);
  halo.receive();
  halo.update_halo([&](int, Scalar z, Scalar(&carried)[3]) { carried[BcgsCarried::of_p] = z; });
  delay();
  reduce.sum(nothing, nothing);
  halo.send(&S[start], true);
  halo.receive();
  for (int it = 0; it <= its; it++) {
    double one[2] = {0, square}, ones[2], four[4] = {0, 0, 0, 0}, fours[4];

    for (int l = 0; l < per_block; l++) own[l] = std::inner_product(P.begin(), P.end(), A[first + start + l].begin() + first, 0.);
    scalars.omega = static_cast<Scalar>(omega), scalars.beta = static_cast<Scalar>(beta);
    halo.update_halo([&](int l, Scalar z, Scalar(&carried)[3]) { own[l] += BcgsCarried::to_p(scalars, it > 0, z, carried); });
    for (int l = 0; l < per_block; l++) {
      shared[0][first + start + l] = own[l];
      one[0] += own[l] * r0[l];
    }
    halo.send(own.data());
    delay();
    reduce.sum(one, ones);
    halo.receive();
    if (it) norms->push_back(ones[1]);
    alpha = rho / ones[0];
    for (int i = 0; i < per_rank; i++) {
      V[i] = shared[0][first + i];
      S[i] -= alpha * V[i];
    }
    for (int l = 0; l < per_block; l++) own[l] = std::inner_product(S.begin(), S.end(), A[first + start + l].begin() + first, 0.);
    halo.update_halo([&](int l, Scalar z, Scalar(&carried)[3]) { own[l] += BcgsCarried::to_s(static_cast<Scalar>(alpha), z, carried); });
    for (int l = 0; l < per_block; l++) {
      const double s               = S[start + l];
      shared[1][first + start + l] = own[l];
      four[0] += own[l] * s, four[1] += own[l] * own[l], four[2] += r0[l] * own[l], four[3] += r0[l] * s;
    }
    halo.send(own.data());
    delay();
    reduce.sum(four, fours);
    if (it < its) halo.receive();
    omega = fours[0] / fours[1];
    beta  = (fours[3] - omega * fours[2]) / rho * alpha / omega;
    rho   = fours[3] - omega * fours[2];
    for (int i = 0; i < per_rank; i++) {
      S[i] -= omega * shared[1][first + i];
      P[i] = S[i] + beta * (P[i] - omega * V[i]);
    }
    square = std::inner_product(S.begin() + start, S.begin() + start + per_block, S.begin() + start, 0.);
  }
  reduce.end();
  if (block == 0) peer_end_rounds(halo.R.H, grids.G[rank].limit, halo.round);
}

namespace
{

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

/* The same of BiCGStab */
std::vector<double> plain_bcgs(const std::vector<std::vector<double>> &A, std::vector<double> r, int its)
{
  const std::vector<double> r0 = r;
  std::vector<double>       p  = r, v(r.size()), t(r.size()), norms;
  auto   dot = [](const std::vector<double> &a, const std::vector<double> &b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.); };
  double rho = dot(r, r);

  for (int it = 0; it < its; it++) {
    for (std::size_t i = 0; i < r.size(); i++) v[i] = dot(A[i], p);
    const double alpha = rho / dot(v, r0);
    for (std::size_t i = 0; i < r.size(); i++) r[i] -= alpha * v[i];
    for (std::size_t i = 0; i < r.size(); i++) t[i] = dot(A[i], r);
    const double omega = dot(t, r) / dot(t, t);
    for (std::size_t i = 0; i < r.size(); i++) r[i] -= omega * t[i];
    const double now = dot(r0, r), beta = now / rho * alpha / omega;
    for (std::size_t i = 0; i < r.size(); i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    rho = now;
    norms.push_back(dot(r, r));
  }
  return norms;
}

/* Kernel after kernel, of both methods in turn: the residuals of the method, the same bits in all blocks and in every run. together: see Ring */
void solve_on(int ranks, int blocks, int together)
{
  Ring                ring(ranks, blocks);
  std::vector<double> b(ring.n), norms, first[2];

  ring.together = together;
  for (int i = 0; i < ring.n; i++) b[i] = 1 + i % 7 - 0.3 * (i % 3);
  const double square = std::inner_product(b.begin(), b.end(), b.begin(), 0.);
  for (int run = 0; run < 24; run++) {
    const bool cg  = run % 2 == 0;
    const int  its = cg ? 25 : 8;

    EXPECT_EQ(ring.Solve(cg, b, its, 31 * run, &norms), 0);
    if (run < 2) {
      const std::vector<double> plain = cg ? plain_cg(ring.A, b, its) : plain_bcgs(ring.A, b, its);
      first[cg]                       = norms;
      ASSERT_EQ(norms.size(), plain.size());
      for (int it = 0; it < its; it++)
        EXPECT_NEAR(std::sqrt(norms[it]), std::sqrt(plain[it]), 32 * std::numeric_limits<Scalar>::epsilon() * std::sqrt(square)) /* the halo is a Scalar */
          << ranks << " ranks, iteration " << it << (cg ? " of CG" : " of BiCGStab");
    }
    EXPECT_EQ(norms, first[cg]) << ranks << " ranks, run " << run;
  }
}

TEST(Peer, SolvesThatGoOnInKernelsOfAllRanks)
{
  for (auto [ranks, blocks] : {
         std::pair{1, 2},
         {2, 1},
         {2, 3},
         {3, 2},
         {4, 1}
  })
    for (int together : {1, 2}) solve_on(ranks, blocks, together);
}

/* Rows of any length, whose entries the lanes of a warp share */
TEST(Peer, LanesShareTheColumnsOfOtherRanks)
{
  constexpr std::uint64_t round  = 6;
  const int               ghosts = 700;
  std::vector<PeerWord>   words(2 * ghosts);
  std::vector<int>        column;
  Vector                  values;
  PeerHalo                H;
  RemainderRows           R;
  int                     failed = 0;

  for (int g = 0; g < ghosts; g++) words[g] = {1. + g % 11, round};
  for (int p = 0; p < ghosts; p++) {
    column.push_back(p * 37 % ghosts);
    values.push_back(static_cast<Scalar>(0.5 - p % 5));
  }
  H.stride = H.ghosts = ghosts;
  H.ghost             = words.data();
  H.limit             = {60 * second, &failed};
  R.col               = column.data();
  R.values            = values.data();
  for (int length : {0, 1, 4, 31, 32, 33, 127, 128, 129, 160, 161, 555}) {
    const int first = 7;
    double    sum = 0, expected = 0;
    for (int lane = 0; lane < 32; lane++) sum += halo_share(R, first, first + length, lane, H, round);
    for (int p = first; p < first + length; p++) expected += values[p] * words[column[p]].value;
    EXPECT_EQ(sum, expected) << length << " entries"; /* small numbers: no rounding */
  }
  H.limit.nanoseconds = 1000000;
  EXPECT_TRUE(std::isnan(halo_share(R, 0, 40, 8, H, round + 2))); /* nothing of that round is there */
  EXPECT_EQ(failed, 1);
}

} // namespace

} // namespace heptane

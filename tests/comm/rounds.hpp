/*
   Products and sums of one rank as a solver has them, each value compared: the same source for a process of the host and for a block of threads of the device.
*/
#pragma once

#include "comm/peer_setup.hpp"
#include "parts.hpp"

/* A rank's vector in a round */
struct Values {
  int           rank;
  std::uint64_t round;

  HEPTANE_HD double operator[](int row) const { return 1000. * rank + row + 0.25 * static_cast<double>(round); }
};

/* Where a ghost comes from */
struct Origin {
  int rank, row;
};

/* How many values of b rank a needs; in some cases none, though b needs some of a */
inline int needs(int a, int b, int seed)
{
  return a == b ? 0 : (5 * a + 3 * b + seed) % 6;
}

inline void make_lists(int rank, int ranks, int seed, heptane::PeerLists *lists, std::vector<Origin> *origin)
{
  for (int r = 0; r < ranks; r++) {
    const int sends = needs(r, rank, seed), receives = needs(rank, r, seed);
    if (!sends && !receives) continue;
    lists->rank.push_back(r);
    lists->sends.push_back(sends);
    lists->receives.push_back(receives);
    for (int i = 0; i < sends; i++) lists->send_row.push_back(10 * r + i);
    for (int i = 0; i < receives; i++) origin->push_back({r, 10 * rank + i});
  }
}

/* Who takes part on the host: one thread */
struct OneThread {
  int             first = 0, step = 1;
  HEPTANE_HD void sync() const {}
};

HEPTANE_HD int wrong_total(const heptane::PeerSums &P, int k)
{
  const std::uint64_t epoch    = heptane::peer_counter(P.published + k);
  double              expected = part_of(0, k, epoch);

  for (int r = 1; r < P.ranks; r++) expected += part_of(r, k, epoch);
  return heptane::peer_total(P, k) != expected;
}

/* So many iterations: a product with its ghosts, its sum 2, then sums 0 and 1. Returns how many values this thread found wrong. All threads of the rank call it. */
template <class Team>
HEPTANE_HD int run_rounds(const Team &team, const heptane::PeerSums &P, const heptane::PeerHalo &H, const Origin *origin, int rounds)
{
  int wrong = 0;

  for (int i = 0; i < rounds; i++) {
    const std::uint64_t round = heptane::peer_round(H);

    heptane::peer_push(H, round, Values{P.rank, round}, team.first, team.step);
    for (int j = team.first; j < H.ghosts; j += team.step) wrong += heptane::peer_ghost(H, round, j) != Values{origin[j].rank, round}[origin[j].row];
    team.sync();
    if (team.first == 0) {
      heptane::peer_end_round(H, round);
      heptane::peer_publish(P, 2, part_of(P.rank, 2, heptane::peer_counter(P.published + 2) + 1));
    }
    team.sync();
    wrong += wrong_total(P, 2);
    team.sync();
    if (team.first == 0) {
      const double both[2] = {part_of(P.rank, 0, heptane::peer_counter(P.published) + 1), part_of(P.rank, 1, heptane::peer_counter(P.published + 1) + 1)};
      heptane::peer_publish(P, 0, both);
    }
    team.sync();
    wrong += wrong_total(P, 0) + wrong_total(P, 1);
    team.sync();
  }
  return wrong;
}

/* The same by one block of the device; *wrong of all its threads */
PetscErrorCode run_rounds_on_device(const heptane::PeerSums &P, const heptane::PeerHalo &H, const Origin *origin, int rounds, int *wrong);

/* Where the window of the link is */
inline PetscErrorCode rounds_of(const heptane::PeerLink &link, const std::vector<Origin> &origin, int rounds, int *wrong)
{
  const heptane::Where    side = link.Window().Side();
  heptane::Buffer<Origin> there;

  PetscFunctionBegin;
  *wrong = 0;
  if (side == heptane::Where::host) *wrong = run_rounds(OneThread(), link.Sums(), link.Halo(), origin.data(), rounds);
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCall(there.Assign(side, origin));
    PetscCall(run_rounds_on_device(link.Sums(), link.Halo(), there.At(side), rounds, wrong));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets up the sums and the exchange of ghosts of one user of a window.
*/
#include "peer_setup.hpp"
#include <algorithm>
#include <array>
#include <numeric>

namespace heptane
{

namespace
{

/* Position of the words that a rank expects from another one, which is told */
struct Place {
  int words  = 0; /* ghosts, or one empty word */
  int first  = 0; /* in its buffer */
  int stride = 0;
};

using Places = std::array<Place, PeerSums::most_ranks>;

int spare_words(Where side)
{
  return side == Where::device ? PeerHalo::spare_words : 0;
}

/* Ghosts and empty words of this rank, by source rank, and its own words; begin, empty: see PeerLink */
void place_ghosts(const PeerLists &lists, Where side, PeerHalo *H, Places *places, std::vector<int> *begin, std::vector<int> *empty)
{
  begin->clear();
  empty->clear();
  for (std::size_t n = 0; n < lists.rank.size(); n++) {
    if (!lists.receives[n]) continue;
    (*places)[lists.rank[n]] = {lists.receives[n], H->ghosts, 0};
    begin->push_back(H->ghosts);
    H->ghosts += lists.receives[n];
  }
  begin->push_back(H->ghosts);
  /*
     ranks that receive but send nothing: after sending round r a rank must wait until the other one has read round r -
     1
  */
  for (std::size_t n = 0; n < lists.rank.size(); n++)
    if (lists.sends[n] && !lists.receives[n]) {
      const int word = H->ghosts + static_cast<int>(empty->size());

      (*places)[lists.rank[n]] = {1, word, 0};
      empty->push_back(word);
    }
  H->spare  = H->ghosts + static_cast<int>(empty->size());
  H->stride = (H->spare + spare_words(side) + 3) / 4 * 4; /* whole lines of 64 bytes */
  for (Place &p : *places) p.stride = H->stride;
}

/* Checks the lists of one rank */
std::string check_lists(const PeerLists &lists, int ranks, int rank)
{
  const std::size_t n    = lists.rank.size();
  long long         sent = 0, received = 0;

  if (lists.sends.size() != n || lists.receives.size() != n) return "a count is missing for some neighbour";
  for (std::size_t i = 0; i < n; i++) {
    if (lists.rank[i] < 0 || lists.rank[i] >= ranks || lists.rank[i] == rank) return "there is no neighbour " + std::to_string(lists.rank[i]);
    if (i && lists.rank[i] <= lists.rank[i - 1]) return "neighbours are not ascending";
    if (lists.sends[i] < 0 || lists.receives[i] < 0) return "a count is negative";
    sent += lists.sends[i];
    received += lists.receives[i];
  }
  if (sent != static_cast<long long>(lists.send_row.size())) return "the send list is not as long as the counts say";
  if (sent > PETSC_MPI_INT_MAX / 4 || received > PETSC_MPI_INT_MAX / 4) return "too many values for 32-bit counts";
  return {};
}

} // namespace

/*
   All ranks exchange the numbers and positions of their ghosts; then the send list is built, with an empty word for
   each neighbour that sends to this rank and needs no value
*/
PetscErrorCode PeerLink::MakeHalo(MPI_Comm comm, const PeerLists &lists)
{
  std::vector<int>                 rows;
  std::vector<PeerNeighbour>       to;
  Places                           mine, theirs;
  std::string                      wrong;
  std::vector<int>::const_iterator from = lists.send_row.begin();

  PetscFunctionBegin;
  halo = {};
  place_ghosts(lists, window->Side(), &halo, &mine, &begin, &empty);
  PetscCallMPI(MPI_Alltoall(mine.data(), sizeof(Place), MPI_BYTE, theirs.data(), sizeof(Place), MPI_BYTE, comm));
  for (int r = 0, n = 0; r < window->Ranks(); r++) {
    const bool known = n < static_cast<int>(lists.rank.size()) && lists.rank[n] == r;
    const int  sends = known ? lists.sends[n] : 0, receives = known ? lists.receives[n] : 0, words = sends ? sends : receives ? 1 : 0;

    if (words != theirs[r].words)
      wrong = "it sends " + std::to_string(words) + " words to rank " + std::to_string(r) + ", which expects " + std::to_string(theirs[r].words);
    if (words) to.push_back({static_cast<int>(rows.size()), theirs[r].stride, window->Words(r) + PeerSums::words + table + theirs[r].first});
    if (sends) rows.insert(rows.end(), from, from + sends);
    else if (words) rows.push_back(-1);
    from += sends;
    n += known;
  }
  if (!wrong.empty()) wrong = "rank " + std::to_string(window->Rank()) + ": " + wrong;
  PetscCall(PeerAgree(comm, &wrong));
  PetscCheck(wrong.empty(), comm, PETSC_ERR_PLIB, "The lists of ghosts contradict each other: %s", wrong.c_str());
  ListSent(rows, to);
  PetscCall(send_row.Assign(window->Side(), rows));
  PetscCall(neighbour.Assign(window->Side(), to));
  halo.sends      = static_cast<int>(rows.size());
  halo.neighbours = static_cast<int>(to.size());
  halo.send_row   = send_row.At(window->Side());
  halo.neighbour  = neighbour.At(window->Side());
  halo.ghost      = window->Words(window->Rank()) + PeerSums::words + table;
  halo.rounds     = window->Counters() + PeerWindow::rounds;
  halo.limit      = sums.limit;
  PetscCall(arrived.Zeros(window->Side(), &halo.arrived));
  PetscCall(WaitFor(empty));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerLink::WaitFor(const std::vector<int> &words)
{
  PetscFunctionBegin;
  PetscCall(other.Assign(window->Side(), words));
  halo.others = static_cast<int>(words.size());
  halo.other  = other.At(window->Side());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerLink::RowsRead(const std::vector<int> &ghosts)
{
  std::vector<bool> read(halo.ghosts, false);
  std::vector<int>  words = empty;

  PetscFunctionBegin;
  if (!window) PetscFunctionReturn(PETSC_SUCCESS);
  for (int g : ghosts) read[g] = true;
  for (std::size_t n = 0; n + 1 < begin.size(); n++)
    if (std::find(read.begin() + begin[n], read.begin() + begin[n + 1], true) == read.begin() + begin[n + 1]) words.push_back(begin[n]);
  PetscCall(WaitFor(words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Lists nothing if a place is too large for peer_target(): such a rank has more rows than any kernel that uses targets
*/
void PeerLink::ListSent(const std::vector<int> &rows, const std::vector<PeerNeighbour> &to)
{
  std::vector<std::pair<int, int>> all; /* row, target */

  sent = {};
  for (std::size_t n = 0; n < to.size(); n++) {
    const std::size_t end = n + 1 < to.size() ? to[n + 1].first : rows.size();
    if (end - to[n].first > peer_most_places) return;
    for (std::size_t s = to[n].first; s < end; s++)
      if (rows[s] >= 0) all.emplace_back(rows[s], peer_target(static_cast<int>(n), static_cast<int>(s - to[n].first)));
  }
  std::sort(all.begin(), all.end());
  for (auto [row, target] : all) {
    if (sent.row.empty() || sent.row.back() != row) {
      sent.row.push_back(row);
      sent.first.push_back(static_cast<int>(sent.target.size()));
    }
    sent.target.push_back(target);
  }
  sent.first.push_back(static_cast<int>(all.size()));
}

PeerGrid PeerLink::Grid() const
{
  PeerGrid G;

  if (!window || !table) return G;
  G.ranks = window->Ranks();
  G.rank  = window->Rank();
  for (int r = 0; r < G.ranks; r++) G.at[r] = window->Words(r) + PeerSums::words;
  G.local = G.at[G.rank];
  G.sums  = window->Counters() + PeerWindow::grid_sums;
  G.limit = sums.limit;
  return G;
}

PetscErrorCode PeerLink::Create(MPI_Comm comm, Where side, const PeerLists &lists, double seconds, std::string *why, bool grid)
{
  PetscMPIInt ranks, rank;
  std::string wrong;

  PetscFunctionBegin;
  window.reset();
  why->clear();
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  wrong = check_lists(lists, ranks, rank);
  if (!wrong.empty()) wrong = "rank " + std::to_string(rank) + ": " + wrong;
  PetscCall(PeerAgree(comm, &wrong));
  PetscCheck(wrong.empty(), comm, PETSC_ERR_PLIB, "The lists of ghosts are not usable: %s", wrong.c_str());
  const std::size_t ghosts = std::accumulate(lists.receives.begin(), lists.receives.end(), std::size_t(0)) + PeerSums::most_ranks + 4 + spare_words(side);
  table                    = grid ? PeerGrid::words(ranks) : 0;
  PetscCall(PeerWindowGet(comm, side, PeerSums::words + table + 2 * ghosts, &window, why));
  if (!window) PetscFunctionReturn(PETSC_SUCCESS);
  sums       = {};
  sums.ranks = ranks;
  sums.rank  = rank;
  for (int r = 0; r < ranks; r++) sums.at[r] = window->Words(r);
  sums.local     = sums.at[rank];
  sums.published = window->Counters();
  limit          = seconds;
  known          = false;
  std::vector<int *> flags(ranks);
  for (int r = 0; r < ranks; r++) flags[r] = window->FailedOf(r);
  PetscCall(failed_flags.Assign(side, flags));
  sums.limit = {static_cast<std::uint64_t>(1e9 * seconds), window->Failed(), failed_flags.At(side), ranks};
  if (side == Where::device) PetscCall(sums_there.Assign(side, std::vector<PeerSums>{sums}));
  PetscCall(MakeHalo(comm, lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerLink::Check() const
{
  int failed = Failed();

  PetscFunctionBegin;
  if (window && window->Side() == Where::device) PetscCall(window->HasFailed(&failed));
  PetscCall(Check(failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerLink::Fail() const
{
  PetscFunctionBegin;
  known = true;
  if (window) PetscCall(window->Fail());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerLink::Check(int failed) const
{
  PetscFunctionBegin;
  if (!failed) PetscFunctionReturn(PETSC_SUCCESS);
  known = true;
  SETERRQ(
    PETSC_COMM_SELF, PETSC_ERR_LIB,
    "Another process was not there within %g seconds: it has ended, or it does something else; raise -heptane_comm_timeout if it is only late, or use -heptane_comm mpi",
    limit);
}

} // namespace heptane

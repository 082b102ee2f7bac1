/*
   Windows between processes: who gets which, what is left after thousands of them, sums and ghosts through them, and why there are none. Prints "ok NAME" or "not ok NAME".
     -side host|device, -rounds N; -refused TEXT: only that none is given, because of TEXT
*/
#include "rounds.hpp"
#include "window.hpp"
#include <cmath>

using namespace heptane;

namespace
{

/* Each rank writes a word into all others' memory of this window; whether each finds those of all, that is: all mean the same window */
PetscErrorCode same_window(const Window &window, double token, bool *same)
{
  PetscFunctionBegin;
  *same = window->Rank() == rank && window->Ranks() == ranks;
  for (int r = 0; r < ranks; r++) {
    const PeerWord word = {token, static_cast<std::uint64_t>(rank + 1)};
    PetscCall(copy(window->Words(r) + window->Size() - 1 - rank, &word, sizeof(word)));
  }
  PetscCallMPI(MPI_Barrier(world));
  for (int r = 0; r < ranks; r++) {
    PeerWord word;
    PetscCall(copy(&word, window->Words(rank) + window->Size() - 1 - r, sizeof(word)));
    *same = *same && word.value == token && word.epoch == static_cast<std::uint64_t>(r + 1);
  }
  PetscCallMPI(MPI_Barrier(world));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three at once, given back in another order by each rank, and some by one rank alone: no rank gets one that another still has */
PetscErrorCode hand_out()
{
  Window            held[3], more;
  bool              same, good = true;
  const std::size_t sizes[3] = {100, 20000, 300000};

  PetscFunctionBegin;
  for (int turn = 0; turn < 20; turn++) {
    for (int i = 0; i < 3; i++) PetscCall(get(sizes[(i + turn) % 3] + rank, &held[i]));
    for (int i = 0; i < 3; i++) {
      PetscCall(same_window(held[i], 10. * turn + i, &same));
      good = good && same && held[i]->Size() >= sizes[(i + turn) % 3] + ranks - 1 && held[i] != held[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++) held[(i + rank + turn) % 3].reset();
  }
  PetscCall(report("each rank gets the same window", good));
  PetscCall(get(100, &held[0]));
  const PeerWindow *kept = held[0].get();
  if (rank == ranks - 1) held[1] = held[0];
  held[0].reset(); /* the last rank still has it */
  PetscCall(get(100, &more));
  PetscCall(same_window(more, 0.5, &same));
  PetscCall(report("a window that one rank still has is not given to others", same && more.get() != kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Epochs go on where the rank that was furthest stopped, and a window with a failed wait is not given again */
PetscErrorCode states()
{
  Window              first, second;
  const int           one   = 1;
  const std::uint64_t ahead = 1000000 + rank;
  std::uint64_t       found = 0;

  PetscFunctionBegin;
  PetscCall(get(100, &first));
  PeerWindow *was = first.get();
  PetscCall(copy(first->Counters() + 3, &ahead, sizeof(ahead)));
  PetscCall(copy(first->Counters() + PeerWindow::rounds, &ahead, sizeof(ahead)));
  first.reset();
  PetscCall(get(100, &first));
  PetscCall(copy(&found, first->Counters() + 3, sizeof(found)));
  PetscCall(report("epochs go on from user to user", first.get() == was && found == 1000000u + ranks - 1));
  PetscCall(copy(&found, first->Counters() + PeerWindow::grid_sums, sizeof(found)));
  PetscCall(report("sums over all blocks go on from the words of a halo", found == 1000000u + ranks - 1));
  if (rank == 0) PetscCall(copy(first->Failed(), &one, sizeof(one)));
  first.reset();
  PetscCall(get(100, &second));
  PetscCall(report("a window with a failed wait is not given again", second.get() != was));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neighbours of whose words no row reads any, where rows read those of the first `read` neighbours that send values */
int unread(const PeerLists &lists, int read)
{
  int count = 0;

  for (std::size_t n = 0; n < lists.rank.size(); n++) count += !lists.receives[n] || read-- <= 0;
  return count;
}

/* Users come and go, each with a communicator of its own and other neighbours; nothing grows */
PetscErrorCode many_users(int users, int rounds)
{
  std::size_t count = 0;
  int         wrong, all = 0;
  bool        usable = true, others = true;

  PetscFunctionBegin;
  for (int i = 0; i < users; i++) {
    MPI_Comm            own;
    PeerLink            link;
    PeerLists           lists;
    std::vector<Origin> origin;
    std::string         why;

    make_lists(rank, ranks, i, &lists, &origin);
    PetscCallMPI(MPI_Comm_dup(world, &own));
    PetscCall(link.Create(own, side, lists, 60, &why));
    PetscCallMPI(MPI_Comm_free(&own));
    usable = usable && link.Usable();
    if (i % 2) PetscCall(link.RowsRead(std::vector<int>(origin.empty() || i % 4 == 1 ? 0 : 1, 0)));
    others = others && link.Halo().others == unread(lists, i % 2 ? i % 4 == 3 : ranks);
    PetscCall(rounds_of(link, origin, i % 100 ? 3 : rounds, &wrong));
    all += wrong;
    if (i == 0) count = PeerWindowCount();
  }
  PetscCall(report("sums and ghosts", usable && !all));
  PetscCall(report("neighbours without a reader are waited for at the end", others));
  PetscCall(report("nothing grows", count && PeerWindowCount() == count, std::to_string(users) + " users, " + std::to_string(count) + " windows"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rank 0 leaves nothing: all others see that within the limit, or, where it says that it cannot come, long before */
PetscErrorCode late_rank(bool says)
{
  PeerLink    link;
  std::string why;
  double      total = NAN;
  int         failed;

  PetscFunctionBegin;
  if ((side == Where::device && !says) || ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(link.Create(world, side, {}, says ? 600 : 0.2, &why));
  if (says && !rank) PetscCall(link.Fail());
  if (rank && side == Where::host) {
    peer_publish(link.Sums(), 0, 1.);
    total = peer_total(link.Sums(), 0);
  }
  PetscCallMPI(MPI_Barrier(world));
  PetscCall(link.Window().HasFailed(&failed));
  PetscCall(report(says ? "a rank that cannot come ends the wait" : "a rank that does not come ends the wait", std::isnan(total) && failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode refusals(const char *expected)
{
  Window         window;
  PeerLink       link;
  PeerLists      lists;
  std::string    why;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PeerWindowGet(world, side, 10, &window, &why));
  if (*expected) {
    PetscCall(report("no window, with the reason", !window && why.find(expected) != std::string::npos, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PeerWindowGet(world, rank ? Where::host : Where::device, 10, &window, &why));
  PetscCall(report("no window between GPU and host", !window && !why.empty(), why));
  if (rank < 2) { /* rank 0 sends 2 values, rank 1 expects one */
    lists.rank     = {1 - rank};
    lists.sends    = {2 - rank};
    lists.receives = {1};
    lists.send_row.resize(2 - rank);
  }
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = link.Create(world, side, lists, 1, &why);
  PetscCall(PetscPopErrorHandler());
  PetscCall(report("lists that contradict each other are an error", ierr == PETSC_ERR_PLIB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode run()
{
  char      where[16] = "host", refused[128] = "";
  PetscInt  rounds = 1000, users = 100;
  PetscBool device;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-side", where, sizeof(where), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-refused", refused, sizeof(refused), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-users", &users, NULL));
  PetscCall(PetscStrcmp(where, "device", &device));
  side  = device ? Where::device : Where::host;
  world = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_size(world, &ranks));
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  /* PETSc chooses the device of a process when it first needs one, which must not be between a window and its use; matrices have asked for it before */
  if (device && !*refused) PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(refusals(refused));
  if (*refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(many_users(static_cast<int>(users), static_cast<int>(rounds)));
  PetscCall(hand_out());
  PetscCall(states());
  for (bool says : {false, true}) PetscCall(late_rank(says));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Twice, with PetscFinalize() in between */
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int turn = 0; turn < 2; turn++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(run());
    PetscCall(PetscFinalize());
    if (rank == 0) printf("%s all windows are freed by PetscFinalize()\n", PeerWindowCount() ? "not ok" : "ok");
    failures += PeerWindowCount() != 0;
  }
  MPI_Finalize();
  return failures ? 1 : 0;
}

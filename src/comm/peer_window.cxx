/*
   The pool of windows of each group of ranks: the assignment of windows to users, and their destruction. Ranks return
   windows at different times, so a window is free if it is free on all ranks, which the ranks determine together at the
   next request.
*/
#include "peer_window.hpp"
#include "../sys/collective.hpp"
#include "peer_options.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

/* The windows of one group of ranks, which has its own communicator */
class PeerPool {
public:
  /* Collective: the pool of the group with this rank order, created on first use */
  static PetscErrorCode Of(MPI_Comm comm, PeerPool **pool);
  /*
     Run by PetscFinalize() on all ranks: collective for each pool. The pools are freed in the order of their creation,
     which is consistent among the ranks.
  */
  static PetscErrorCode FreeAll();
  static std::size_t    Count();
  /* Collective */
  PetscErrorCode Get(Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why);

private:
  using Windows = std::vector<std::shared_ptr<PeerWindow>>;
  struct OfSide {
    bool        checked = false, may_share = false, shares = false; /* the value of may_share at the last test; whether ranks share a GPU */
    std::string refused;                                            /* why this side has no windows */
    Windows     windows;
  };

  PetscErrorCode Make(MPI_Comm comm);
  PetscErrorCode Agree(Where side, std::size_t *words, std::string *why) const;
  PetscErrorCode FindFree(OfSide &of, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window) const;
  PetscErrorCode MakeWindow(OfSide &of, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why);
  PetscErrorCode AlignCounters(PeerWindow &window) const;

  MPI_Comm    comm = MPI_COMM_NULL;
  std::string refused; /* why neither side has windows */
  OfSide      of_side[2];

  static std::vector<std::unique_ptr<PeerPool>> pools;
  static bool                                   registered;
};

std::vector<std::unique_ptr<PeerPool>> PeerPool::pools;
bool                                   PeerPool::registered = false;

PetscErrorCode PeerPool::Make(MPI_Comm of)
{
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscCall(CollectiveBarrier(of)); /* the next call has no time limit */
  PetscCallMPI(MPI_Comm_dup(of, &comm));
  PetscCallMPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  refused = peer_too_many(ranks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerPool::Of(MPI_Comm comm, PeerPool **pool)
{
  PetscFunctionBegin;
  if (!registered) {
    PetscCall(PetscRegisterFinalize(FreeAll));
    registered = true;
  }
  for (auto &p : pools) {
    PetscMPIInt result;
    PetscCallMPI(MPI_Comm_compare(comm, p->comm, &result));
    *pool = p.get();
    if (result == MPI_IDENT || result == MPI_CONGRUENT) PetscFunctionReturn(PETSC_SUCCESS);
  }
  pools.push_back(std::make_unique<PeerPool>());
  *pool = pools.back().get();
  PetscCall((*pool)->Make(comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerPool::FreeAll()
{
  PetscFunctionBegin;
  for (auto &p : pools) {
    for (OfSide &of : p->of_side)
      for (auto &window : of.windows) PetscCall(PeerMemoryFree(p->comm, &window->memory));
    PetscCallMPI(MPI_Comm_free(&p->comm));
  }
  pools.clear();
  registered = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::size_t PeerPool::Count()
{
  std::size_t count = 0;

  for (auto &p : pools)
    for (const OfSide &of : p->of_side) count += of.windows.size();
  return count;
}

/* Whether all ranks request the same side, and the largest number of words requested */
PetscErrorCode PeerPool::Agree(Where side, std::size_t *words, std::string *why) const
{
  long long most[3] = {static_cast<long long>(side), -static_cast<long long>(side), static_cast<long long>(*words)};

  PetscFunctionBegin;
  PetscCall(CollectiveReduce(comm, most, 3, MPI_LONG_LONG, MPI_MAX));
  if (most[0] != -most[1]) *why = "some ranks work on a GPU, others on the host";
  *words = static_cast<std::size_t>(most[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The smallest free window on all ranks that is large enough, or null. After the reduction no work of a former user is
   running on any rank.
*/
PetscErrorCode PeerPool::FindFree(OfSide &of, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window) const
{
  std::vector<int> free;

  PetscFunctionBegin;
  if (of.windows.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PeerQuiet(side));
  for (auto &w : of.windows) {
    if (!w->given && !w->failed) {
      int failed = 0;
      PetscCall(PeerMemoryRead(w->memory, w->FailedAt(), sizeof(failed), &failed));
      w->failed = failed;
    }
    free.push_back(!w->given && !w->failed);
  }
  PetscCall(CollectiveReduce(comm, free.data(), static_cast<int>(free.size()), MPI_INT, MPI_MIN));
  for (std::size_t i = 0; i < free.size(); i++)
    if (free[i] && of.windows[i]->Size() >= words && (!*window || of.windows[i]->Size() < (*window)->Size())) *window = of.windows[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes are powers of two, so that all windows of a pool together have at most twice the size needed at once */
PetscErrorCode PeerPool::MakeWindow(OfSide &of, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why)
{
  auto        made  = std::make_shared<PeerWindow>();
  std::size_t bytes = side == Where::host ? PeerMemory::host_bytes : PeerMemory::device_bytes;

  PetscFunctionBegin;
  while (bytes / sizeof(PeerWord) < words + PeerWindow::tail_words) bytes *= 2;
  PetscCall(PeerMemoryMake(comm, side, bytes, &made->memory, why));
  if (side == Where::device && of.windows.empty()) of.refused = *why; /* not tested again at each solve */
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  made->shares = of.shares;
  of.windows.push_back(made);
  *window = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerWindow::Counted(MPI_Comm comm, std::uint64_t least[counters], std::uint64_t most[counters]) const
{
  std::uint64_t both[2 * counters];

  PetscFunctionBegin;
  PetscCall(PeerMemoryRead(memory, CountersAt(), counters * sizeof(*both), both));
  for (int k = 0; k < counters; k++) both[counters + k] = ~both[k];
  PetscCall(CollectiveReduce(comm, both, 2 * counters, MPI_UINT64_T, MPI_MAX));
  for (int k = 0; k < counters; k++) {
    most[k]  = both[k];
    least[k] = ~both[counters + k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Equal on all ranks, also if a former user ended at different counts: no word has an epoch above the highest count.
   Words of the halo may overlap the sums over all blocks of another user, so both continue from the higher count:
   otherwise a word of one user could have an epoch that is valid for the next user.
*/
PetscErrorCode PeerPool::AlignCounters(PeerWindow &window) const
{
  constexpr int n = PeerWindow::counters;
  std::uint64_t least[n], most[n];

  PetscFunctionBegin;
  PetscCall(window.Counted(comm, least, most));
  most[PeerWindow::rounds] = most[PeerWindow::grid_sums] = std::max(most[PeerWindow::rounds], most[PeerWindow::grid_sums]);
  if (!std::equal(most, most + n, least)) PetscCall(PeerMemoryWrite(window.memory, window.Rank(), window.CountersAt(), sizeof(most), most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerPool::Get(Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why)
{
  OfSide                     &of = of_side[side == Where::host ? 0 : 1];
  std::shared_ptr<PeerWindow> found;
  PeerOptions                 options;

  PetscFunctionBegin;
  *why = refused;
  if (why->empty()) PetscCall(Agree(side, &words, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PeerOptionsGet(side, &options));
  if (!of.checked || of.may_share != options.may_share) {
    of.refused.clear();
    PetscCall(PeerReachable(comm, side, options.may_share, &of.shares, &of.refused));
  }
  of.checked   = true;
  of.may_share = options.may_share;
  *why         = of.refused;
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindFree(of, side, words, &found));
  if (found) PetscCall(AlignCounters(*found));
  else PetscCall(MakeWindow(of, side, words, &found, why));
  if (!found) PetscFunctionReturn(PETSC_SUCCESS);
  found->given = true;
  *window      = std::shared_ptr<PeerWindow>(found.get(), [found](PeerWindow *w) { w->given = false; });
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerWindowGet(MPI_Comm comm, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why)
{
  PeerPool *pool;

  PetscFunctionBegin;
  window->reset();
  why->clear();
  PetscCall(PeerPool::Of(comm, &pool));
  PetscCall(pool->Get(side, words, window, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerWindow::Fail() const
{
  const int failed = 1;

  PetscFunctionBegin;
  for (int r = 0; r < Ranks(); r++) PetscCall(PeerMemoryWrite(memory, r, FailedAt(), sizeof(failed), &failed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::size_t PeerWindowCount()
{
  return PeerPool::Count();
}

} // namespace heptane

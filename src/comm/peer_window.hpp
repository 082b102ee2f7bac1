/*
   Windows: memory of every rank that all ranks can write to, with counters of the stores. They are created once,
   assigned to users and returned any number of times, and freed by PetscFinalize().
*/
#pragma once

#include "peer_grid.hpp"
#include "peer_memory.hpp"
#include <memory>

namespace heptane
{

class PeerWindow {
public:
  /* Epochs of the sums, rounds of the halo, sums over all blocks */
  static constexpr int rounds = PeerSums::most_sums, grid_sums = rounds + 1, counters = grid_sums + 1;

  Where       Side() const { return memory.side; }
  int         Ranks() const { return memory.ranks; }
  int         Rank() const { return memory.rank; }
  std::size_t Size() const { return memory.bytes / sizeof(PeerWord) - tail_words; } /* words of each rank */
  /* Of that rank, as an address of this process; on the device if Side() is */
  PeerWord *Words(int rank) const { return reinterpret_cast<PeerWord *>(memory.at[rank]); }
  /* [counters], of this rank, in the memory space of the passes. They continue from user to user: no epoch repeats. */
  std::uint64_t *Counters() const { return reinterpret_cast<std::uint64_t *>(memory.at[memory.rank] + CountersAt()); }
  /* Flag of this rank, next to them: set by a wait that exceeded its limit. Such a window is not reused. */
  int *Failed() const { return FailedOf(memory.rank); }
  /* Of that rank, as an address of this process */
  int *FailedOf(int rank) const { return reinterpret_cast<int *>(memory.at[rank] + FailedAt()); }
  /* Sets the flag on all ranks, for a rank that cannot take part: the other ranks fail before the limit */
  PetscErrorCode Fail() const;
  /* The present value of Failed(); on the device a copy that synchronizes only itself */
  PetscErrorCode HasFailed(int *failed) const { return PeerMemoryRead(memory, FailedAt(), sizeof(*failed), failed); }
  /* Collective over the ranks of comm: the minimum and maximum of each of their present Counters() */
  PetscErrorCode Counted(MPI_Comm comm, std::uint64_t least[counters], std::uint64_t most[counters]) const;
  /* Whether ranks share a GPU: kernels of one may have to wait for multiprocessors that kernels of another occupy */
  bool SharesGpu() const { return shares; }

private:
  friend class PeerPool;
  static constexpr std::size_t tail_words = 8; /* after the words: counters, failed */
  static_assert(counters * sizeof(std::uint64_t) <= (tail_words - 1) * sizeof(PeerWord), "the last word is that of failed");

  std::size_t CountersAt() const { return Size() * sizeof(PeerWord); }
  std::size_t FailedAt() const { return (Size() + tail_words - 1) * sizeof(PeerWord); }

  PeerMemory memory;
  bool       given = false, failed = false, shares = false;
};

/*
   Collective: a window with at least `words` words per rank, the maximum over the ranks. Null if ranks cannot access
   each other's memory, or there is none; *why is then the reason, the same on all ranks. Destroying the pointer's
   object returns the window, without communication, at any time.
*/
PetscErrorCode PeerWindowGet(MPI_Comm comm, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why);
/* Number of windows of this process, over all communicators */
std::size_t PeerWindowCount();

} // namespace heptane

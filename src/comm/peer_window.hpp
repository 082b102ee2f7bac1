/*
   Windows: memory of every rank that all ranks can write to, with the counters of what was stored there. They are made
   once, handed out and given back any number of times, and freed by PetscFinalize().
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
  /* Of that rank, as this process addresses them; on the device where Side() says so */
  PeerWord *Words(int rank) const { return reinterpret_cast<PeerWord *>(memory.at[rank]); }
  /* [counters], of this rank, where the passes run. They go on from user to user: no epoch comes twice. */
  std::uint64_t *Counters() const { return reinterpret_cast<std::uint64_t *>(memory.at[memory.rank] + CountersAt()); }
  /* Of this rank, there too: raised by a wait that passed its limit. Such a window is not handed out again. */
  int *Failed() const { return FailedOf(memory.rank); }
  /* Of that rank, as this process addresses it */
  int *FailedOf(int rank) const { return reinterpret_cast<int *>(memory.at[rank] + FailedAt()); }
  /* Raises it on all ranks, for a rank that cannot take part: the others need not wait until the limit */
  PetscErrorCode Fail() const;
  /* What Failed() is now, wherever it is; on the device a copy that waits for nothing but itself */
  PetscErrorCode HasFailed(int *failed) const { return PeerMemoryRead(memory, FailedAt(), sizeof(*failed), failed); }
  /* Collective over the ranks of comm: the lowest and the highest of each of their Counters() as they are now */
  PetscErrorCode Counted(MPI_Comm comm, std::uint64_t least[counters], std::uint64_t most[counters]) const;
  /* Ranks of it have the same GPU: kernels of one may have to wait for the place that those of another take */
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
   Collective: a window with at least so many words of each rank, the most that any rank asks for. Null where ranks cannot reach each other's memory, or there is none;
   *why then says why, the same on all ranks. Destroying what the pointer holds gives it back, without communication, at any time.
*/
PetscErrorCode PeerWindowGet(MPI_Comm comm, Where side, std::size_t words, std::shared_ptr<PeerWindow> *window, std::string *why);
/* How many windows this process has, of all communicators */
std::size_t PeerWindowCount();

} // namespace heptane

/*
   Words for ranks on other nodes. A rank stores them, on the device or on the host, as it stores those for ranks of its own node, into memory of its host that stands for the other rank's
   (PeerMemory::nodes). The host finds them there by their epochs and sends their values by MPI; the host of the other rank stores them where they belong. So kernels are the same on one node and on several.

   Who waits for words therefore lets PeerProgress() run meanwhile: waits of the host do so by themselves (peer_wait.hpp), hosts that wait for a kernel have to. A host that waits otherwise, in MPI or in
   CUDA, keeps the ranks of other nodes that need words of its kernel, and its kernel, which needs theirs: so before it does anything else it has to wait for the kernel.

   Order: between two ranks messages arrive in the order in which they were sent, and words are copied in it. The host reads an epoch before the value; the device stores both at once. Copies to the device
   are those of CUDA, which promises nothing to a kernel that runs meanwhile: this takes from them that words of 16 bytes, aligned, get there whole. tests/comm/windows.cxx looks at each value.
*/
#pragma once

#include "peer_grid.hpp"
#include "peer_memory.hpp"
#include <deque>
#include <memory>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/* What goes to a rank of another node in a round of the halo, and comes from it: at least a word in both directions, see PeerHalo */
struct PeerAwayHalo {
  int         rank   = 0;
  std::size_t first  = 0; /* word of its memory, buffer 0 */
  int         stride = 0; /* words to buffer 1 */
  int         words  = 0;
  int         coming = 0; /* words from it */
};

/* Where values of a message belong in the memory of a rank: rows of `width` words, `pitch` words apart, `copies` times, copy_pitch words apart. width 0: the flag is raised */
struct PeerPlaces {
  int           offset = 0, width = 0, rows = 1, pitch = 0, copies = 1, copy_pitch = 0;
  std::uint64_t epoch = 0; /* of all of them */
  std::uint64_t halo  = 0; /* how many of the values are of a halo */

  /*
     Values of a message, 64 KiB: each takes the host of the receiver some 10 us, and with fewer of them halo and copy do not overlap enough to make up for it. Two H200, CG, planes of 4096 and 10 000 rows, with
     1024, 4096, 8192: 108, 77, 55 us and 190, 138, 102 us
  */
  static constexpr int most = 8192;
};

/* Messages of one rank on their way into the memory of this one, in the order in which they were sent */
class PeerInbox {
public:
  PetscErrorCode Create(MPI_Comm comm, int rank, int tag, const PeerMemory &memory, std::size_t flag_at);
  /* There are no more */
  PetscErrorCode Free();
  /* Those that have come */
  PetscErrorCode Take();
  long long      Taken() const { return taken; } /* since Create() */
  /* Values of the halo, since the user began */
  std::uint64_t Ghosts() const { return ghosts; }
  void          Begin() { ghosts = 0; }
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream = nullptr; /* borrowed: of copies */
#endif

private:
  static constexpr int         slots = 8; /* messages that may arrive before the first was stored */
  static constexpr std::size_t bytes = sizeof(PeerPlaces) + PeerPlaces::most * sizeof(double);

  struct Slot {
    std::vector<char> message;
    MPI_Request       request = MPI_REQUEST_NULL;
    PeerWord         *words   = nullptr; /* of the device's: what is copied there */
#if PetscDefined(HAVE_CUDA)
    cudaEvent_t copied = nullptr;
#endif
    bool busy = false; /* words, unless `copied` is over */
  };

  PetscErrorCode Post(Slot &slot);
  PetscErrorCode Store(const PeerPlaces &places, const double values[], Slot &slot);

  MPI_Comm      comm = MPI_COMM_NULL;
  int           rank = 0, tag = 0, next = 0; /* slot */
  PeerMemory    memory;
  std::size_t   flag_at = 0;
  Slot          slot[slots];
  long long     taken  = 0;
  std::uint64_t ghosts = 0;
};

class PeerRelay {
public:
  PeerRelay()                             = default;
  PeerRelay(const PeerRelay &)            = delete;
  PeerRelay &operator=(const PeerRelay &) = delete;

  /* Collective. memory: of all ranks, with a flag of an int at `flag_at` in each piece; borrowed. tag: another one for each relay of comm, whose errors have to return */
  PetscErrorCode Create(MPI_Comm comm, int tag, const PeerMemory &memory, std::size_t flag_at);
  /* Collective */
  PetscErrorCode Free();
  /*
     Collective: a new user. counters: as PeerWindow has them, the same on all ranks; table: words of PeerGrid; halo: to ranks of other nodes. What former users have stored is not looked for any more, and
     nothing of it is under way.
  */
  PetscErrorCode Begin(const std::uint64_t counters[], std::size_t table, const std::vector<PeerAwayHalo> &halo);
  /* Blocks of the kernels of this rank that leave parts of sums over all blocks */
  void Blocks(int number) { blocks = number; }
  /* No user: nothing is looked for */
  void End() { used = false; }
  bool Used() const { return used; }
  /* Sends what has been stored since, and stores what has come; waits for nothing */
  PetscErrorCode Progress();
  /*
     So too, until all that was sent has left this rank, and as many rounds of the halo have come from each rank as were sent to it, or for so many seconds; behind a call that took these none waits. To be called by all ranks before they
     go on to something else: a kernel may end without having read its last round.
  */
  PetscErrorCode Flush(double seconds);
  /* Ends waits of this rank */
  void Raise();

private:
  struct Sent {
    std::vector<char> bytes;
    MPI_Request       request = MPI_REQUEST_NULL;

    PeerPlaces &Places() { return *reinterpret_cast<PeerPlaces *>(bytes.data()); }
    double     *Values() { return reinterpret_cast<double *>(bytes.data() + sizeof(PeerPlaces)); }
  };
  /* A rank of another node */
  struct Away {
    int                                rank                      = 0;
    const PeerWord                    *words                     = nullptr; /* what this rank has stored for it */
    const int                         *flag                      = nullptr;
    bool                               told                      = false; /* the flag */
    std::uint64_t                      left[PeerSums::most_sums] = {};
    std::uint64_t                      number                    = 0;  /* sum over all blocks that was sent last, whole or in part */
    int                                sums[2]                   = {}; /* of it and of the one before, by their tables: how many */
    PeerAwayHalo                       halo;
    std::uint64_t                      round = 0, rounds = 0; /* that was sent last, and how many since Begin() */
    Sent                              *open  = nullptr;       /* the message of the halo that is being filled */
    int                                found = 0, sent = 0;   /* words of the round behind it */
    std::vector<std::unique_ptr<Sent>> send;
    long long                          messages = 0; /* since Create() */
    PeerInbox                          inbox;
  };

  PetscErrorCode  SendSums(Away &a);
  PetscErrorCode  SendGrid(Away &a);
  PetscErrorCode  SendHalo(Away &a);
  PetscErrorCode  SendFlag(Away &a);
  PetscErrorCode  Open(Away &a, Sent **message);
  PetscErrorCode  Done(bool *done);
  PetscErrorCode  Send(Away &a, const PeerPlaces &places);
  PetscErrorCode  Send(Away &a, Sent *message);
  int             GridSums(const Away &a, std::uint64_t number, int from) const;
  const PeerWord *GridPart(const Away &a, int k, std::uint64_t number) const;

  MPI_Comm         comm = MPI_COMM_NULL;
  int              tag  = 0;
  PeerMemory       memory;
  std::size_t      flag_at = 0;
  bool             used = false, grid = false, late = false;
  int              blocks = 0;
  std::deque<Away> away;
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream = nullptr;
#endif
};

/*
   Values of a halo for one rank of another node up to which `-heptane_comm auto` has a relay: two messages. With more MPI may be faster, which gives the host no words to look at. H200, relay and MPI, us per
   iteration, one on each of two nodes: CG 4096 values 57 and 88, 10 000 91 and 124, 25 600 236 and 208; BiCGStab 95 and 154, 140 and 215, 509 and 387. Two on each: 25 600 196 and 293, 318 and 564
*/
inline constexpr int peer_relay_halo = 2 * PeerPlaces::most;

/* Of all relays that are used; nothing to do where all ranks are on one node */
PetscErrorCode PeerProgress();

} // namespace heptane

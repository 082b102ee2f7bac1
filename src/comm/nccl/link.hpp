/*
   The ranks of a communicator joined by NCCL: sums and messages in stream order, and errors if ranks do not arrive.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "../../device/space.hpp"
#include "library.hpp"
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <vector>

namespace heptane
{

/* Name in -ksp_view */
inline constexpr char nccl_text[] = "NCCL";

/* What goes to another rank, and what comes from it, at once */
struct NcclMessage {
  int         rank = 0, sends = 0, receives = 0; /* values */
  std::size_t at = 0;                            /* of those that are sent, in their array */
};

/*
   One per MPI communicator and side, stored with it. NCCL's communicator does not block: a call that needs other ranks
   returns before it has completed, and this class polls it, at most as long as a rank may be late. Work queued on a
   stream has no such limit: a caller has to poll the stream and call Late() meanwhile.
   After an error NCCL's communicator is destroyed, so that waiting kernels end. Get() makes another one.
   Graphs that have recorded calls must be destroyed before the last owner releases this object, as NCCL needs their
   end.
*/
class NcclLink {
public:
  /*
     Collective. Null if ranks cannot be joined, and *why, the same on all ranks. side: the memory space of the values;
     on the host only with the library of the tests.
  */
  static PetscErrorCode Get(MPI_Comm comm, Where side, double seconds, std::shared_ptr<NcclLink> *link, std::string *why);

  /* Number() of the last link that Get() has made for it, 0: none; changes on all ranks together */
  static PetscErrorCode Made(MPI_Comm comm, Where side, std::uint64_t *number);

  NcclLink(const NcclLibrary &of, double limit) : library(of), seconds(limit) {}
  NcclLink(const NcclLink &)            = delete;
  NcclLink &operator=(const NcclLink &) = delete;
  ~NcclLink();

  int Ranks() const { return ranks; }
  /* Unique in this process, for objects that depend on a link */
  std::uint64_t Number() const { return number; }
  /* Collective: sums[k] = the sum of parts[k] of all ranks, with the same bits on all */
  PetscErrorCode Sum(const Scalar parts[], Scalar sums[], int count, NcclStream stream);
  /* Messages in ascending ranks; the values of each lie one behind the other, those received in the order of the messages */
  PetscErrorCode Exchange(const std::vector<NcclMessage> &messages, const Scalar sent[], Scalar received[], NcclStream stream);
  /* There was an error, here or reported by NCCL for another rank */
  bool           Failed() const { return !comm; }
  PetscErrorCode Check();
  /* For a host that has been waiting for the stream since this time, in seconds of PetscTime() */
  PetscErrorCode Late(PetscLogDouble since);
  /* This rank cannot take part: the other ranks end as after its timeout */
  void Fail();
  /*
     Collective, when all queued work of this rank is done: an error if another rank has failed meanwhile. NCCL's
     kernels of a rank that has failed stop waiting and send their buffers as they are, so that work of other ranks may
     complete with wrong numbers.
  */
  PetscErrorCode Agree();

private:
  PetscErrorCode Join(MPI_Comm of, Where side, std::string *why);
  PetscErrorCode CheckJoined() const;
  PetscErrorCode PeerMissing() const;
  PetscErrorCode Done(int result, const char what[]);
  int            Await(int result, bool *late);
  int            Vote(int failed);
  void           End();

  const NcclLibrary &library;
  NcclComm           comm  = nullptr;
  int                ranks = 1;
  double             seconds;
  std::uint64_t      number = 0;

  /* For Agree(): each rank votes once, there or in Fail() */
  MPI_Comm             voters = MPI_COMM_NULL;
  MPI_Request          asked  = MPI_REQUEST_NULL;
  std::unique_ptr<int> any_failed; /* MPI may write to it as long as `asked` has not completed */
  bool                 voted = false;
};

} // namespace heptane

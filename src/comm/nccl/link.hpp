/*
   The ranks of a communicator as NCCL joins them: sums and messages in the order of a stream, and the errors of ranks
   that do not come.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "../../device/space.hpp"
#include "library.hpp"
#include <cstdint>
#include <memory>
#include <vector>

namespace heptane
{

/* What -ksp_view calls it */
inline constexpr char nccl_text[] = "NCCL";

/* What goes to another rank, and what comes from it, at once */
struct NcclMessage {
  int         rank = 0, sends = 0, receives = 0; /* values */
  std::size_t at = 0;                            /* of those that are sent, in their array */
};

/*
   One for each MPI communicator and side, kept with it. NCCL's communicator does not block: a call returns before it is
   through where other ranks are needed for it, and is waited for here, at most as long as a rank may be late. What is
   queued on a stream has no such limit by itself: whoever waits for the stream calls Late() meanwhile.
   After an error NCCL's communicator is gone, so that kernels that wait end. Get() makes another one.
   Graphs that have recorded calls are destroyed before the last owner of this lets it go: NCCL waits for them.
*/
class NcclLink {
public:
  /*
     Collective. Null where ranks cannot be joined, and *why, the same on all ranks. side: where the values are; on the
     host a library of that kind alone.
  */
  static PetscErrorCode Get(MPI_Comm comm, Where side, double seconds, std::shared_ptr<NcclLink> *link, std::string *why);

  /* Number() of what Get() has made for it last, 0: nothing; changes on all ranks together */
  static PetscErrorCode Made(MPI_Comm comm, Where side, std::uint64_t *number);

  NcclLink(const NcclLibrary &of, double limit) : library(of), seconds(limit) {}
  NcclLink(const NcclLink &)            = delete;
  NcclLink &operator=(const NcclLink &) = delete;
  ~NcclLink();

  int Ranks() const { return ranks; }
  /* No two have the same, of all that this process ever had: for what depends on a link */
  std::uint64_t Number() const { return number; }
  /* Collective: sums[k] = the sum of parts[k] of all ranks, with the same bits on all */
  PetscErrorCode Sum(const Scalar parts[], Scalar sums[], int count, NcclStream stream);
  /* Messages in ascending ranks; the values of each lie one behind the other, those received in the order of the messages */
  PetscErrorCode Exchange(const std::vector<NcclMessage> &messages, const Scalar sent[], Scalar received[], NcclStream stream);
  /* There was an error, here or as NCCL tells of another rank */
  bool           Failed() const { return !comm; }
  PetscErrorCode Check();
  /* For a host that has waited for the stream since then, in seconds of PetscTime() */
  PetscErrorCode Late(PetscLogDouble since);
  /* This rank cannot take part: the others end as if it had not come */
  void Fail();

private:
  PetscErrorCode Join(MPI_Comm of, Where side, std::string *why);
  PetscErrorCode CheckJoined() const;
  PetscErrorCode NotThere() const;
  PetscErrorCode Done(int result, const char what[]);
  int            Await(int result, bool *late);
  void           End();

  const NcclLibrary &library;
  NcclComm           comm  = nullptr;
  int                ranks = 1;
  double             seconds;
  std::uint64_t      number = 0;
};

} // namespace heptane

/*
   Where ranks of one node meet on their GPUs.
*/
#include "peer_meet.hpp"

namespace heptane
{

namespace
{

/*
   Computes  nothing: a word for every rank, and waits for one of each
   Threads   a lane of one warp for each rank
   Bytes     16 to and from each rank
   Order     what kernels and copies of the stream have written before is done when this begins; the first fence puts it before the word, the second one puts what is read later behind the words
             of others, which are relaxed. All words of a meeting are waited for, so that two buffers are enough: peer_sums.hpp.
*/
__global__ void __launch_bounds__(32) peer_meet_kernel(const __grid_constant__ PeerSums P)
{
  const int r = threadIdx.x;
  PeerSlots slots;

  __threadfence_system();
  if (r < P.ranks) {
    slots = peer_slots(P, 0, r);
    peer_leave_to(slots, 0);
  }
  __syncwarp();
  if (r == 0) peer_left(P, 0, slots.epoch);
  if (r < P.ranks) (void)peer_part(P.limit, slots);
  __threadfence_system();
}

/*
   Computes  *number = NaN where a wait has failed
   Threads   one
   Bytes     sizeof(int)
   Order     none
*/
__global__ void __launch_bounds__(32) peer_mark_kernel(const PeerLimit limit, Scalar *number)
{
  if (threadIdx.x == 0 && peer_failed(limit)) *number = static_cast<Scalar>(peer_nothing());
}

} // namespace

cudaError_t launch_peer_meet(const PeerSums &P, cudaStream_t stream)
{
  static_assert(PeerSums::most_ranks <= 32, "a lane for each");
  peer_meet_kernel<<<1, 32, 0, stream>>>(P);
  return cudaGetLastError();
}

cudaError_t launch_peer_mark(const PeerLimit &limit, Scalar *number, cudaStream_t stream)
{
  peer_mark_kernel<<<1, 32, 0, stream>>>(limit, number);
  return cudaGetLastError();
}

} // namespace heptane

/*
   Where ranks of one node meet on their GPUs: in the order of a stream, without a wait of the host. Only with CUDA.
*/
#pragma once

#include "peer_sums.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/*
   What is queued behind it begins when all ranks have come to it, and finds what each of them has written before it, here or in the memory of another rank. After PeerInOrder(). Where a rank does not come within
   the limit, what is behind it begins all the same: the end of the work has to ask, see launch_peer_mark().
*/
cudaError_t launch_peer_meet(const PeerSums &P, cudaStream_t stream);
/* *number becomes NaN where a wait of this rank, or of one that it has met since, has passed its limit */
cudaError_t launch_peer_mark(const PeerLimit &limit, Scalar *number, cudaStream_t stream);

} // namespace heptane

/*
   The launches around a halo that arrives before the product, in stream order: values of u for other ranks are packed
   before they are sent, and warps sum rows with many ghosts after the ghosts have arrived.
*/
#pragma once

#include "../../comm/peer_halo.hpp"
#include "../pc_rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* to[k] = u of row[k], u of the product; no operation after the iteration has stopped. T: Scalar or Single */
template <class T>
cudaError_t launch_halo_pack(const FusedProductOf<T> &P, const FusedScalars *S, const int row[], int rows, Scalar to[], cudaStream_t stream);
/* ghosts[H.spare + k] = sum number k of halo.shared, H.received is `ghosts` */
cudaError_t launch_halo_shared(const FusedHalo &halo, const PeerHalo &H, Scalar ghosts[], cudaStream_t stream);

} // namespace heptane

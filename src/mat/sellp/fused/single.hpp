/*
   Launchers of products with a copy of slices stored in single precision: see SellpSingle.
*/
#pragma once

#include "fused.hpp"

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
/* One sum, or four with P.v */
cudaError_t launch_sellp_single(const SellpOperandsOf<Single> &O, const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream);
/* A product that combines, with vectors of Scalars */
cudaError_t launch_sellp_single_combining(const SellpOperandsOf<Single> &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                          cudaStream_t stream);
/* The same if P.halo.peers is not null */
cudaError_t launch_sellp_single_halo(const SellpOperandsOf<Single> &O, const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red,
                                     cudaStream_t stream);
#endif

} // namespace heptane

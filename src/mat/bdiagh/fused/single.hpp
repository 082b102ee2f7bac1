/*
   Launchers of products with a copy of block diagonals stored in single precision: see BdiaghSingle.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../../../pass/remainder_rows.hpp"
#include "../format/rows.hpp"

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
/* One sum, or four with P.v */
cudaError_t launch_bdiagh_single(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProductOf<Single> &P,
                                 const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* A product that combines, with vectors of Scalars */
cudaError_t launch_bdiagh_single_combining(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProduct &P,
                                           const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* The same if P.halo.peers is not null */
cudaError_t launch_bdiagh_single_halo(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProductOf<Single> &P,
                                      const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
#endif

} // namespace heptane

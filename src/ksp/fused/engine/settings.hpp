/*
   The values of the options of the fused KSP types: see the manual page of KSPFUSEDCG in heptane.h.
*/
#pragma once

namespace heptane
{

/*
   Execution of the iterations: by size, PETSc's own loop, a launch per pass, batches as a graph, one kernel for a whole
   solve
*/
enum KSPFusedMode { KSP_FUSED_AUTO, KSP_FUSED_TWIN, KSP_FUSED_KERNELS, KSP_FUSED_GRAPH, KSP_FUSED_PERSISTENT };
extern const char *const KSPFusedModes[];

/* Whether the preconditioner is multiplied into a copy of the matrix: if it pays, never, before the first iteration */
enum KSPFusedFold { KSP_FUSED_FOLD_AUTO, KSP_FUSED_FOLD_NO, KSP_FUSED_FOLD_YES };
extern const char *const KSPFusedFolds[];

/* Precision in which vectors and the copy of the matrix are stored */
enum KSPFusedPrecision { KSP_FUSED_PRECISION_DOUBLE, KSP_FUSED_PRECISION_MIXED, KSP_FUSED_PRECISION_AUTO };
extern const char *const KSPFusedPrecisions[];

} // namespace heptane

/*
   The log events of heptane (-log_view rows).
*/
#pragma once

#include <petsclog.h>

namespace heptane
{

extern PetscClassId  HEPTANE_CLASSID;
extern PetscLogEvent MAT_FormatAnalyse;   /* analysis of a pattern, once per pattern */
extern PetscLogEvent MAT_FormatFill;      /* values from compressed rows into the format, once per change on the host */
extern PetscLogEvent MAT_FormatSync;      /* values from the format back into compressed rows, for a host operation */
extern PetscLogEvent MAT_FormatCOO;       /* MatSetValuesCOO() into the format */
extern PetscLogEvent MAT_FormatProduct;   /* products of the local blocks, inside MatMult and its kin, with their flops */
extern PetscLogEvent KSP_FusedIterations; /* batches of iterations of the fused solvers, with their flops */
extern PetscLogEvent KSP_FusedFold;       /* a preconditioner folded into a copy of the matrix, once per change of either */

PetscErrorCode RegisterEvents();

} // namespace heptane

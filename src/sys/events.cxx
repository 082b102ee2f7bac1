/*
   Registers the log events of heptane.
*/
#include "events.hpp"

namespace heptane
{

PetscClassId  HEPTANE_CLASSID;
PetscLogEvent MAT_FormatAnalyse, MAT_FormatFill, MAT_FormatSync, MAT_FormatCOO, MAT_FormatProduct, KSP_FusedIterations, KSP_FusedFold;

PetscErrorCode RegisterEvents()
{
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Heptane", &HEPTANE_CLASSID));
  PetscCall(PetscLogEventRegister("MatFmtAnalyse", HEPTANE_CLASSID, &MAT_FormatAnalyse));
  PetscCall(PetscLogEventRegister("MatFmtFill", HEPTANE_CLASSID, &MAT_FormatFill));
  PetscCall(PetscLogEventRegister("MatFmtSync", HEPTANE_CLASSID, &MAT_FormatSync));
  PetscCall(PetscLogEventRegister("MatFmtCOO", HEPTANE_CLASSID, &MAT_FormatCOO));
  PetscCall(PetscLogEventRegister("MatFmtProduct", HEPTANE_CLASSID, &MAT_FormatProduct));
  PetscCall(PetscLogEventRegister("KSPFusedIter", HEPTANE_CLASSID, &KSP_FusedIterations));
  PetscCall(PetscLogEventRegister("KSPFusedFold", HEPTANE_CLASSID, &KSP_FusedFold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

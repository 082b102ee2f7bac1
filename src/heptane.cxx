/*
   How heptane gets into a program: the entry point that -dll_append calls, HeptaneInitialize() for linked use, the list of everything that
   is registered, and what happens at PetscFinalize(). No CUDA call is made here.
*/
#include "ksp/fusedbcgs/fusedbcgs.hpp"
#include "ksp/fusedbicg/fusedbicg.hpp"
#include "ksp/fusedcg/fusedcg.hpp"
#include "ksp/fusedchebyshev/fusedchebyshev.hpp"
#include "mat/aij/derived.hpp"
#include "mat/bdiagh/matbdiagh.hpp"
#include "mat/sellp/matsellp.hpp"
#include "metrics/metrics_options.hpp"
#include "pc/blockjacobireg/pcblockjacobireg.hpp"
#include "pc/gridmg/pcgridmg.hpp"
#include "pc/pbjacobi/pcpbjacobi.hpp"
#include "pc/plain/pcplain.hpp"
#include "sys/abi.hpp"
#include "sys/device.hpp"
#include "sys/events.hpp"
#include "tune/tune.hpp"
#include <heptane.h>

namespace heptane
{

static PetscBool registered = PETSC_FALSE;

/* Run by PetscFinalize(), before -log_view and before the library is closed; PetscInitialize() may follow again */
static PetscErrorCode Finalize()
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscCall(TuneEnd());
  PetscCall(MetricsEnd());
  PetscCall(DeviceReset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -heptane_override_ksp: programs that set KSPCG and its kin in their source get the fused types */
static PetscErrorCode RegisterSolvers()
{
  PetscBool override = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(KSPRegister(KSPFUSEDCG, KSPCreate_FusedCG));
  PetscCall(KSPRegister(KSPFUSEDBCGS, KSPCreate_FusedBCGS));
  PetscCall(KSPRegister(KSPFUSEDBICG, KSPCreate_FusedBICG));
  PetscCall(KSPRegister(KSPFUSEDCHEBYSHEV, KSPCreate_FusedChebyshev));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_override_ksp", &override, NULL));
  if (override) {
    PetscCall(KSPRegister(KSPCG, KSPCreate_FusedCG));
    PetscCall(KSPRegister(KSPBCGS, KSPCreate_FusedBCGS));
    PetscCall(KSPRegister(KSPBICG, KSPCreate_FusedBICG));
    PetscCall(KSPRegister(KSPCHEBYSHEV, KSPCreate_FusedChebyshev));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -version, which PETSc's own lines answer too */
static PetscErrorCode PrintVersion()
{
  PetscBool asked;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-version", &asked));
  if (asked)
    PetscCall((*PetscHelpPrintf)(PETSC_COMM_WORLD, "heptane %d.%d.%d for PETSc %d.%d\n", HEPTANE_VERSION_MAJOR, HEPTANE_VERSION_MINOR, HEPTANE_VERSION_PATCH,
                                 PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR));
  PetscCall(PetscInfo(NULL, "heptane %d.%d.%d is loaded\n", HEPTANE_VERSION_MAJOR, HEPTANE_VERSION_MINOR, HEPTANE_VERSION_PATCH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Register()
{
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(CheckABI());
  PetscCall(MetricsBegin());
  PetscCall(TuneBegin());
  DeviceWhenDecided(TuneDevice);
  PetscCall(RegisterEvents());
  PetscCall(MatBDIAGHRegister());
  PetscCall(MatSELLPRegister());
  PetscCall(DerivedRegisterDMDA());
  PetscCall(PCPBJacobiRegister());
  PetscCall(PCPlainRegister());
  PetscCall(PCBlockJacobiRegRegister());
  PetscCall(PCGridMGRegister());
  PetscCall(RegisterSolvers());
  PetscCall(PetscRegisterFinalize(Finalize));
  PetscCall(PrintVersion());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*@
  HeptaneInitialize - Registers the matrix and solver types of heptane

  Collective

  Options Database Keys:
+ -heptane_device <vectors,auto,host,device> - where fused solves run: where the vectors are, on a GPU from 1000 rows on (default), never or always on a GPU; see docs/placement.md
. -heptane_metrics [table,json:FILE]     - when PETSc ends, print what each kernel took and what limited it, write it to a file as lines of JSON, or both; see docs/metrics.md
. -heptane_metrics_copy <device,host>    - copy bandwidths in GB/s that rates are compared with; 0, the default: measured
. -heptane_metrics_host <file>           - lines of a run with `-heptane_device host`, whose times the kernels' are compared with
. -heptane_tuning <file>                - table of launches for this GPU, measured by heptane-tune; the numbers compiled in if not given; see docs/tuning.md
- -heptane_override_ksp                  - programs that set `KSPCG`, `KSPBCGS`, `KSPBICG` or `KSPCHEBYSHEV` in their source use the fused types

  Level: beginner

  Notes:
  For programs that are linked with libheptane; call it after `PetscInitialize()`. Programs that load the library with `-dll_append` need no call.
  It may be called any number of times, also if the library has been loaded by option, and again after `PetscFinalize()` and `PetscInitialize()`.

.seealso: `MATBDIAGH`, `MATSELLP`, `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDCHEBYSHEV`, `PetscInitialize()`
@*/
PetscErrorCode HeptaneInitialize(void)
{
  PetscBool initialized;

  PetscFunctionBegin;
  PetscCall(PetscInitialized(&initialized));
  PetscCheck(initialized, PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call PetscInitialize() before HeptaneInitialize()");
  PetscCall(heptane::Register());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PetscInitialize() for -dll_append and -dll_prepend; the name follows from that of the library's file */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_heptane(void)
{
  PetscFunctionBegin;
  PetscCall(heptane::Register());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Entry points of the library: PetscDLLibraryRegister for -dll_append, HeptaneInitialize() for linked programs, the
   list of all registrations, and the cleanup at PetscFinalize(). No CUDA call is made here.
*/
#include "ksp/fusedbcgs/fusedbcgs.hpp"
#include "ksp/fusedbicg/fusedbicg.hpp"
#include "ksp/fusedcg/fusedcg.hpp"
#include "ksp/fusedchebyshev/fusedchebyshev.hpp"
#include "ksp/groups/solver.hpp"
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
#include "sys/number_options.hpp"
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

/*
   The options of the library that have no object: -help lists them. Options of communication and graphs are read at
   their first use. override: programs that set KSPCG and its kin in their source get the fused types.
*/
static PetscErrorCode LibraryOptions(PetscBool *override)
{
  const char *const ways[]                   = {"auto", "peer", "nccl", "mpi"};
  PetscInt          way                      = 0;
  PetscBool         repeats                  = PETSC_TRUE;
  PetscReal         timeout                  = 30;
  char              file[PETSC_MAX_PATH_LEN] = "libnccl.so.2", groups[32] = "auto";

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Heptane options: library", NULL);
  PetscCall(
    PetscOptionsBool("-heptane_override_ksp", "KSPCG, KSPBCGS, KSPBICG and KSPCHEBYSHEV are the fused types", "HeptaneInitialize", *override, override, NULL));
  PetscCall(PetscOptionsEList("-heptane_comm", "Exchange of sums and halo: stores into memory of other processes (peer), NCCL, MPI, or the fastest usable",
                              "HeptaneInitialize", ways, PETSC_STATIC_ARRAY_LENGTH(ways), ways[way], &way, NULL));
  PetscCall(OptionReal(PetscOptionsObject, "-heptane_comm_timeout", "Seconds that a process may be late with peer or nccl", "HeptaneInitialize", 1e-9, no_bound,
                       &timeout));
  PetscCall(PetscOptionsString("-heptane_groups", "Processes of a node of which one solves for all: auto (one per GPU), no (none), or N in turn",
                               "HeptaneInitialize", groups, groups, sizeof(groups), NULL));
  PetscCall(PetscOptionsString("-heptane_nccl_library", "Library of NCCL, 2.19 or newer", "HeptaneInitialize", file, file, sizeof(file), NULL));
  PetscCall(PetscOptionsBool("-heptane_graph_repeat", "CUDA graphs may repeat iterations on the device; false for compute-sanitizer", "HeptaneInitialize",
                             repeats, &repeats, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RegisterSolvers()
{
  PetscBool override = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(KSPRegister(KSPFUSEDCG, KSPCreate_FusedCG));
  PetscCall(KSPRegister(KSPFUSEDBCGS, KSPCreate_FusedBCGS));
  PetscCall(KSPRegister(KSPFUSEDBICG, KSPCreate_FusedBICG));
  PetscCall(KSPRegister(KSPFUSEDCHEBYSHEV, KSPCreate_FusedChebyshev));
  PetscCall(LibraryOptions(&override));
  if (override) {
    PetscCall(KSPRegister(KSPCG, KSPCreate_FusedCG));
    PetscCall(KSPRegister(KSPBCGS, KSPCreate_FusedBCGS));
    PetscCall(KSPRegister(KSPBICG, KSPCreate_FusedBICG));
    PetscCall(KSPRegister(KSPCHEBYSHEV, KSPCreate_FusedChebyshev));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -version, in addition to PETSc's own lines */
static PetscErrorCode PrintVersion()
{
  PetscBool asked;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-version", &asked));
  if (asked) PetscCall((*PetscHelpPrintf)(PETSC_COMM_WORLD, "heptane %s for PETSc %d.%d\n", HEPTANE_VERSION, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR));
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
  PetscCall(DerivedRegisterOrderings());
  PetscCall(PCPBJacobiRegister());
  PetscCall(PCPlainRegister());
  PetscCall(PCBlockJacobiRegRegister());
  PetscCall(PCGridMGRegister());
  GroupsRegister();
  PetscCall(RegisterSolvers());
  PetscCall(PetscRegisterFinalize(Finalize));
  PetscCall(PrintVersion());
  PetscCall(PetscInfo(NULL, "heptane %s is loaded\n", HEPTANE_VERSION));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*@
  HeptaneInitialize - Registers the matrix and solver types of heptane

  Collective

  Options Database Keys:
+ -heptane_device <auto>                   - place of fused solves: `vectors` (that of the vectors), `auto` (a GPU from 1000 rows on),
                                             `host` (no GPU is used), `device` (always a GPU)
. -heptane_shortcuts <true>                - without a GPU: PETSc's own functions for systems of at most 256 rows and for the first product with new values
. -heptane_override_ksp <false>            - programs that set `KSPCG`, `KSPBCGS`, `KSPBICG` or `KSPCHEBYSHEV` use the fused types
. -heptane_comm <auto>                     - exchange of sums and halo: `peer` (stores into memory of other processes), `nccl`, `mpi`,
                                             `auto` (the fastest usable)
. -heptane_comm_timeout <30>               - seconds that a process may be late with `peer` or `nccl` until the other processes raise an
                                             error; 100 times as long outside of solves
. -heptane_nccl_library <file>             - library of NCCL, 2.19 or newer; by default the `libnccl.so.2` that the loader finds
. -heptane_graph_repeat <true>             - CUDA graphs may repeat iterations on the device; false for tools that do not support this (compute-sanitizer)
. -heptane_tuning <file>                   - table of launches for this GPU, measured by heptane-tune; by default the compiled numbers
. -heptane_groups <auto>                   - processes of a node of which one solves for all: `auto` (those that share a GPU), `no`, or N in turn
. -heptane_metrics [table,json:FILE]       - at the end, times, bytes and limits of each kernel: as a table, as lines of JSON in a file, or both
- -heptane_metrics_copy <device,host>      - copy bandwidths in GB/s that rates are compared with; 0 (default): measured

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

/* Called by PetscInitialize() for -dll_append and -dll_prepend; PETSc derives the name from the library's file name */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_heptane(void)
{
  PetscFunctionBegin;
  PetscCall(heptane::Register());
  PetscFunctionReturn(PETSC_SUCCESS);
}

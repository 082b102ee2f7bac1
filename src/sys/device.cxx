/*
   Decides once whether products run on a GPU or on the host.
*/
#include "device.hpp"
#include "comm_attribute.hpp"
#include "places.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

enum class Decision { none, host, device };
Decision  decision                        = Decision::none;
Placing   placing                         = Placing::automatic;
PetscBool shortcuts                       = PETSC_TRUE;
PetscErrorCode (*when_decided)(PetscBool) = nullptr;

#if PetscDefined(HAVE_CUDA)
/* -device_enable or -device_enable_cuda none: the device is disabled */
PetscErrorCode DisabledByOption(PetscBool *disabled)
{
  const char *names[] = {"-device_enable", "-device_enable_cuda"};
  char        value[16];
  PetscBool   set, none;

  PetscFunctionBegin;
  *disabled = PETSC_FALSE;
  for (const char *name : names) {
    PetscCall(PetscOptionsGetString(NULL, NULL, name, value, sizeof(value), &set));
    if (!set) continue;
    PetscCall(PetscStrcasecmp(value, "none", &none));
    if (none) *disabled = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Decide(const char **why)
{
  PetscBool disabled;
  int       count = 0;

  PetscFunctionBegin;
  decision = Decision::host;
  PetscCall(DisabledByOption(&disabled));
  if (disabled) {
    *why = "devices are switched off by -device_enable";
  } else if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
    (void)cudaGetLastError(); /* no driver or no device: not an error */
    *why = "no CUDA device";
  } else {
    PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
    decision = Decision::device;
    *why     = "a CUDA device is usable";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

const char *const placing_names[4] = {"vectors", "auto", "host", "device"};

PetscErrorCode DeviceUsable(PetscBool *usable)
{
  PetscFunctionBegin;
  if (decision == Decision::none) {
    PetscInt    choice = static_cast<PetscInt>(Placing::automatic);
    const char *why    = "-heptane_device host";

    PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: device", NULL);
    PetscCall(PetscOptionsEList("-heptane_device", "Place of solves: that of the vectors, automatic by the number of rows, host, GPU", "HeptaneInitialize",
                                placing_names, 4, placing_names[choice], &choice, NULL));
    shortcuts = PETSC_TRUE;
    PetscCall(PetscOptionsBool("-heptane_shortcuts", "PETSc's own functions on the host for small systems and the first product with new values",
                               "HeptaneInitialize", shortcuts, &shortcuts, NULL));
    PetscOptionsEnd();
    placing  = static_cast<Placing>(choice);
    decision = Decision::host;
    if (placing != Placing::host) {
#if PetscDefined(HAVE_CUDA)
      PetscCall(Decide(&why));
#else
      why = "PETSc was configured without CUDA";
#endif
    }
    PetscCall(PetscInfo(NULL, "Products of heptane's matrices run on the %s: %s\n", decision == Decision::device ? "device" : "host", why));
    if (when_decided) PetscCall((*when_decided)((PetscBool)(decision == Decision::device)));
  }
  *usable = (PetscBool)(decision == Decision::device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all processes of a communicator have a GPU, and each its own */
struct KnownGpus {
  bool      known  = false;
  PetscBool usable = PETSC_FALSE, exclusive = PETSC_FALSE;
};

PetscErrorCode DeviceExclusive(MPI_Comm comm, PetscBool *usable, PetscBool *exclusive)
{
  PetscMPIInt            size;
  KnownGpus             *kept;
  std::vector<RankPlace> all;

  PetscFunctionBegin;
  PetscCall(DeviceUsable(usable));
  *exclusive = *usable;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1 || !PetscDefined(HAVE_CUDA)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CommAttribute<KnownGpus>::Get(comm, &kept));
  if (!kept->known) {
    PetscCall(RankPlaces(comm, true, &all));
    const bool every = std::all_of(all.begin(), all.end(), [](const RankPlace &p) { return p.gpu; });

    *kept = {true, (PetscBool)every, (PetscBool)(every && find_shared_gpu(all).first < 0)};
  }
  *usable    = kept->usable;
  *exclusive = kept->exclusive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePlacing(Placing *as)
{
  PetscBool usable;

  PetscFunctionBegin;
  PetscCall(DeviceUsable(&usable)); /* reads the option */
  *as = placing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HostShortcuts(PetscBool *may)
{
  PetscBool device;

  PetscFunctionBegin;
  PetscCall(DeviceUsable(&device)); /* reads the option */
  *may = (PetscBool)(shortcuts && !device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void DeviceWhenDecided(PetscErrorCode (*f)(PetscBool usable))
{
  when_decided = f;
}

PetscErrorCode DeviceReset()
{
  PetscFunctionBegin;
  decision = Decision::none;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

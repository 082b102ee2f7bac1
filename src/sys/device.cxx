/*
   Decides once whether products run on a GPU or on the host.
*/
#include "device.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

enum class Decision { none, host, device };
Decision  decision                        = Decision::none;
Placing   placing                         = Placing::vectors;
PetscBool shortcuts                       = PETSC_TRUE;
PetscErrorCode (*when_decided)(PetscBool) = nullptr;

#if PetscDefined(HAVE_CUDA)
/* -device_enable or -device_enable_cuda none: the user wants no device */
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
    PetscInt    choice = 0;
    const char *why    = "-heptane_device host";

    PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: device", NULL);
    PetscCall(PetscOptionsEList("-heptane_device",
                                "Where products and solves run: where vectors are, where it is predicted to take less time, on the host, on a GPU",
                                "HeptaneInitialize", placing_names, 4, placing_names[0], &choice, NULL));
    shortcuts = PETSC_TRUE;
    PetscCall(PetscOptionsBool("-heptane_shortcuts", "On the host, small systems and the first product with new values by PETSc's own functions",
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
  *may = (PetscBool)(shortcuts && !device && placing != Placing::automatic); /* what is predicted is predicted for the passes */
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

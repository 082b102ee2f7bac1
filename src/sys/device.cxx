/*
   Decides once whether products run on a GPU or on the host.
*/
#include "device.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <cstring>
  #include <vector>
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

#if PetscDefined(HAVE_CUDA)
namespace
{

PetscMPIInt exclusive_key = MPI_KEYVAL_INVALID; /* of a communicator: one of exclusive_flags */
char        exclusive_flags[3];                 /* its values: not all processes have a GPU, some share one, each has its own */

PetscErrorCode FreeKey(void)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_free_keyval(&exclusive_key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective over the processes of a node; *own is false if another process uses the same GPU */
PetscErrorCode CompareGpus(MPI_Comm node, PetscBool *exclusive)
{
  cudaUUID_t     mine = {};
  cudaDeviceProp properties;
  PetscMPIInt    ranks, rank;
  int            device;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(node, &ranks));
  PetscCallMPI(MPI_Comm_rank(node, &rank));
  std::vector<cudaUUID_t> all(ranks);
  if (*exclusive) {
    PetscCallCUDA(cudaGetDevice(&device));
    PetscCallCUDA(cudaGetDeviceProperties(&properties, device));
    mine = properties.uuid;
  }
  PetscCallMPI(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, node));
  for (int r = 0; r < ranks; r++)
    if (r != rank && !std::memcmp(&all[r], &mine, sizeof(mine))) *exclusive = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
#endif

PetscErrorCode DeviceExclusive(MPI_Comm comm, PetscBool *usable, PetscBool *exclusive)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(DeviceUsable(usable));
  *exclusive = *usable;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  MPI_Comm node;
  void    *value;
  int      known;

  if (exclusive_key == MPI_KEYVAL_INVALID) {
    PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &exclusive_key, NULL));
    PetscCall(PetscRegisterFinalize(FreeKey));
  }
  PetscCallMPI(MPI_Comm_get_attr(comm, exclusive_key, &value, &known));
  if (known) {
    *usable    = (PetscBool)(value != exclusive_flags);
    *exclusive = (PetscBool)(value == exclusive_flags + 2);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCall(CompareGpus(node, exclusive));
  PetscCallMPI(MPI_Comm_free(&node));
  PetscBool all[2] = {*usable, *exclusive};

  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, all, 2, MPI_C_BOOL, MPI_LAND, comm));
  *usable    = all[0];
  *exclusive = all[1];
  PetscCallMPI(MPI_Comm_set_attr(comm, exclusive_key, exclusive_flags + *usable + *exclusive));
#endif
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

/* The functions of libnvidia-ml that PETSc calls up to 3.25, from the library of the driver, if there is one. Linked into libpetsc, which
   then loads on machines without a driver as well. */
#include <dlfcn.h>
#include <nvml.h>
#include <stddef.h>

static void *find(const char *name)
{
  static void *library;

  if (!library) library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  return library ? dlsym(library, name) : NULL;
}

#define FORWARD(name, parameters, arguments) \
  nvmlReturn_t name parameters \
  { \
    nvmlReturn_t(*function) parameters = (nvmlReturn_t(*) parameters)find(#name); \
    return function ? function arguments : NVML_ERROR_LIBRARY_NOT_FOUND; \
  }

FORWARD(nvmlInit_v2, (void), ())
FORWARD(nvmlShutdown, (void), ())
FORWARD(nvmlDeviceGetHandleByIndex_v2, (unsigned int index, nvmlDevice_t *device), (index, device))
FORWARD(nvmlDeviceGetFieldValues, (nvmlDevice_t device, int count, nvmlFieldValue_t *values), (device, count, values))
FORWARD(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t device, unsigned long long *energy), (device, energy))

const char *nvmlErrorString(nvmlReturn_t error)
{
  const char *(*function)(nvmlReturn_t) = (const char *(*)(nvmlReturn_t))find("nvmlErrorString");
  return function ? function(error) : "libnvidia-ml.so.1 of the driver is missing";
}

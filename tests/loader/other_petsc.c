/* Preloaded: makes the running PETSc look to libheptane, and to it alone, like another build than the one it was compiled with.
   OTHER_PETSC says in what: version, configuration (CUDA switched), int (size of PetscInt), scalar (size of PetscScalar). */
#define _GNU_SOURCE
#include <petscsys.h>
#include <dlfcn.h>
#include <string.h>
#include <stdlib.h>

static int Pretend(const char what[], void *caller)
{
  const char *wish = getenv("OTHER_PETSC");
  Dl_info     info;

  return wish && !strcmp(wish, what) && dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libheptane");
}

PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release)
{
  PetscErrorCode (*real)(PetscInt *, PetscInt *, PetscInt *, PetscInt *) = dlsym(RTLD_NEXT, "PetscGetVersionNumber");
  const PetscErrorCode ierr                                              = real(major, minor, subminor, release);

  if (Pretend("version", __builtin_return_address(0)) && minor) *minor = 22;
  return ierr;
}

PetscErrorCode PetscGetConfiguration(const char *config[])
{
  static char other[65536];
  PetscErrorCode (*real)(const char *[]) = dlsym(RTLD_NEXT, "PetscGetConfiguration");
  const PetscErrorCode ierr              = real(config);

  if (Pretend("configuration", __builtin_return_address(0))) {
    char *digit;

    strncpy(other, *config, sizeof(other) - 32);
    digit = strstr(other, "--with-cuda=");
    if (digit) {
      digit += strlen("--with-cuda=");
      *digit = *digit == '0' ? '1' : '0';
    } else strcat(other, " --with-cuda=1");
    *config = other;
  }
  return ierr;
}

PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t *size)
{
  PetscErrorCode (*real)(PetscDataType, size_t *) = dlsym(RTLD_NEXT, "PetscDataTypeGetSize");
  const PetscErrorCode ierr                       = real(type, size);

  if (type == PETSC_INT && Pretend("int", __builtin_return_address(0))) *size = 12 - *size;
  if (type == PETSC_SCALAR && Pretend("scalar", __builtin_return_address(0))) *size = 2 * *size;
  return ierr;
}

/*
   Compares the running PETSc with the PETSc of the build: version, type sizes and the configuration that determines the
   layout of structures.
*/
#include "abi.hpp"
#include "petsc_compat.hpp"
#include <petscconfiginfo.h>

namespace heptane
{

/*
   The configure options that change the layout of structures or the meaning of calls; paths and compilers may differ.
   Debugging does not change what heptane reads (tests/source/versions.sh)
*/
static const char *const shaping[] = {
  "--with-cuda",           "--with-hip",         "--with-kokkos",        "--with-sycl",   "--with-viennacl", "--with-precision",
  "--with-64-bit-indices", "--with-scalar-type", "--with-clanguage",     "--with-ctable", "--with-log",      "--with-threadsafety",
  "--with-openmp",         "--with-mpi",         "--with-single-library"};

/*
   The value of one option in a line of configure options: the text up to the next blank, empty if the option is absent
*/
static PetscErrorCode OptionValue(const char *line, const char *name, char value[], size_t len)
{
  const size_t n = strlen(name);
  const char  *p = line;

  PetscFunctionBegin;
  value[0] = 0;
  while ((p = strstr(p, name))) {
    const char next = p[n];
    p += n;
    if (next == '=' || next == ' ' || next == 0) { /* not a prefix of a longer name; the last one counts */
      const char *end = strchr(p, ' ');
      size_t      k   = end ? (size_t)(end - p) : strlen(p);
      k               = PetscMin(k, len - 1);
      PetscCall(PetscArraycpy(value, p, k));
      value[k] = 0;
      if (!k) PetscCall(PetscStrncpy(value, "=1", len));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckABI()
{
  PetscInt    major, minor, subminor, release;
  size_t      int_size, scalar_size;
  const char *compiled, *running;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, &release));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libheptane was built for PETSc %d.%d and this program runs %" PetscInt_FMT ".%" PetscInt_FMT
             ": rebuild heptane with PETSC_DIR and PETSC_ARCH of the program's PETSc",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, major, minor);
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &int_size));
  PetscCall(PetscDataTypeGetSize(PETSC_SCALAR, &scalar_size));
  PetscCheck(
    int_size == sizeof(PetscInt) && scalar_size == sizeof(PetscScalar), PETSC_COMM_SELF, PETSC_ERR_LIB,
    "libheptane was built for %d-byte indices and %d-byte scalars and this program's PETSc has %d and %d: rebuild heptane with its PETSC_DIR and PETSC_ARCH",
    (int)sizeof(PetscInt), (int)sizeof(PetscScalar), (int)int_size, (int)scalar_size);
  PetscCall(GetConfigurations(petscconfigureoptions, &compiled, &running));
  for (const char *option : shaping) {
    char      ours[64], theirs[64];
    PetscBool same;

    PetscCall(OptionValue(compiled, option, ours, sizeof(ours)));
    PetscCall(OptionValue(running, option, theirs, sizeof(theirs)));
    PetscCall(PetscStrcmp(ours, theirs, &same));
    PetscCheck(
      same, PETSC_COMM_SELF, PETSC_ERR_LIB,
      "libheptane was built for a PETSc configured with %s%s and this program's has %s%s: rebuild heptane with the PETSC_DIR and PETSC_ARCH of the program's PETSc",
      option, *ours ? ours : " not given", option, *theirs ? theirs : " not given");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

# What the makefile needs to know of PETSc: checks it, reads its variables, names the build folder. Included by the makefile alone.

PETSC_CONF := $(PETSC_DIR)/$(PETSC_ARCH)/lib/petsc/conf/petscvariables
ifneq ($(words $(PETSC_DIR)),1)
  $(error PETSC_DIR=$(PETSC_DIR) has a blank in it, which make cannot handle: set it to a link without one)
endif
ifeq ($(wildcard $(PETSC_DIR)/include/petscversion.h),)
  $(error PETSC_DIR=$(PETSC_DIR) holds no include/petscversion.h: set it to a PETSc, or unset it and one is built for you)
endif
ifeq ($(wildcard $(PETSC_CONF)),)
  $(error PETSC_DIR=$(PETSC_DIR) has no configuration PETSC_ARCH=$(PETSC_ARCH): set PETSC_ARCH to one of its arch folders, or empty for a prefix installation)
endif
PETSC_VERSION := $(shell awk '/define PETSC_VERSION_(MAJOR|MINOR) /{printf "%s%s", s, $$3; s = "."}' $(PETSC_DIR)/include/petscversion.h)
HEPTANE_PETSC_RELEASES ?= $(shell sed -n 's/^.define HEPTANE_PETSC_RELEASES //p' $(HEPTANE_DIR)/src/sys/petsc_compat.hpp)
ifeq ($(filter $(HEPTANE_PETSC_RELEASES),$(PETSC_VERSION)),)
  $(error heptane is built with PETSc $(HEPTANE_PETSC_RELEASES), $(PETSC_DIR) is PETSc $(PETSC_VERSION): set PETSC_DIR to one of them, or unset it and one is built for you)
endif
ifeq ($(wildcard $(PETSC_DIR)/include/petsc/private/matimpl.h),)
  $(error PETSC_DIR=$(PETSC_DIR) lacks the headers below include/petsc/private, which heptane needs: install those of this PETSc, or unset PETSC_DIR and one is built for you)
endif

# PETSc's variables overwrite what stands here under the same name, so ours come after them
HEPTANE_MPIEXEC ?= $(MPIEXEC)
include $(PETSC_CONF)
ifneq ($(HEPTANE_MPIEXEC),)
  MPIEXEC := $(HEPTANE_MPIEXEC)
endif

ifeq ($(PETSC_SCALAR),complex)
  $(error heptane needs a PETSc with real scalars, $(PETSC_DIR) has complex ones: configure it with --with-scalar-type=real, or unset PETSC_DIR)
endif
ifeq ($(filter double single,$(PETSC_PRECISION)),)
  $(error heptane supports double and single precision, $(PETSC_DIR) has $(PETSC_PRECISION): configure it with --with-precision=double, or unset PETSC_DIR)
endif
ifneq ($(BUILDSHAREDLIB),yes)
  $(error heptane is loaded at run time and needs a shared libpetsc, $(PETSC_DIR) is static: configure it with --with-shared-libraries=1)
endif
ifneq ($(shell grep -s 'define PETSC_HAVE_MPIUNI 1' $(PETSC_DIR)/$(PETSC_ARCH)/include/petscconf.h),)
  $(error heptane needs a PETSc with MPI, $(PETSC_DIR) was configured without: configure it with --with-mpi=1, or unset PETSC_DIR)
endif
# Cuda compilation tools, release 13.0, V13.0.88; configure finds nvcc for a PETSc without CUDA too
ifneq ($(shell grep -s 'define PETSC_HAVE_CUDA 1' $(PETSC_DIR)/$(PETSC_ARCH)/include/petscconf.h),)
  CUDA_RELEASE := $(shell echo '$(CUDA_VERSION)' | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  ifneq ($(shell printf '%s\n' 12.4 '$(CUDA_RELEASE)' | sort -V | head -n 1),12.4)
    $(error heptane needs CUDA 12.4 or newer, $(PETSC_DIR) was configured with CUDA $(CUDA_RELEASE): configure it with the nvcc of a newer one, or without CUDA)
  endif
endif
ifeq ($(shell command -v $(firstword $(CXX))),)
  $(error PETSc was configured with the compiler $(firstword $(CXX)), which is not in PATH: put the folder of that MPI first in PATH)
endif

# One build folder for each PETSc
HEPTANE_KEY   := $(notdir $(if $(PETSC_ARCH),$(PETSC_ARCH),$(abspath $(PETSC_DIR))))-$(shell printf '%s' '$(abspath $(PETSC_DIR))/$(PETSC_ARCH)' | cksum | cut -d' ' -f1)
HEPTANE_BUILD := $(abspath $(or $(HEPTANE_BUILD),$(HEPTANE_DIR)/build/$(HEPTANE_KEY)))
HEPTANE_LIB   := $(HEPTANE_BUILD)/lib/libheptane.so

# For the makefiles and scripts below
export PETSC_DIR PETSC_ARCH HEPTANE_BUILD HEPTANE_LIB MPIEXEC
# MPICH polls: without this, more ranks than cores slow each other down a thousandfold. Open MPI: allow root and more ranks than cores, which yield
# to each other and are not bound: several programs may run at once.
export MPIR_CVAR_CH4_PROGRESS_THROTTLE ?= 1
export MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT ?= 16
export OMPI_ALLOW_RUN_AS_ROOT ?= 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ?= 1
export OMPI_MCA_rmaps_base_oversubscribe ?= 1
export OMPI_MCA_mpi_yield_when_idle ?= 1
export PRTE_MCA_rmaps_default_mapping_policy ?= :oversubscribe
export PRTE_MCA_hwloc_default_binding_policy ?= none

ifeq ($(filter -j% j%,$(MAKEFLAGS)),)
  MAKEFLAGS += -j$(HEPTANE_NP)
endif

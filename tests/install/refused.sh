#!/usr/bin/env bash
# A PETSc that heptane cannot be built for: make says so in one line, with what to do. The PETScs are only described.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/makefile" ]; then skip 'PETScs that are refused' 'this archive holds no sources'; finish; fi
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES PETSC_DIR PETSC_ARCH HEPTANE_BUILD HEPTANE_LIB

# describe NAME RELEASE [VARIABLE=VALUE...]: a folder with the headers and makefile variables of a PETSc
describe() {
  local folder=$work/$1 release=$2
  shift 2
  mkdir -p "$folder/include" "$folder/lib/petsc/conf"
  printf '#define PETSC_VERSION_MAJOR      %d\n#define PETSC_VERSION_MINOR      %d\n#define PETSC_VERSION_SUBMINOR   0\n' "${release%.*}" "${release#*.}" >"$folder/include/petscversion.h"
  echo '#define PETSC_HAVE_CUDA 1' >"$folder/include/petscconf.h"
  printf '%s\n' 'CXX = c++' 'PETSC_SCALAR = real' 'PETSC_PRECISION = double' 'BUILDSHAREDLIB = yes' 'CUDA_VERSION = Cuda compilation tools, release 12.4, V12.4.1' "$@" >"$folder/lib/petsc/conf/petscvariables"
}
refused() { # NAME PATTERN
  run timeout 60 make -C "$HEPTANE_DIR" --no-print-directory PETSC_DIR="$work/$1" PETSC_ARCH="${3:-}" env
  expect "$1 is refused" fail "$2" && { [ "$(wc -l <<<"$output")" = 1 ] && ok "$1: one line" || not_ok "$1: one line" "$output"; }
}

refused none 'holds no include/petscversion.h: set it to a PETSc, or unset it'
describe arch 3.26
refused arch 'has no configuration PETSC_ARCH=other: set PETSC_ARCH' other
for release in 3.25 3.27; do
  describe $release $release
  refused $release "is PETSc $release: set PETSC_DIR to one of them, or unset it"
done
describe complex 3.26 'PETSC_SCALAR = complex'
refused complex 'configure it with --with-scalar-type=real'
describe quad 3.26 'PETSC_PRECISION = __float128'
refused quad 'has __float128: configure it with --with-precision=double'
describe static 3.26 'BUILDSHAREDLIB = no'
refused static 'configure it with --with-shared-libraries=1'
describe cuda_11.8 3.26 'CUDA_VERSION = Cuda compilation tools, release 11.8, V11.8.89'
refused cuda_11.8 'needs CUDA 12.4 or newer, .* was configured with CUDA 11.8: configure it with the nvcc of a newer one'
describe compiler 3.26 'CXX = /none/mpicxx'
refused compiler 'configured with the compiler /none/mpicxx, which is not in PATH'
describe fine 3.26
run timeout 60 make -C "$HEPTANE_DIR" --no-print-directory PETSC_DIR="$work/fine" PETSC_ARCH= env
expect 'a PETSc with CUDA 12.4 is taken' 0 'export PETSC_DIR='
finish

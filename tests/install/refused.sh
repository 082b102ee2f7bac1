#!/usr/bin/env bash
# A PETSc that heptane cannot be built for: make says so in one line, with what to do. The PETScs are only described.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/makefile" ]; then skip 'PETScs that are refused' 'this archive holds no sources'; finish; fi
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES PETSC_DIR PETSC_ARCH HEPTANE_BUILD HEPTANE_LIB

# describe NAME RELEASE [VARIABLE=VALUE...]: a folder with the headers and makefile variables of a PETSc
describe() {
  local folder=$work/$1 release=$2
  shift 2
  mkdir -p "$folder/include/petsc/private" "$folder/lib/petsc/conf"
  touch "$folder/include/petsc/private/matimpl.h"
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
for release in 3.23 3.27; do
  describe $release $release
  refused $release "is PETSc $release: set PETSC_DIR to one of them, or unset it"
done
describe headers 3.26
rm -r "$work/headers/include/petsc"
refused headers 'lacks the headers below include/petsc/private, which heptane needs: install those'
describe 'a blank' 3.26
refused 'a blank' 'has a blank in it, which make cannot handle: set it to a link without one'
describe complex 3.26 'PETSC_SCALAR = complex'
refused complex 'configure it with --with-scalar-type=real'
describe quad 3.26 'PETSC_PRECISION = __float128'
refused quad 'has __float128: configure it with --with-precision=double'
describe static 3.26 'BUILDSHAREDLIB = no'
refused static 'configure it with --with-shared-libraries=1'
describe without_mpi 3.26
echo '#define PETSC_HAVE_MPIUNI 1' >>"$work/without_mpi/include/petscconf.h"
refused without_mpi 'configured without: configure it with --with-mpi=1'
describe cuda_11.8 3.26 'CUDA_VERSION = Cuda compilation tools, release 11.8, V11.8.89'
refused cuda_11.8 'needs CUDA 12.4 or newer, .* was configured with CUDA 11.8: configure it with the nvcc of a newer one'
describe compiler 3.26 'CXX = /none/mpicxx'
refused compiler 'configured with the compiler /none/mpicxx, which is not in PATH'
describe fine 3.26
run timeout 60 make -C "$HEPTANE_DIR" --no-print-directory PETSC_DIR="$work/fine" PETSC_ARCH= env
expect 'a PETSc with CUDA 12.4 is taken' 0 'export PETSC_DIR='

# In Debian lib/petsc/bin is a link to a folder of the prefix with the examples
harness() {
  run timeout 60 make -C "$HEPTANE_DIR/tests" --no-print-directory PETSC_DIR="$work/fine" PETSC_ARCH= HEPTANE_BUILD="$work/built" \
    "$work/built/tests/harness/generated"
}
mkdir -p elsewhere/lib/petsc/bin elsewhere/share/petsc/examples
ln -s "$work/elsewhere/lib/petsc/bin" fine/lib/petsc/bin
harness
expect 'a PETSc without its examples cannot be tested' fail 'has no gmakefile.test: .*apt-get install libpetsc3.26-dev-examples'
printf 'CONFIGDIR := none\n.DEFAULT:\n\t@echo "scripts: $(CONFIGDIR)"\n' >elsewhere/share/petsc/examples/gmakefile.test
harness
expect 'the test harness of a PETSc of Debian is found' 0 "scripts: $work/elsewhere/share/petsc/examples/config"

mkdir -p "$work/our blank"
cp "$HEPTANE_DIR/makefile" "$work/our blank"
run timeout 60 make -C "$work/our blank" --no-print-directory PETSC_DIR="$work/fine" all
expect 'a checkout with a blank in its path' fail 'has a blank in it, which make cannot handle: move it' &&
  { [ "$(wc -l <<<"$output")" = 1 ] && ok 'a checkout with a blank: one line' || not_ok 'a checkout with a blank: one line' "$output"; }

# a compilation that is cut off in the middle of its object: the next make compiles it again
tree=$work/tree
mkdir -p "$tree/src" "$tree/include"
cp -r "$HEPTANE_DIR"/{makefile,tools} "$tree"
echo 'src/one.cxx' >"$tree/src/sources.list"
echo 'int one() { return 1; }' >"$tree/src/one.cxx"
echo '#include <cstddef>' >"$tree/tools/common_headers.hpp"
cat >cut <<'CUT'
#!/bin/bash
for ((k = 1; k <= $#; k++)); do if [ "${!k}" = -o ]; then at=$((k + 1)); fi; done
echo half >"${!at}"
kill -KILL $PPID
CUT
cat >cxx <<'CXX'
#!/bin/bash
case "$*" in *one.cxx) if [ -e cut-off ]; then exec "$(dirname "$0")/cut" "$@"; fi ;; esac
exec c++ "$@"
CXX
chmod +x cut cxx
describe host 3.26 "CXX = $work/cxx"
: >"$work/host/include/petscconf.h"
one=(timeout 60 make -C "$tree" --no-print-directory PETSC_DIR="$work/host" PETSC_ARCH= HEPTANE_PETSC_RELEASES=3.26 HEPTANE_BUILD="$tree/build" lib)
touch "$tree/cut-off"
run "${one[@]}"
expect 'a compilation that is cut off is an error' fail ''
rm "$tree/cut-off"
run "${one[@]}"
expect 'the next make compiles it again' 0 'CXX   src/one.cxx'
finish

#!/usr/bin/env bash
# Every source of the host-only library compiles as with a PETSc that was configured without a GPU: the same headers, the configuration without devices.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
conf=$PETSC_DIR/${PETSC_ARCH:+$PETSC_ARCH/}include/petscconf.h

if [ ! -f "$HEPTANE_DIR/makefile" ]; then skip 'host-only sources' 'this archive holds no sources'; finish; fi
if ! grep -q 'define PETSC_HAVE_CUDA 1' "$conf"; then skip 'host-only sources' 'this PETSc has no CUDA, so that is what was built'; finish; fi

grep -v -E 'PETSC_HAVE_(CUDA|CUPM|DEVICE|NVTX)|PETSC_PKG_CUDA|PETSC_USE_NVTX' "$conf" >"$work/petscconf.h"
variable() { sed -n "s/^$1 *= *//p" "${conf%include/petscconf.h}lib/petsc/conf/petscvariables" | head -n 1; }
compiler=$(variable CXX)
cd "$HEPTANE_DIR" || exit 1
compile() { # its name is printed when it does not compile
  # shellcheck disable=SC2086
  $compiler -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I"$work" -Iinclude -Isrc $(variable PETSC_CC_INCLUDES) -I"$PETSC_DIR/include" "$1" >"$work/$(basename "$1").log" 2>&1 ||
    { echo "$1"; head -n 5 "$work/$(basename "$1").log"; }
}
export -f compile variable
export compiler work conf PETSC_DIR
sed -n 's/ alone$//; /^src.*\.cxx$/p' src/sources.list | xargs -P 2 -I{} bash -c 'compile "$1"' _ {} >"$work/failed"
if [ -s "$work/failed" ]; then
  cat "$work/failed"
  not_ok 'sources compile without CUDA'
else
  ok 'sources compile without CUDA'
fi
finish

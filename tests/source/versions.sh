#!/usr/bin/env bash
# One place for heptane's version, one file that tests PETSc's, and a PETSc of the next release, which the compiler refuses with what changed.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/makefile" ]; then skip 'versions' 'this archive holds no sources'; finish; fi
cd "$HEPTANE_DIR" || exit 1

# heptane.h has the version; make, CMake, pip and the Python package read it there; what cannot read it has the same
version=$(awk '/define HEPTANE_VERSION_(MAJOR|MINOR|PATCH) /{printf "%s%s", s, $3; s = "."}' include/heptane.h)
same() { # FILE PATTERN: the first match has the version
  output=$(grep -oE -m 1 -- "$2" "$1" | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
  [ "$output" = "$version" ] && ok "the version of $1" || not_ok "the version of $1" "$output, and $version in include/heptane.h"
}
same CITATION.cff '^version: .*'
same CHANGELOG.md '^## [0-9.]+'
same packaging/spack/package.py '^    version\(.*'
same packaging/petsc/heptane.py "^    self.version  *= .*"
output=$(grep -rhoE --include='*.md' --include='*.py' 'heptane[-@ ][0-9]+\.[0-9]+\.[0-9]+' README.md docs packaging | sort -u |
  grep -vE "heptane[-@ ]${version//./\\.}$")
[ -z "$output" ] && ok 'the version on pages' || not_ok 'the version on pages' "$output"
readers=(CMakeLists.txt packaging/bundle packaging/install pyproject.toml python/heptane)
run grep -rnE --include='*.txt' --include='*.toml' --include='*.py' --include=bundle --include=install "$version" "${readers[@]}"
expect 'files that read the version do not repeat it' 1 '^$'

# other files have HEPTANE_SINCE_3_26() and similar macros
tested() { grep -rnE --include='*.'{c,h,cxx,hpp,cu,cuh,in} 'PETSC_VERSION_(LT|LE|EQ|GE|GT|_)|^ *# *(el)?if.*PETSC_VERSION' "$@"; }
run tested --exclude=petsc_compat.hpp include src tests examples bench
expect 'petsc_compat.hpp alone tests the version of PETSc' 1 '^$'
run tested src/sys/petsc_compat.hpp
expect 'which the check finds there' 0 'PETSC_VERSION_GE'

# a copy of PETSc's headers, changed
conf=$PETSC_DIR/${PETSC_ARCH:+$PETSC_ARCH/}
variable() { sed -n "s/^$1 *= *//p" "${conf}lib/petsc/conf/petscvariables" | head -n 1; }
compiler=$(variable CXX)
if ! command -v "${compiler%% *}" >/dev/null; then skip 'the next release' 'no compiler'; finish; fi
cp -rL "$PETSC_DIR/include" "$work/include"
[ -z "$PETSC_ARCH" ] || cp "${conf}include/"*.h "$work/include"
compile() { # FLAGS...: the table of operations with these headers
  # shellcheck disable=SC2046,SC2086
  run $compiler -std=c++17 -fsyntax-only -DPETSC_SKIP_COMPLEX -I"$work/include" -Iinclude -Isrc $(variable PETSC_CC_INCLUDES) "$@" \
    -x c++ src/mat/values/operation_table.hpp
}
compile
expect 'the copy is as good' 0 ''
sed -i 's/^#define PETSC_VERSION_MINOR .*/#define PETSC_VERSION_MINOR 27/' "$work/include/petscversion.h"
compile
output=$(grep -m 1 'error:' <<<"$output")
expect 'the next release is refused with what to do' fail 'heptane supports PETSc up to 3\.[0-9]+: set PETSC_DIR to one'
cp "$PETSC_DIR/include/petscversion.h" "$work/include"
sed -i 's/^\( *PetscErrorCode (\*getvecs)\)/  PetscErrorCode (*another)(Mat);\n\1/' "$work/include/petsc/private/matimpl.h"
compile -DHEPTANE_TRY_PETSC
expect 'a new operation is refused' fail 'error: static assertion failed.*other matrix operations before the entry'
expect 'with the entry behind it' fail 'OperationEntry::getvecs'

# debugging changes vectors, which heptane does not read, and nothing else
cp "$PETSC_DIR/include/petsc/private/matimpl.h" "$work/include/petsc/private"
{
  printf '#include %s\n' '"private/mat.hpp"' '"private/pc.hpp"' '"private/ksp.hpp"' '<petsc/private/vecimpl.h>'
  printf '#define SIZE(s) char size_of_##s[sizeof(s)];\n'
  printf 'SIZE(%s)\n' _p_{PetscObject,Mat,PC,KSP,DM,Vec} _{Mat,PC,KSP,DM}Ops
} >"$work/sizes.cxx"
for debug in 0 1; do
  sed '/PETSC_USE_DEBUG/d' "${conf}include/petscconf.h" >"$work/include/petscconf.h"
  if [ $debug = 1 ]; then echo '#define PETSC_USE_DEBUG 1' >>"$work/include/petscconf.h"; fi
  # shellcheck disable=SC2046
  $compiler -std=c++17 -DPETSC_SKIP_COMPLEX -I"$work/include" -Isrc $(variable PETSC_CC_INCLUDES) -S -o - "$work/sizes.cxx" |
    grep -E '^\s*\.size' >"$work/sizes$debug"
done
output=$(diff "$work/sizes0" "$work/sizes1" | sed -n 's/^[<>].*size_of_\([A-Za-z_]*\),.*/\1/p' | sort -u)
[ "$output" = _p_Vec ] && ok 'a debug PETSc differs in vectors alone' || not_ok 'a debug PETSc differs in vectors alone' "$output"
finish

#!/usr/bin/env bash
# A PETSc other than the one the library was built with is refused at load time with a message that names the remedy.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
compiled other_petsc.so
compiled hip_petsc.so
release=$(awk '/define PETSC_VERSION_MINOR /{print $3}' "$PETSC_DIR/include/petscversion.h")
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -pc_type none)

run env LD_PRELOAD="$bin/other_petsc.so" "$bin/app" "${load[@]}"
expect 'the preloaded library alone changes nothing' 0 'solved'
for what in version configuration int scalar; do
  preload=$bin/other_petsc.so
  # up to 3.25 PETSc does not tell its configuration; its functions do
  if [ $what = configuration ] && [ "$release" -lt 26 ]; then preload=$bin/hip_petsc.so; fi
  run env OTHER_PETSC=$what LD_PRELOAD="$preload" "$bin/app" "${load[@]}"
  expect "another $what is refused" fail '[Rr]ebuild|[Rr]ecompile'
  expect_not "another $what: no solve happens" ' solved'
done
finish

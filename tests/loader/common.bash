# Sourced by the loader tests: finds what is under test, compiles the test programs, prints one "ok name" or "not ok name" line a check.
# Needs HEPTANE_DIR, HEPTANE_BUILD, HEPTANE_LIB, PETSC_DIR, PETSC_ARCH (may be empty), MPIEXEC, as the makefile sets them.
set -u
: "${HEPTANE_DIR:?run the tests through make check}" "${HEPTANE_BUILD:?}" "${HEPTANE_LIB:?}" "${PETSC_DIR:?}"
PETSC_ARCH=${PETSC_ARCH:-}
unset PETSC_OPTIONS
# with a GPU, PETSc stops at an MPI that cannot send from its memory unless told that this is known
gpu_options=
if nvidia-smi -L 2>/dev/null | { read -r line && [[ $line == GPU* ]]; }; then gpu_options='-use_gpu_aware_mpi 0'; fi
[ -z "$gpu_options" ] || export PETSC_OPTIONS=$gpu_options
here=$HEPTANE_DIR/tests/loader
work=$HEPTANE_BUILD/tests/loader/$(basename "$0" .sh)
bin=$HEPTANE_BUILD/tests/loader/bin
rm -rf "$work"
mkdir -p "$work/home" "$bin"
cd "$work" || exit 1
# no .petscrc of the user may interfere
export HOME=$work/home
failures=0

ok() { echo "ok $1"; }
skip() { echo "ok $1 # SKIP $2"; }
not_ok() {
  echo "not ok $1"
  failures=$((failures + 1))
  shift
  [ $# -eq 0 ] || printf '%s\n' "$@" | awk '{line[NR] = $0} END {for (i = 1; i <= NR; i++) if (i <= 10 || i > NR - 10) print "#   " line[i]; else if (i == 11) print "#   ..."}'
}
[ -f "$HEPTANE_LIB" ] || { not_ok "$(basename "$0" .sh): the library" "$HEPTANE_LIB is missing: make all"; exit 1; }
finish() { [ "$failures" = 0 ]; exit $?; }

# run NAME-OF-LOG COMMAND...: sets output and status
run() {
  output=$("$@" 2>&1 </dev/null)
  status=$?
}
# expect NAME STATUS PATTERN: the last run ended with STATUS (or "fail": any but 0) and printed PATTERN ("" for anything)
expect() {
  local name=$1 want=$2 pattern=$3
  case "$want" in
    fail) [ "$status" != 0 ] || { not_ok "$name" "ended with status 0, expected a failure" "$output"; return 1; } ;;
    *) [ "$status" = "$want" ] || { not_ok "$name" "ended with status $status, expected $want" "$output"; return 1; } ;;
  esac
  if [ -n "$pattern" ] && ! grep -qE -- "$pattern" <<<"$output"; then not_ok "$name" "not in the output: $pattern" "$output"; return 1; fi
  ok "$name"
}
expect_not() { # NAME PATTERN: the last run did not print PATTERN
  if grep -qE -- "$2" <<<"$output"; then not_ok "$1" "unexpected in the output: $2" "$output"; return 1; fi
  ok "$1"
}

# compiled NAME: makes sure that the program or library NAME is in $bin, built with PETSc's own compilers (a bundle brings it, having no compiler)
compiled() {
  local name=$1 source=$here/$1.c target flags='' compile='$(PCC) $(CC_FLAGS)' includes='$(PETSC_CC_INCLUDES)'
  case "$name" in
    fortran) source=$here/app.F90 compile='$(FC) $(FC_FLAGS) $(FC_MODULE_OUTPUT_FLAG)'$work includes='$(PETSC_FC_INCLUDES)' ;;
    consumer) source=$HEPTANE_DIR/tests/install/consumer.c flags="-L$(dirname "$HEPTANE_LIB") -Wl,-rpath,$(dirname "$HEPTANE_LIB") -lheptane" ;;
    slepc) flags="-I$SLEPC_DIR/include -I$SLEPC_DIR/$PETSC_ARCH/include -L$SLEPC_DIR/$PETSC_ARCH/lib -Wl,-rpath,$SLEPC_DIR/$PETSC_ARCH/lib -lslepc" ;;
    *.so) source=$here/${name%.so}.c flags='-shared -fPIC -fvisibility=default' ;;
  esac
  target=$bin/$name
  [ -e "$target" ] && [ ! "$source" -nt "$target" ] && return 0
  case "$name" in *.so) ;; *) flags="$flags -Wl,--as-needed \$(filter-out -lcuda,\$(PETSC_WITH_EXTERNAL_LIB))" ;; esac
  if make -s -f - compile >"$work/compile-$name.log" 2>&1 <<EOF
PETSC_DIR := $PETSC_DIR
PETSC_ARCH := $PETSC_ARCH
include $PETSC_DIR/$PETSC_ARCH/lib/petsc/conf/petscvariables
compile:
	$compile -I$HEPTANE_DIR/include $includes -o $target.$$ $source $flags
EOF
  then mv "$target.$$" "$target"; return 0; fi
  not_ok "compile-$name" "$(cat "$work/compile-$name.log")"
  finish
}
compile_all() { compiled app && compiled consumer && compiled cuda_count.so && compiled other_petsc.so && compiled hip_petsc.so; }

# Sourced by the examples' tests: a scratch folder to work in, MPI's settings, one line a check.
# Needs HEPTANE_BUILD; the caller has set `here`. Sets root, mpiexec, device (options that a machine with a GPU needs), precision (double or single), failed.
root=${HEPTANE_DIR:-$(cd "$here/../.." && pwd)}
: "${HEPTANE_BUILD:?set HEPTANE_BUILD to the folder that has examples/}"
mpiexec=${MPIEXEC:-mpiexec}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export MPIR_CVAR_CH4_PROGRESS_THROTTLE=${MPIR_CVAR_CH4_PROGRESS_THROTTLE:-1}
export MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=${MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT:-16}
unset PETSC_OPTIONS
device=()
if nvidia-smi -L >/dev/null 2>&1; then device=(-use_gpu_aware_mpi 0); fi
precision=double
if grep -qs '^PETSC_PRECISION = single' "${PETSC_DIR:-}/${PETSC_ARCH:-}/lib/petsc/conf/petscvariables"; then precision=single; fi
failed=0

# check NAME COMMAND...: the command's status decides; its output is shown when it fails. HEPTANE_ONLY: the pattern of the names that are checked
check() {
  local name=$1
  shift
  # shellcheck disable=SC2053
  [[ $name == ${HEPTANE_ONLY:-*} ]] || return 0
  if "$@" >check.log 2>&1; then echo "ok $name"; else
    echo "not ok $name"
    sed 's/^/# /' check.log | tail -n 25
    failed=1
  fi
}
skip() { echo "ok $1 # SKIP $2"; }

# run PROCESSES OPTIONS...: the program $app
run() {
  local n=$1
  shift
  if [ "$n" = 1 ]; then "$app" "${device[@]}" "$@"; else $mpiexec -n "$n" "$app" "${device[@]}" "$@"; fi
}

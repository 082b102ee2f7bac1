#!/usr/bin/env bash
# Windows between processes, on the host and, where there is a GPU, on the device; prints the lines of tests/comm/windows.cxx.
set -u
: "${HEPTANE_BUILD:?run the tests through make check}" "${MPIEXEC:?}"
program=$HEPTANE_BUILD/tests/comm/windows
export PETSC_OPTIONS='-use_gpu_aware_mpi 0'
failures=0
# RANKS ARGS...: its last line tells a program that ended too early
run() {
  local output status ranks=$1
  shift
  output=$($MPIEXEC -n "$ranks" ${HEPTANE_EACH:-} "$program" "$@" 2>&1 < /dev/null)
  status=$?
  printf '%s\n' "$output"
  if [ $status = 0 ] && ! grep -q '^not ok' <<< "$output"; then return; fi
  echo "not ok windows, $ranks ranks: $* (ended with $status)"
  failures=1
}

run 1 -malloc_dump
run 2 -users 1000 -rounds 5000
run 3
run 4
run 9 -refused 'at most 8'
# this makes MPICH tell processes of one node that they are on several; another MPI ignores it
if [[ $("$MPIEXEC" --version 2>&1) == *HYDRA* ]]; then
  MPIR_CVAR_NOLOCAL=1 run 2 -refused 'several nodes'
else
  echo 'ok windows, several nodes # SKIP not MPICH'
fi
if nvidia-smi -L 2> /dev/null | { read -r line && [[ $line == GPU* ]]; }; then
  run 1 -side device
  if [[ $(../run.d/one-visible --list) == *,* ]]; then HEPTANE_EACH=../run.d/one-visible run 2 -side device; fi
  run 2 -side device -rounds 20 -heptane_test_comm_share_gpu
else
  run 2 -side device -refused 'no GPU'
  echo 'ok windows on the device # SKIP no GPU'
fi
exit $failures

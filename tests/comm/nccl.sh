#!/usr/bin/env bash
# Sums and halos by NCCL's interface between processes, with the library of tests/mock_nccl; prints the lines of tests/comm/nccl.cxx.
set -u
: "${HEPTANE_BUILD:?run the tests through make check}" "${MPIEXEC:?}"
program=$HEPTANE_BUILD/tests/comm/nccl
export PETSC_OPTIONS="-use_gpu_aware_mpi 0 -heptane_nccl_library $HEPTANE_BUILD/tests/comm/libmock_nccl.so"
failures=0
# RANKS ARGS...: its last line tells a program that ended too early
run() {
  local output status ranks=$1
  shift
  output=$($MPIEXEC -n "$ranks" "$program" "$@" 2>&1 < /dev/null)
  status=$?
  printf '%s\n' "$output"
  if [ $status = 0 ] && ! grep -q '^not ok' <<< "$output"; then return; fi
  echo "not ok nccl, $ranks ranks: $* (ended with $status)"
  failures=1
}

run 1
run 2 -turns 1000
run 3
run 10 -turns 2
MOCK_NCCL_DELAY=2000 run 4
MOCK_NCCL_BREAK=1:4 run 2 -broken
MOCK_NCCL_BREAK=0:4:lost run 2 -broken
MOCK_NCCL_BREAK=2:3:lost run 4 -broken
MOCK_NCCL_BREAK=1:4:down run 2 -broken
MOCK_NCCL_BREAK=2:3:down run 4 -broken
MOCK_NCCL_BREAK=0:3:later run 3 -broken
MOCK_NCCL_BREAK=1:0 run 3 -heptane_test_nccl_join 1 -refused 'unhandled system error'
MOCK_NCCL_VERSION=21805 run 2 -refused '2.19 or newer'
run 2 -heptane_nccl_library /nowhere/libnccl.so.2 -refused 'names no library'
if ls /dev/shm/mock_nccl_* > /dev/null 2>&1; then echo 'ok files are left of ranks that were not joined'; rm -f /dev/shm/mock_nccl_*; fi
exit $failures

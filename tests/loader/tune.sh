#!/usr/bin/env bash
# heptane-tune, and its tables in programs: launches measured, written, read and solved with; wrong input is refused before the program's work.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app tune=$HEPTANE_BUILD/bin/heptane-tune
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-8)
host=("${load[@]}" -heptane_device host)

head() { # GPU: the first line of a table
  echo '{"what": "heptane_tuning", "schema": 1, "gpu": "'"$1"'", "major": 8, "minor": 6, "multiprocessors": 28, "shared": 102400}'
}
launch() { # FAMILY
  echo '{"what": "heptane_tuning", "schema": 1, "family": "'"$1"'", "size": 3, "items": 60000, "threads": 32, "blocks": 2, "narrow": 1, "best": 1}'
}

{ head 'Some other GPU'; launch pass; } >other.jsonl
run "$app" "${host[@]}" -heptane_tuning other.jsonl -options_left -malloc_dump
expect 'without a GPU nobody asks' 0 'solved' &&
  expect_not 'no option and no memory is left' 'unused database option|option.*left.*-heptane|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'
run "${MPIEXEC:-mpiexec}" -n 2 "$app" "${host[@]}" -heptane_tuning other.jsonl
expect 'several processes read a table' 0 'solved'

refused() { # NAME PATTERN FILE: before the program's work
  run "$app" "${host[@]}" -heptane_tuning "$3"
  expect "$1" fail "$2" && expect_not "$1: before any work" 'solved'
}
refused 'a file that is not there' '-heptane_tuning missing.jsonl: the file cannot be read; heptane-tune missing.jsonl measures' missing.jsonl
sed 's/"schema": 1/"schema": 99/' other.jsonl >schema.jsonl
refused 'another schema' 'line 1: has schema 99, and this library reads schema 1; remove it' schema.jsonl
echo '{"what": "heptane_machine", "schema": 1}' >machine.jsonl
refused 'lines of another kind' 'line 1: is not of a table of launches' machine.jsonl
sed 's/"threads": 32/"threads": 100/' other.jsonl >threads.jsonl
refused 'threads that are not warps' 'line 2: threads is 100, and must be a multiple of 32' threads.jsonl

run "$tune" --help
expect 'help' 0 'heptane-tune \[FILE\]: measures all launches'
run "$tune" never.jsonl -heptane_device host
expect 'no GPU to be measured' fail 'this run uses none'
[ ! -e never.jsonl ] && ok 'nothing is written then' || not_ok 'nothing is written then' "$(cat never.jsonl)"
run "$tune" other.jsonl
expect 'a file that is there' fail 'other.jsonl: the file is there already; -heptane_tuning other.jsonl reads it'
run "$tune" -rows 5
expect 'too few rows' fail '-rows'
run "$tune" -multiprocessors -1
expect 'less than no multiprocessor' fail '-multiprocessors'
run "${MPIEXEC:-mpiexec}" -n 2 "$tune"
expect 'several processes do not measure' fail 'measures one GPU with one process'

if [ -z "$gpu_options" ]; then
  skip 'launches of a GPU' 'there is no GPU'
else
  run "$tune" nowhere/table.jsonl
  expect 'a file that cannot be written' fail 'nowhere/table.jsonl: the file cannot be written; its folder must exist'
  run "$tune" table.jsonl -machine gpu.jsonl -rows 64000
  expect 'launches are measured' 0 'pairs: the model' && expect 'a line for each kernel and size' 0 'dense blocks: QR +16 '
  [ "$(grep -c '"best": 1' table.jsonl)" -ge 12 ] && ok 'the table is written' || not_ok 'the table is written' "$(cut -c1-300 table.jsonl | sed 3q)"
  run "$app" "${load[@]}" -heptane_tuning table.jsonl -info
  expect 'the table is read' 0 'are chosen by the table' && expect 'and it is solved with that' 0 'solved'
  run "$tune" small.jsonl -machine gpu.jsonl -multiprocessors 3 -shared 40000 -rows 64000
  expect 'an artificial GPU is measured' 0 '3 multiprocessors'
  run "$app" "${load[@]}" -heptane_tuning small.jsonl
  expect 'the table of another GPU' fail 'was measured on .* 3 multiprocessors, 40000 bytes .*; measure this one with heptane-tune'
  run "$app" "${load[@]}" -heptane_tuning other.jsonl
  expect 'the table of a GPU of another name' fail 'was measured on Some other GPU'
  run "$tune" -multiprocessors 100000
  expect 'more multiprocessors than there are' fail 'of which fewer can be used'
  run "$tune" -shared 100000000
  expect 'more shared memory than there is' fail 'of which fewer can be used'

  # two blocks of 32 threads per multiprocessor, one row per thread, for everything that can be chosen
  head any >few.jsonl
  for family in 'bdiagh product' 'sellp product' 'fused product' 'fused products' pass 'pass of cells' 'dense apply' 'dense inverse' 'dense lu' 'dense qr' 'dense least squares'; do
    launch "$family" >>few.jsonl
  done
  programs=$HEPTANE_BUILD/tests/harness
  few() { # PROGRAM PATTERN OPTIONS...
    local program=$1 pattern=$2
    shift 2
    if [ ! -x "$programs/$program" ]; then skip "few blocks: $program" 'it is not built: make check builds it'; return; fi
    run "$programs/$program" -dll_append "$HEPTANE_LIB" -heptane_tuning few.jsonl -expect_cuda "$@"
    expect "few blocks: $program $*" 0 "$pattern"
  }
  for type in bdiagh sellp; do
    few mat/mult 'mult: 2432 comparisons' -mat_type $type
    few ksp/solve 'solve: ok, at least 5000 values' -mat_type $type -cells 3333 -bs 1,3 -pc jacobi,pbjacobi -mode kernels,graph
  done
  few ksp/blockjacobireg 'blockjacobireg: 312 comparisons'
fi
finish

#!/usr/bin/env bash
# -heptane_tune and -heptane_tuning in an unmodified program: launches measured, written, read again and solved with; wrong input is refused before the program's work.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-8)
host=("${load[@]}" -heptane_device host)

table() { # FILE GPU MULTIPROCESSORS
  cat >"$1" <<END
{"what": "heptane_tuning", "schema": 1, "gpu": "$2", "major": 8, "minor": 6, "multiprocessors": $3, "spread": $3, "warps": 48, "blocks": 16, "registers": 65536, "block_registers": 65536, "shared": 102400, "shared_reserved": 1024, "bytes_per_us": 400000, "latency_us": 0.5, "cache_bytes": 4e6, "cache_bytes_per_us": 9e5, "cache_latency_us": 0.2, "scalar_bytes": 8}
{"what": "heptane_tuning", "schema": 1, "family": "pass", "name": "pass", "size": 3, "items": 60000, "width": 2, "lanes": 1, "compiled": 256, "unit": 0, "item_shared": 0, "grid": 112, "room": 224, "has_narrow": 1, "registers": 32, "static_shared": 0, "threads": 256, "blocks": 2, "narrow": 0, "us": 5, "model_us": 4, "best": 1, "model": 1}
END
}

table other.jsonl 'Some other GPU' 28
for answers in auto compiled model other.jsonl; do
  run "$app" "${host[@]}" -heptane_tuning $answers -options_left -malloc_dump
  expect "without a GPU nobody asks: $answers" 0 'solved' &&
    expect_not "no option and no memory is left: $answers" 'unused database option|option.*left.*-heptane|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'
done
run "$app" "${host[@]}" -heptane_tune_multiprocessors 3 -heptane_tune_shared 4096
expect 'an artificial GPU where there is none' 0 'solved'
run "$app" -dll_append "$HEPTANE_LIB" -mat_type aij -heptane_tune
expect 'a program that uses nothing of heptane' 0 'nothing was measured, since the program has made no matrix of heptane'

refused() { # NAME PATTERN OPTIONS...: before the program's work
  local name=$1 pattern=$2
  shift 2
  run "$app" "${host[@]}" "$@"
  expect "$name" fail "$pattern" && expect_not "$name: before any work" 'solved'
}
refused 'no GPU to be measured' 'this run uses none: leave it out' -heptane_tune never.jsonl
[ ! -e never.jsonl ] && ok 'nothing is written then' || not_ok 'nothing is written then' "$(cat never.jsonl)"
refused 'a file that cannot be written' '-heptane_tune nowhere/table.jsonl: the file cannot be written; its folder must exist' -heptane_tune nowhere/table.jsonl
refused 'a file that is there' '-heptane_tune other.jsonl: the file is there already; -heptane_tuning other.jsonl reads it' -heptane_tune other.jsonl
if [ "$(id -u)" = 0 ]; then
  skip 'a folder that is read only' 'root may write anywhere'
else
  mkdir -p locked && chmod 555 locked
  refused 'a folder that is read only' 'the file cannot be written' -heptane_tune locked/table.jsonl
fi
refused 'a file that is not there' '-heptane_tuning missing.jsonl: the file cannot be read; -heptane_tune missing.jsonl measures' -heptane_tuning missing.jsonl
refused 'both at once' 'give one of them' -heptane_tune -heptane_tuning model
refused 'too few rows' 'heptane_tune_rows' -heptane_tune_rows 5
refused 'less than no multiprocessor' 'heptane_tune_multiprocessors' -heptane_tune_multiprocessors -1
sed 's/"schema": 1/"schema": 99/' other.jsonl >schema.jsonl
refused 'another schema' 'line 1: has schema 99, and this library reads schema 1; remove it' -heptane_tuning schema.jsonl
echo '{"what": "heptane_machine", "schema": 1}' >machine.jsonl
refused 'lines of another kind' 'line 1: is not of a table of launches' -heptane_tuning machine.jsonl
sed 's/"threads": 256/"threads": 100/' other.jsonl >threads.jsonl
refused 'threads that are not warps' 'line 2: threads is 100, and must be a multiple of 32' -heptane_tuning threads.jsonl
run "${MPIEXEC:-mpiexec}" -n 2 "$app" "${host[@]}" -heptane_tune
expect 'several processes do not measure' fail 'measures one GPU with one process'
run "${MPIEXEC:-mpiexec}" -n 2 "$app" "${host[@]}" -heptane_tuning other.jsonl
expect 'several processes read a table' 0 'solved'

if [ -z "$gpu_options" ]; then
  skip 'launches of a GPU' 'there is no GPU'
else
  run "$app" "${load[@]}" -heptane_machine gpu.jsonl -heptane_tune table.jsonl -heptane_tune_rows 64000
  expect 'launches are measured' 0 'pairs: the model' && expect 'and it is solved with the fastest' 0 'solved' && expect 'a line for each kernel and size' 0 'dense blocks: QR +16 '
  [ "$(grep -c '"best": 1' table.jsonl)" -ge 12 ] && ok 'the table is written' || not_ok 'the table is written' "$(head table.jsonl)"
  run "$app" "${load[@]}" -heptane_tuning table.jsonl -info
  expect 'the table is read' 0 'are chosen by a table' && expect 'and it is solved with that' 0 'solved'
  run "$app" "${load[@]}" -heptane_tuning model -heptane_machine gpu.jsonl -info
  expect 'the model chooses' 0 'are chosen by the model' && expect 'and it is solved with its choices' 0 'solved'
  run "$app" "${load[@]}" -heptane_machine gpu.jsonl -heptane_tune_multiprocessors 3 -heptane_tune_shared 40000 -heptane_tune small.jsonl -heptane_tune_rows 64000
  expect 'an artificial GPU is measured' 0 '3 multiprocessors' && expect 'and it is solved with it' 0 'solved'
  run "$app" "${load[@]}" -heptane_tuning small.jsonl
  expect 'the table of another GPU' fail 'was measured on .* 3 multiprocessors, 40000 bytes .*; measure this one with -heptane_tune'
  run "$app" "${load[@]}" -heptane_tuning other.jsonl
  expect 'the table of a GPU of another name' fail 'was measured on Some other GPU'
  run "$app" "${load[@]}" -heptane_tune_multiprocessors 100000
  expect 'more multiprocessors than there are' fail 'of which fewer can be used'
  run "$app" "${load[@]}" -heptane_tune_shared 100000000
  expect 'more shared memory than there is' fail 'of which fewer can be used'
fi
finish

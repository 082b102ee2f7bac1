#!/usr/bin/env bash
# -heptane_advise and -heptane_machine in an unmodified program: table, JSON lines, figures written and read again, several processes; wrong input is refused before the program's work.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-8)
host=("${load[@]}" -heptane_device host)

run "$app" "${host[@]}" -heptane_machine machine.jsonl -heptane_advise table,json:advice.jsonl
expect 'advice before the first solve' 0 'Advice before the first solve: fusedcg, matrix seqaijbdiagh, pc jacobi, 40 rows, 50 iterations expected: host [0-9]' &&
  expect 'a table of predicted and measured times' 0 'host +[0-9.]+ +[0-9.]+' && expect_not 'nothing is said of a GPU that is not used' 'one GPU'
[ "$(grep -c heptane_machine machine.jsonl)" -gt 10 ] && ok 'figures are written' || not_ok 'figures are written' "$(cat machine.jsonl)"
cp machine.jsonl before.jsonl
# figures of another machine, with a GPU, are enough to say what that would do
cat >>machine.jsonl <<'EOF'
{"what": "heptane_machine", "schema": 1, "curve": "up_pageable", "bytes": 1024, "us": 10}
{"what": "heptane_machine", "schema": 1, "curve": "up_pageable", "bytes": 1048576, "us": 110}
{"what": "heptane_machine", "schema": 1, "curve": "down_pageable", "bytes": 1024, "us": 10}
{"what": "heptane_machine", "schema": 1, "curve": "down_pageable", "bytes": 1048576, "us": 110}
{"what": "heptane_machine", "schema": 1, "curve": "device_pass", "bytes": 1024, "us": 2}
{"what": "heptane_machine", "schema": 1, "curve": "device_pass", "bytes": 1048576000, "us": 400}
EOF
cp machine.jsonl other.jsonl
run "$app" "${host[@]}" -heptane_machine machine.jsonl -heptane_advise -heptane_advise_iterations 7
expect 'figures are read' 0 'one GPU +[0-9.]+ +-' && expect 'expected iterations' 0 '7 iterations expected' && expect 'where it crosses' 0 'crossing: with .* iterations the GPU is faster'
cmp -s machine.jsonl other.jsonl && ok 'figures that were read are left alone' || not_ok 'figures that were read are left alone'
run "$app" "${host[@]}" -heptane_device auto -ksp_fused_place auto -heptane_shortcuts 0 -ksp_view
expect 'auto places a solve of few rows on the host' 0 'placed by auto on the host' && expect_not 'auto has no remark of an error' 'ERROR'
run "$app" "${host[@]}"
expect_not 'nothing without the option' 'Advice'
run "$app" -dll_append "$HEPTANE_LIB" -mat_type aij -heptane_machine before.jsonl -heptane_advise
expect 'a program that uses nothing of heptane' 0 'No solve of a fused solver'
run "$app" "${host[@]}" -heptane_machine before.jsonl -heptane_advise table,json:left.jsonl -options_left -malloc_dump
expect_not 'no option and no memory is left' 'unused database option|option.*left.*-heptane|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'
run "${MPIEXEC:-mpiexec}" -n 2 "$app" "${host[@]}" -heptane_advise table,json:two.jsonl
expect 'messages of two processes' 0 'Messages between 2 processes'

if command -v python3 >/dev/null; then
  output=$(python3 - 2>&1 <<'EOF'
import json
rows = [json.loads(line) for line in open("advice.jsonl")]
assert len(rows) == 1 and rows[0]["what"] == "heptane_advice" and rows[0]["rows"] == 40 and rows[0]["ksp"] == "fusedcg", rows
assert rows[0]["host_predicted_us"] > 0 and rows[0]["host_measured_us"] > 0 and rows[0]["solves_host"] == 1 and rows[0]["device_predicted_us"] is None and rows[0]["choose"] == "host", rows
EOF
  ) && ok 'a line of JSON' || not_ok 'a line of JSON' "$output"
else
  skip 'a line of JSON' 'there is no python3'
fi

if [ -z "$gpu_options" ]; then
  skip 'figures of a GPU' 'there is no GPU'
else
  run "$app" "${load[@]}" -heptane_machine gpu.jsonl -heptane_advise -ksp_view
  expect 'figures of a GPU' 0 'one GPU +[0-9.]+' && expect 'and it is solved' 0 'solved'
  [ "$(grep -cE 'up_pinned|down_pinned|device_pass' gpu.jsonl)" -gt 10 ] && ok 'copies and passes are written' || not_ok 'copies and passes are written' "$(cat gpu.jsonl)"
fi

refused() { # NAME PATTERN OPTIONS...: before the program's work
  local name=$1 pattern=$2
  shift 2
  run "$app" "${host[@]}" "$@"
  expect "$name" fail "$pattern" && expect_not "$name: before any work" 'solved'
}
refused 'an unknown form' '-heptane_advise figures is unknown: expected table, json:FILE' -heptane_advise figures
refused 'a file that cannot be written' '-heptane_advise json:nowhere/file.jsonl: the file cannot be written' -heptane_advise json:nowhere/file.jsonl
refused 'figures that cannot be written' '-heptane_machine nowhere/machine.jsonl: the file cannot be written' -heptane_machine nowhere/machine.jsonl
refused 'no iterations' 'heptane_advise_iterations' -heptane_advise_iterations 0
refused 'a place that is not known' 'heptane_device' -heptane_device elsewhere
echo '{"suite": "ksp", "what": "ksp_iteration"}' >results.jsonl
refused 'lines of another kind' 'line 1: is not of a file of machine figures.*name a file that is not there yet' -heptane_machine results.jsonl
sed 's/"schema": 1/"schema": 99/' before.jsonl >schema.jsonl
refused 'another schema' 'has schema 99, and this library reads schema 1' -heptane_machine schema.jsonl
run "${MPIEXEC:-mpiexec}" -n 2 "$app" "${host[@]}" -heptane_machine nowhere/machine.jsonl
expect 'refused on two processes' fail 'its folder must exist'
finish

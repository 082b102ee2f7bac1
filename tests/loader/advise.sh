#!/usr/bin/env bash
# heptane-advise: table, JSON line, figures written and read again; wrong input is refused.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
advise=$HEPTANE_BUILD/bin/heptane-advise
host=(-grid 5,4,2 -heptane_device host)

run "$advise" --help
expect 'help' 0 'heptane-advise: predicted and measured times'
run "$advise" "${host[@]}" -machine machine.jsonl -json advice.jsonl -options_left -malloc_dump
expect 'a table of predicted and measured times' 0 'fusedcg, matrix seqaijbdiagh, pc jacobi, 40 rows, 5 solves of [0-9]+ iterations' &&
  expect 'times on the host' 0 'host +[0-9.]+ +[0-9.]+' && expect_not 'nothing is said of a GPU that is not used' 'one GPU' &&
  expect_not 'no option and no memory is left' 'unused database option|option.*left.*-[a-z]|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'
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
run "$advise" "${host[@]}" -machine machine.jsonl -unknowns 3 -mat_type sellp -ksp_type fusedbcgs -pc_type pbjacobi -json advice.jsonl
expect 'figures are read' 0 'one GPU +[0-9.]+ +-' && expect 'where it crosses' 0 'crossing: with .* iterations the GPU is faster' &&
  expect 'types are chosen by their options' 0 'fusedbcgs, matrix seqaijsellp, pc pbjacobi, 120 rows'
cmp -s machine.jsonl other.jsonl && ok 'figures that were read are left alone' || not_ok 'figures that were read are left alone'
run "$bin/app" -dll_append "$HEPTANE_LIB" -mat_type aij -ksp_type gmres -pc_type none -ksp_view_mat binary:matrix
if [ -s matrix ]; then
  run "$advise" -file matrix -heptane_device host -machine before.jsonl
  expect 'a matrix from a file' 0 '40 rows'
else
  not_ok 'a matrix from a file' "$output"
fi

if command -v python3 >/dev/null; then
  output=$(python3 - 2>&1 <<'EOF'
import json
rows = [json.loads(line) for line in open("advice.jsonl")]
assert len(rows) == 2 and rows[0]["what"] == "heptane_advice" and rows[0]["rows"] == 40 and rows[0]["ksp"] == "fusedcg", rows
assert rows[0]["host_predicted_us"] > 0 and rows[0]["host_measured_us"] > 0 and rows[0]["solves_host"] == 5 and rows[0]["device_predicted_us"] is None and rows[0]["choose"] == "host", rows
assert rows[1]["device_predicted_us"] > 0 and rows[1]["device_measured_us"] is None, rows
EOF
  ) && ok 'a line of JSON for each run' || not_ok 'a line of JSON for each run' "$output"
else
  skip 'a line of JSON for each run' 'there is no python3'
fi

if [ -z "$gpu_options" ]; then
  skip 'figures of a GPU' 'there is no GPU'
else
  run "$advise" -grid 20,20,20 -machine gpu.jsonl
  expect 'figures of a GPU' 0 'one GPU +[0-9.]+ +[0-9.]+' && expect 'solves on both sides' 0 '10 solves of'
  [ "$(grep -cE 'up_pinned|down_pinned|device_pass' gpu.jsonl)" -gt 10 ] && ok 'copies and passes are written' || not_ok 'copies and passes are written' "$(cat gpu.jsonl)"
fi

refused() { # NAME PATTERN OPTIONS...
  local name=$1 pattern=$2
  shift 2
  run "$advise" -heptane_device host "$@"
  expect "$name" fail "$pattern"
}
refused 'no matrix' 'Give a matrix by -file MATRIX or by -grid'
refused 'no cells' '-grid' -grid 0,1,1
refused 'a solver of PETSc' '-ksp_type cg: times are predicted for fusedcg' -grid 3,3,3 -ksp_type cg -machine before.jsonl
refused 'another preconditioner' '-pc_type ilu: times are predicted for none, jacobi' -grid 3,3,3 -pc_type ilu -machine before.jsonl
refused 'a matrix of PETSc' '-mat_type seqaij: times are predicted for bdiagh and sellp' -grid 3,3,3 -mat_type aij -machine before.jsonl
refused 'a file that cannot be written' '-json nowhere/file.jsonl: the file cannot be written' -grid 3,3,3 -json nowhere/file.jsonl
refused 'figures that cannot be written' '-machine nowhere/machine.jsonl: the file cannot be written' -grid 3,3,3 -machine nowhere/machine.jsonl
echo '{"suite": "ksp", "what": "ksp_iteration"}' >results.jsonl
refused 'lines of another kind' 'line 1: is not of a file of machine figures.*name a file that is not there yet' -grid 3,3,3 -machine results.jsonl
sed 's/"schema": 1/"schema": 99/' before.jsonl >schema.jsonl
refused 'another schema' 'has schema 99, and this program reads schema 1' -grid 3,3,3 -machine schema.jsonl
run "${MPIEXEC:-mpiexec}" -n 2 "$advise" "${host[@]}"
expect 'several processes' fail 'runs with one process'
finish

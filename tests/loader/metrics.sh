#!/usr/bin/env bash
# -heptane_metrics in an unmodified program: the table, JSON lines, several processes, PETSc begun again; wrong input is refused before the program's work.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi -ksp_rtol 1e-8 -heptane_shortcuts 0)
host=("${load[@]}" -heptane_device host -heptane_metrics_copy 100,10)

run "$app" "${host[@]}" -heptane_metrics
expect 'the table' 0 'product: w = A p, sums' && expect 'passes on the host, and the bandwidth given' 0 'Passes on the host, copy 10.0 GB/s'
run "$app" "${host[@]}" -heptane_metrics table,json:both.jsonl -times 2
expect 'table and lines, PETSc begun twice' 0 'update|residual: z -= a D w' && [ "$(grep -c 'No kernel of heptane' <<<"$output")" = 2 ] && ok 'two tables' || not_ok 'two tables' "$output"
run "$app" "${host[@]}"
expect_not 'nothing without the option' 'Passes on the host|No kernel'
run "$app" -dll_append "$HEPTANE_LIB" -mat_type aij -heptane_metrics
expect 'a program that uses nothing of heptane' 0 'No kernel of heptane was seen to run'
run "$app" "${host[@]}" -heptane_metrics table,json:left.jsonl -options_left -malloc_dump
expect_not 'no option and no memory is left' 'unused database option|option.*left.*-heptane|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'

# lines FILE EXPRESSION: holds for the list of its objects, called rows
lines() {
  python3 - "$@" <<'EOF'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert eval(sys.argv[2], {"rows": rows}), rows
EOF
}
if command -v python3 >/dev/null; then
  # 40 rows of blocks of 2 with 3 of them, of which 2 lie beyond the ends: 2 x 3 values per row and two vectors
  output=$(lines both.jsonl '(lambda p: p and p[0]["launches"] > 1 and p[0]["bytes"] == (2 * 3 + 2) * 40 * p[0]["scalar_bytes"] and p[0]["us_min"] <= p[0]["us_median"] <= p[0]["us_max"] and p[0]["copy_gbs"] == 10
    and p[0]["gpu"] == "none" and p[0]["ranks"] == 1)([r for r in rows if r["pass"] == "product: w = A p, sums (p, w)"])' 2>&1) && ok 'declared bytes of the product' || not_ok 'declared bytes of the product' "$output"
  run "$MPIEXEC" -n 2 "$app" "${host[@]}" -heptane_metrics table,json:two.jsonl
  expect 'two processes' 0 'Metrics of process 0 of 2'
  output=$(lines two.jsonl 'sorted({r["rank"] for r in rows}) == [0, 1] and all(r["ranks"] == 2 for r in rows)' 2>&1) && ok 'lines of both' || not_ok 'lines of both' "$output"
else
  skip 'lines of JSON' 'there is no python3'
fi

# on a GPU: by graphs, by launches and in one kernel; what is said of occupancy is what CUDA says
if [ -z "$gpu_options" ] || ! command -v python3 >/dev/null; then
  skip 'kernels on the device' 'there is no GPU, or no python3'
else
  for mode in graph kernels persistent; do
    run "$app" "${load[@]}" -ksp_fused_mode $mode -mat_bdiagh_block_size 1 -heptane_metrics table,json:$mode.jsonl
    expect "$mode: the table" 0 'Kernels on .* multiprocessors, copy'
    output=$(lines $mode.jsonl 'rows and all(r["what"] == "kernel" and r["launches"] > 0 and r["us_min"] > 0 and 0 < r["occupancy"] <= 1 and r["resident_blocks"] == r["api_blocks"] and r["copy_gbs"] > 0
      for r in rows) and any(r["bytes"] and r["gbs"] > 0 for r in rows)' 2>&1) && ok "$mode: occupancy as CUDA says" || not_ok "$mode: occupancy as CUDA says" "$output"
  done
  # no kernel of the library that ran is without declared bytes
  while read -r name options; do
    # shellcheck disable=SC2086
    run "$app" -dll_append "$HEPTANE_LIB" $options -ksp_rtol 1e-8 -heptane_metrics json:$name.jsonl
    expect "$name: runs" 0 'solved'
    output=$(lines $name.jsonl '(lambda k: k and all(r["bytes"] is not None for r in k))([r for r in rows if r["what"] == "kernel"])' 2>&1) && ok "$name: declared bytes" || not_ok "$name: declared bytes" "$output"
  done <<'EOF'
bcgs -mat_type bdiagh -ksp_type bcgs -pc_type pbjacobi
factors -mat_type sellp -ksp_type fusedbcgs -pc_type blockjacobireg -pc_blockjacobireg_method qr
gridmg -mat_type bdiagh -ksp_type fusedcg -pc_type gridmg
EOF
  output=$(lines graph.jsonl 'any(r["pass"].startswith("product: w = ") and r["bytes"] for r in rows)' 2>&1) && ok 'a graph has declared bytes' || not_ok 'a graph has declared bytes' "$output"
fi

refused() { # NAME PATTERN OPTIONS...: before the program's work
  local name=$1 pattern=$2
  shift 2
  run "$app" "${host[@]}" "$@"
  expect "$name" fail "$pattern" && expect_not "$name: before any work" 'solved'
}
refused 'an unknown form' 'expected table, json:FILE' -heptane_metrics figures
refused 'no file' 'write json:FILE' -heptane_metrics json:
refused 'a file that cannot be written' 'its folder must exist and be writable' -heptane_metrics json:nowhere/file.jsonl
refused 'a rate below zero' '-heptane_metrics_copy -3 must be' -heptane_metrics -heptane_metrics_copy -3
run "$MPIEXEC" -n 2 "$app" "${host[@]}" -heptane_metrics json:nowhere/file.jsonl
expect 'refused on two processes' fail 'its folder must exist'
finish

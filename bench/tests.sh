#!/usr/bin/env bash
# Smoke tests of the benchmark programs on tiny problems: the answers are verified, wrong ones are caught, the JSON lines parse.
# Prints lines "ok NAME", "ok NAME # SKIP reason", "not ok NAME". Needs HEPTANE_BUILD and HEPTANE_LIB; MPIEXEC for two ranks.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${HEPTANE_BUILD:?is not set: run the tests by make check}" "${HEPTANE_LIB:?is not set: run the tests by make check}"
bin=$HEPTANE_BUILD/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export PETSC_OPTIONS="-dll_append $HEPTANE_LIB -use_gpu_aware_mpi 0 -options_left 0 -heptane_shortcuts 0 -sample_ms 0.5 -samples 2 -copy_mib 8"
status=0
gpu=no
if nvidia-smi -L 2>/dev/null | { read -r line && [[ $line == GPU* ]]; }; then gpu=yes; fi

# what is said of the host is said of a machine without a GPU
visible=${CUDA_VISIBLE_DEVICES-all}
export CUDA_VISIBLE_DEVICES=

launch=${MPIEXEC:-mpiexec} ranks=no
if "$launch" -n 2 true > /dev/null 2>&1; then ranks=yes; fi

# result NAME: the command before it decided
result() {
  if [ $? = 0 ]; then echo "ok $1"; else echo "not ok $1"; status=1; tail -n 15 out 2>/dev/null; fi
}
skip() { echo "ok $1 # SKIP $2"; }

# in a checkout the programs are built or brought up to date first; an unpacked bundle has them
if [ -n "${PETSC_DIR:-}" ] && [ -e "$PETSC_DIR/${PETSC_ARCH:-}/lib/petsc/conf/rules" ]; then
  ${MAKE:-make} --no-print-directory -C "$here" all > out 2>&1
  result 'benchmarks build'
fi
for program in spmv update ksp newton blocks operations grids placement; do
  if [ ! -x "$bin/$program" ]; then echo "not ok $bin/$program is not built: make bench"; exit 1; fi
done

# lines FILE COUNT CONDITION: FILE has COUNT JSON objects, and the Python expression CONDITION holds for each of them, called r
lines() {
  python3 - "$@" <<'EOF' >> out 2>&1
import json, sys
name, count, condition = sys.argv[1], int(sys.argv[2]), sys.argv[3]
keys = ("suite problem rows block nnz what mat ranks gpus us_median us_min us_max samples bytes gbs copy_gbs verified "
        "gpu driver cuda petsc mpi commit date").split()
def refuse(constant): raise ValueError("not JSON: " + constant)
results = [json.loads(line, parse_constant=refuse) for line in open(name)]
assert len(results) == count, f"{len(results)} lines, expected {count}"
for r in results:
    missing = [k for k in keys if k not in r]
    assert not missing, f"keys {missing} are missing: {r}"
    assert eval(condition, {"r": r}), f"not ({condition}): {r}"
EOF
}
good='r["verified"] is True and r["us_min"] <= r["us_median"] <= r["us_max"] and r["gbs"] > 0 and r["copy_gbs"] > 0 and r["commit"] != ""'
host='-mats aij,baij,bdiagh -cases 4x5x6:1,3x4x5:3 -heptane_device host'
orders='-order csr,block,blockcol,shuffled,duplicates'

if ! command -v python3 > /dev/null; then
  # without it the exit code still says whether every answer was right
  lines() { [ "$(wc -l < "$1")" = "$2" ]; }
fi

# shellcheck disable=SC2086
"$bin/spmv" $host -what matmult,multadd,multtranspose,getdiagonal,scale -json spmv.jsonl > out 2>&1 && lines spmv.jsonl 30 "$good"
result 'spmv: five operations of three types are verified'

"$bin/spmv" -heptane_device host -mats aij,sellp -what matmult,multadd,multtranspose,getdiagonal,scale -json matrices.jsonl \
  -matrices laplace5:9,laplace7:7,laplace27:5,elasticity:4,banded:300,random:200,powerlaw:900,active:12:1,active:12:3 > out 2>&1 && lines matrices.jsonl 90 "$good"
result 'spmv: the matrices of suite matrices are verified'

"$bin/spmv" -mats aij -matrices laplace5:9:2 > out 2>&1
[ $? != 0 ] && grep -q 'expected NAME:n' out
result 'spmv: what is no matrix of that suite is refused'

# shellcheck disable=SC2086
"$bin/spmv" $host -bench_corrupt -json wrong.jsonl > out 2>&1
[ $? = 1 ] && lines wrong.jsonl 6 'r["verified"] is False and "wrong result" in r["error"]'
result 'spmv: a wrong matrix is caught'

"$bin/spmv" -mats aij,nosuchtype -cases 4x4x4:2 -json unknown.jsonl > out 2>&1
[ $? = 1 ] && lines unknown.jsonl 2 'r["verified"] is (r["mat"] == "aij") and (r["mat"] == "aij" or "dll_append" in r["error"])'
result 'spmv: an unknown type is reported, the others run'

small='-heptane_device host -n 4 -copy_mib 4 -samples 1 -sample_ms 1'
# shellcheck disable=SC2086
"$bin/operations" $small -mats aij,bdiagh,sellp -limit 1e9 -json operations.jsonl > out 2>&1 &&
  lines operations.jsonl 420 'r["verified"] is True and r["suite"] == "operations" and r["us_min"] > 0 and (r["ratio"] == 1 or r["mat"] != "aij")'
result 'operations: every operation of three types on four matrices is verified'

# shellcheck disable=SC2086
"$bin/operations" $small -mats aij -what matmult,matptap,factor_ilu -bench_corrupt -json damaged.jsonl > out 2>&1
[ $? = 1 ] && lines damaged.jsonl 12 'r["verified"] is False and "wrong" in r["error"]'
result 'operations: a wrong answer is caught'

printf 'before\n<!-- grids: begin -->\nold\n<!-- grids: end -->\nafter\n' > grids.md
"$bin/grids" -heptane_device host -shrink 10 -only 'one cell thick in y' -cycles v,w -into grids.md > out 2>&1 &&
  [ "$(sed -n '1p;6,7p' grids.md | tr '\n' ' ')" = 'before <!-- grids: end --> after ' ] &&
  sed -n 5p grids.md | grep -Eq '^\| spe, one cell thick in y \| 22 x 1 x 15 \| ([1-9]|[1-3][0-9]) \| ([1-9]|[1-3][0-9]) \|$' && ! grep -q old grids.md
result 'grids: a table of iterations between its marks'

"$bin/placement" -heptane_device host -edges 3,4 -iterations 4 -samples 1 -copy_mib 4 > placed.jsonl 2>out && grep -c '"verified": true' placed.jsonl | grep -qx 2 &&
  "$bin/../bin/heptane-advise" -heptane_device host -grid 3,3,3 -json advice.jsonl >> out 2>&1 &&
  ! "$here/placement/crossing" placed.jsonl advice.jsonl > out 2>&1 && grep -q 'run both with a GPU' out
result 'placement: solves on all places agree; without a GPU nothing is compared'

# times that cross at 1000 rows; predicted at 1100, and at 2000
python3 - <<'EOF'
import json
with open("solves.jsonl", "w") as solves, open("near.jsonl", "w") as near, open("far.jsonl", "w") as far:
    for rows in (250, 500, 2000, 4000):
        solves.write(json.dumps({"what": "ksp_placed", "rows": rows, "host_us": rows, "device_us": 1000, "auto_us": 900, "auto_on": "host" if rows < 1000 else "device"}) + "\n")
        for file, at in ((near, 1100), (far, 2000)):
            file.write(json.dumps({"what": "heptane_advice", "rows": rows, "host_predicted_us": rows, "device_predicted_us": at}) + "\n")
EOF
"$here/placement/crossing" solves.jsonl near.jsonl > out 2>&1 && grep -q 'measured: 1000 rows, predicted: 1100 rows' out && ! "$here/placement/crossing" solves.jsonl far.jsonl > out 2>&1 &&
  sed -i 's/"auto_on": "device"/"auto_on": "host"/' solves.jsonl && ! "$here/placement/crossing" solves.jsonl near.jsonl >> out 2>&1 && grep -q '| host | no |' out
result 'placement: crossings and choices are compared'

# shellcheck disable=SC2086
"$bin/operations" $small -mats aij,bdiagh -what matmult -limit 0 > out 2>&1
[ $? = 1 ] && grep -q 'slower than 0[.]* times aij' out
result 'operations: a ratio over the limit fails'

# the matrix [[4,1,0,0],[1,4,1,0],[0,1,4,1],[0,0,1,4]] in PETSc's binary format with double values and 32-bit indices
{
  printf '\0\022\173\120\0\0\0\004\0\0\0\004\0\0\0\012\0\0\0\002\0\0\0\003\0\0\0\003\0\0\0\002'
  for column in 0 1 0 1 2 1 2 3 2 3; do printf '\0\0\0%b' "\\0$column"; done
  for value in 4 1 1 4 1 1 4 1 1 4; do
    if [ $value = 4 ]; then printf '\100\020\0\0\0\0\0\0'; else printf '\077\360\0\0\0\0\0\0'; fi
  done
} > tri.bin
index_bytes=$(tail -n 1 spmv.jsonl | grep -o '"index_bytes": [0-9]*' | grep -o '[0-9]*$')
if [ "$index_bytes" = 4 ]; then
  "$bin/spmv" -file tri.bin -file_block_size 2 -mats aij,baij,bdiagh -heptane_device host -json file.jsonl > out 2>&1 &&
    lines file.jsonl 3 "$good"' and r["problem"] == "tri.bin" and r["rows"] == 4 and r["nnz"] == 10 and r["block"] == 2'
  result 'spmv: a loaded matrix'
  if [ "$ranks" = yes ]; then
    "$launch" -n 2 "$bin/spmv" -file tri.bin -file_block_size 2 -mats aij,bdiagh -heptane_device host -json file2.jsonl > out 2>&1 && lines file2.jsonl 2 "$good"
    result 'spmv: a loaded matrix on two ranks'
  fi
else
  skip 'spmv: a loaded matrix' 'the file has 32-bit indices, this PETSc 64-bit ones'
fi

# shellcheck disable=SC2086
"$bin/update" -mats aij,bdiagh -heptane_device host -cases 4x3x2:1,3x4x2:3 $orders -json update.jsonl > out 2>&1 && lines update.jsonl 80 "$good"' and r["h2d_bytes"] == 0'
result 'update: every order, inserted and added, is verified'

"$bin/update" -mats aij,bdiagh -heptane_device host -cases 3x4x2:3 -order block -bench_corrupt -json wrong_update.jsonl > out 2>&1
[ $? = 1 ] && lines wrong_update.jsonl 8 'r["verified"] is False and "wrong values" in r["error"]'
result 'update: a wrong value is caught'

if [ "$ranks" = yes ]; then
  "$launch" -n 2 "$bin/spmv" -mats aij,bdiagh -heptane_device host -cases 4x4x5:2 -what matmult,multtranspose -json ranks.jsonl > out 2>&1 && lines ranks.jsonl 4 "$good"' and r["ranks"] == 2'
  result 'spmv: two ranks'
  "$launch" -n 2 "$bin/update" -mats aij,bdiagh -heptane_device host -cases 4x4x5:2 -order block,duplicates -json ranks_update.jsonl > out 2>&1 && lines ranks_update.jsonl 16 "$good"
  result 'update: two ranks'
else
  skip 'two ranks' "$launch does not run"
fi

solved='r["verified"] is True and r["us_min"] <= r["us_median"] <= r["us_max"] and r["us_median"] > 0 and 0 < r["residual"] < 1e-3 and r["iterations"] > 0'
small='-heptane_device host -iterations 8 -iteration_by total'
cg=cg:aij:jacobi,cg+single_reduction:bdiagh:jacobi,pipecg:sell:jacobi,groppcg:bdiagh:none,cg+ksp_norm_type=none:aij:pbjacobi

# shellcheck disable=SC2086
"$bin/ksp" $small -candidates $cg -cases 6x5x4:1,4x3x5:3 -what iteration,solve -json ksp.jsonl > out 2>&1 &&
  lines ksp.jsonl 30 "$solved"' and r["problem"] == "gh-spd" and r["device"] == "host" and r["timed_iterations"] == (8 if r["what"] == "ksp_iteration" else 20)'
result 'ksp: iterations and solves of five candidates are verified'

# shellcheck disable=SC2086
"$bin/ksp" $small -candidates bcgs:aij:jacobi,bcgs:bdiagh:pbjacobi,fbcgs:aij:none,bicg:bdiagh:jacobi -cases 5x4x6:2 -values flow -json flow.jsonl > out 2>&1 &&
  lines flow.jsonl 4 "$solved"' and r["problem"] == "gh-flow"'
result 'ksp: methods for matrices without symmetry are verified'

fused=fusedcg:aij:jacobi,fusedcg:bdiagh:jacobi,fusedcg+twin:bdiagh:jacobi,fusedbcgs+kernels:bdiagh:pbjacobi,fusedbicg:bdiagh:none,fusedcg+ksp_norm_type=natural:bdiagh:sor,fusedbcgs+fold:bdiagh:pbjacobi,fusedcg+fold+ksp_fused_check_interval=3:bdiagh:jacobi
# shellcheck disable=SC2086
"$bin/ksp" $small -candidates $fused -cases 6x5x4:1,4x3x5:3 -what iteration,solve -json fused.jsonl > out 2>&1 &&
  lines fused.jsonl 48 "$solved"' and r["mode"] == ("twin" if "+twin" in r["ksp"] else "kernels") and (r["mode"] == "twin" or (r["launches"] > 0) and (r["bytes"] is None) == (r["mat"] == "aij" or r["pc"] == "sor"))'
result 'ksp: fused solvers are verified and tell their mode and launches'

# shellcheck disable=SC2086
"$bin/ksp" $small -suite all -sizes 5,6 -cases 4x3x5:3,3x4x3:8 -json suites.jsonl > out 2>&1 && lines suites.jsonl 114 "$solved" && grep -q '^fusedcg  *bdiagh' out
result 'ksp: every suite is verified'

# shellcheck disable=SC2086
"$bin/ksp" $small -suite wells -json wells.jsonl > out 2>&1 && lines wells.jsonl 8 "$solved"' and (r["case"].endswith("+2w") == (r["nnz"] > 11232))'
result 'ksp: grids without and with wells are verified'
if [ "$index_bytes" = 4 ]; then
# the right-hand side is an eigenvector, so that one iteration is enough with it and with no other; the time of a set-up is of one of hundreds of calls, whatever else the machine does meanwhile
python3 - <<'EOF' && "$bin/ksp" -heptane_device host -candidates cg:aij:jacobi,fusedcg:bdiagh:jacobi,cg:aij:icc -file line.petsc -file_name line -file_rhs \
  -what time_to_solution -rtol 1e-3 -samples 3 -json solution.jsonl > out 2>&1 &&
from math import pi, sin
from struct import pack
n = 30
rows = [[c for c in (r - 1, r, r + 1) if 0 <= c < n] for r in range(n)]
with open("line.petsc", "wb") as f:
    f.write(pack(f">4i{n}i", 1211216, n, n, sum(map(len, rows)), *map(len, rows)))
    f.write(b"".join(pack(">i", c) for row in rows for c in row))
    f.write(b"".join(pack(">d", 2 if c == r else -1) for r, row in enumerate(rows) for c in row))
    f.write(pack(f">2i{n}d", 1211214, n, *(sin(pi * (r + 1) / (n + 1)) for r in range(n))))
EOF
  lines solution.jsonl 3 "$solved"' and r["what"] == "time_to_solution" and r["problem"] == "line" and r["iterations"] == 1 and r["rtol"] == 1e-3 and 0 < r["setup_us"] < 100 * r["us_max"]'
result 'ksp: time to solution of a matrix with its right-hand side is verified'
fi
"$bin/ksp" $small -candidates cg:aij:jacobi -cases 4x4x4:1+w > out 2>&1
[ $? != 0 ] && grep -q 'expected JxHxI:b\[+Nw\]' out
result 'ksp: what is no number of wells is refused'

# the difference of two short solves can drown in the noise of a busy machine, which is then said
"$bin/ksp" -heptane_device host -candidates cg:aij:jacobi -cases 8x8x8:1 -json difference.jsonl > out 2>&1
lines difference.jsonl 1 'r["verified"] or "noise" in r["error"]'
result 'ksp: an iteration as a difference'

# shellcheck disable=SC2086
"$bin/ksp" $small -suite energy -sizes 6 -energy -energy_seconds 0.02 -json energy.jsonl > out 2>&1 &&
  lines energy.jsonl 15 "$solved"' and r["energy_seconds"] >= 0.02 and r["energy_us"] > 0 and r["busy_us"] > 0 and (r["cpu_joules"] is None or r["joules"] >= r["cpu_joules"] > 0)' && grep -q '^fusedcg+twin' out
result 'ksp: energy of the modes; absent counters are null'

# the problems of this suite have lists of candidates of their own: an option of one must not reach the solvers of the next
# shellcheck disable=SC2086
"$bin/ksp" $small -suite energy -sizes 6 -options_view > out 2>&1 && [ "$(grep -c 'candidate[0-9]*_ksp_fused_check_interval' out)" = 4 ] &&
  [ -z "$(grep -o 'candidate[0-9]*_ksp_fused_\(wait\|check_interval\)' out | sed 's/_ksp.*//' | sort | uniq -d)" ]
result 'ksp: solvers have the options of their own candidate alone'

# compare_bytes on what was printed elsewhere
row() { echo "{\"suite\": \"metrics\", \"what\": \"kernel\", \"kernel\": \"$1\", \"symbol\": \"_ZN7heptane$1\", \"pass\": \"of $1\", \"grid\": $2, \"grid_shape\": \"$3\", \"block\": 256, \"block_shape\": \"256\", \"bytes\": $4}"; }
{ row 1a 391 391 1000000; row 1b 8 4x2 500000; row 1c 1 1 null; row 1d 2 2 7; } > declared.jsonl
cat > counted.csv << 'EOF'
==PROF== Connected to process 1
"ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum","dram__bytes_write.sum","gpu__time_duration.sum","lts__t_sectors_op_read.sum","lts__t_sectors_op_write.sum"
"","","","","byte","byte","ns","sector","sector"
"0","_ZN7heptane1a","(256, 1, 1)","(391, 1, 1)","700,000","250,000","10000","20000","12500"
"1","_ZN7heptane1a","(256, 1, 1)","(391, 1, 1)","1,000","0","500","10","0"
"2","_ZN7heptane1b","(256, 1, 1)","(4, 2, 1)","400000","150000","5000","12500","5000"
"3","_ZN7heptane1c","(256, 1, 1)","(1, 1, 1)","400","0","5000","12","5"
EOF
if command -v python3 > /dev/null; then
  "$here/compare_bytes" --metrics declared.jsonl --csv counted.csv --json compared.jsonl > out 2>&1 && grep -q '| `1a` | of 1a | 1 | 1.000 | 0.700 | 0.250 | 0.950 | 1.040 |' out &&
    grep -q '| `1b` .* | 1.100 | 1.120 |' out && grep -q 'not among.*1d' out && [ "$(wc -l < compared.jsonl)" = 2 ]
  result 'compare_bytes: declared and counted bytes are joined; launches that did nothing are left out'
  echo 'no table' > none.csv
  ! "$here/compare_bytes" --metrics declared.jsonl --csv none.csv > out 2>&1 && grep -q 'ncu printed no table' out &&
    ! "$here/compare_bytes" --metrics counted.csv --csv counted.csv > out 2>&1 && grep -q 'is no JSON' out &&
    ! "$here/compare_bytes" --metrics energy.jsonl --csv counted.csv > out 2>&1 && grep -q 'was not written by -heptane_metrics' out
  result 'compare_bytes: other files are refused'
  { cat counted.csv; echo '"4","_ZN7heptane1a","(256, 1'; } > cut.csv
  ! "$here/compare_bytes" --metrics declared.jsonl --csv cut.csv > out 2>&1 && grep -q 'launch 4 .* has 3 of 9 columns' out
  result 'compare_bytes: a table that was cut off is refused'
  # ncu ends with the exit status of the program that it ran: a solver that stopped by its number of iterations makes this 1
  printf '#!/bin/sh\ncat counted.csv\necho "==ERROR== The application returned an error code (1)."\nexit 1\n' > ncu_program
  printf '#!/bin/sh\ncat counted.csv\necho "==ERROR== ERR_NVGPUCTRPERM: no permission" >&2\nexit 1\n' > ncu_refused
  printf '#!/bin/sh\necho "first line of the error" >&2\ntail -n 4 counted.csv\nexit 9\n' > ncu_nothing
  chmod +x ncu_program ncu_refused ncu_nothing
  "$here/compare_bytes" --metrics declared.jsonl --ncu ./ncu_program -- true > out 2>&1 && grep -q '| `1a` | of 1a | 1 ' out && grep -q 'ended with 1 under ncu' out &&
    ! "$here/compare_bytes" --metrics declared.jsonl --ncu ./ncu_refused -- true > out 2>&1 && grep -q '^==ERROR== ERR_NVGPUCTRPERM' out &&
    ! "$here/compare_bytes" --metrics declared.jsonl --ncu ./ncu_nothing -- true > out 2>&1 && grep -q '^first line of the error' out && ! grep -q '700,000\|400000' out &&
    ! "$here/compare_bytes" -- false > out 2>&1 && grep -q 'wrote no metrics (1)' out
  result 'compare_bytes: the status of the program under ncu, and errors of ncu'
else
  skip 'compare_bytes' 'there is no python3'
fi

# shellcheck disable=SC2086
"$bin/ksp" $small -candidates cg:aij:jacobi,bcgs:bdiagh:none -cases 5x4x6:1 -bench_corrupt -json wrong_ksp.jsonl > out 2>&1
[ $? = 1 ] && lines wrong_ksp.jsonl 2 'r["verified"] is False and "wrong answer" in r["error"]'
result 'ksp: a wrong answer is caught'

# shellcheck disable=SC2086
"$bin/ksp" $small -candidates cg:aij:jacobi,nosuchksp:aij:jacobi,cg:nosuchtype:jacobi,cg:aij:nosuchpc -cases 4x4x4:1 -json unknown_ksp.jsonl > out 2>&1
[ $? = 1 ] && lines unknown_ksp.jsonl 4 'r["verified"] is ((r["ksp"], r["mat"], r["pc"]) == ("cg", "aij", "jacobi")) and (r["verified"] or r["error"] != "")'
result 'ksp: unknown names are reported, the others run'

# one iteration is enough for the identity's multiple: a solve that ends before its time is no measurement
# shellcheck disable=SC2086
"$bin/ksp" $small -candidates cg:aij:jacobi -cases 1x1x1:1 -json short.jsonl > out 2>&1
[ $? = 1 ] && lines short.jsonl 1 'r["verified"] is False and "ended after 1" in r["error"]'
result 'ksp: a solve that ends early is caught'

stepped='r["verified"] is True and r["us_min"] <= r["us_median"] <= r["us_max"] and r["us_median"] > 0 and 0 < r["residual"] < 1e-2 and r["iterations"] > 0 and r["difference"] < 1e-2'
parts='and r["what"] in ("update", "pc_setup", "ksp_solve", "newton_step")'
"$bin/newton" -heptane_device host -cases 4x5x6:1,3x4x5:3 -json newton.jsonl > out 2>&1 && lines newton.jsonl 32 "$stepped $parts"' and r["device"] == "host"' &&
  grep -q '^fusedbcgs  bdiagh  pbjacobi' out
result 'newton: steps of the four candidates are verified'

"$bin/newton" -heptane_device host -cases 4x3x5:2 -order block -values flow -rtol 1e-5 -candidates bcgs:bdiagh:pbjacobi,fusedbcgs+twin:sellp:jacobi,bicg:aij:none \
  -json newton_flow.jsonl > out 2>&1 && lines newton_flow.jsonl 12 "$stepped"' and r["rtol"] == 1e-5 and r["residual"] <= 1e-4'
result 'newton: candidates, order and tolerance of the command line'

"$bin/newton" -heptane_device host -cases 4x5x6:1 -bench_corrupt -json wrong_newton.jsonl > out 2>&1
[ $? = 1 ] && lines wrong_newton.jsonl 16 'r["verified"] is False and "wrong answer" in r["error"]'
result 'newton: a wrong answer is caught'

"$bin/newton" -heptane_device host -cases 4x4x4:1 -candidates bcgs:nosuchtype:jacobi,bcgs:aij:nosuchpc,bcgs:aij:jacobi -json unknown_newton.jsonl > out 2>&1
[ $? = 1 ] && lines unknown_newton.jsonl 12 'r["verified"] is ((r["mat"], r["pc"]) == ("aij", "jacobi")) and (r["verified"] or r["error"] != "")'
result 'newton: unknown names are reported, the others run'

"$bin/blocks" -mats aij,bdiagh,sellp -heptane_device host -blocks 30x3,9x8,5x20 -cases 3x4x2:3 -json blocks.jsonl > out 2>&1 &&
  lines blocks.jsonl 12 'r["verified"] is True and r["what"] == "pc_setup" and r["bytes"] == 16 * r["rows"] * r["block"] * r["scalar_bytes"] / 8 and r["us_median"] > 0'
result 'blocks: set-ups of three types are verified'

"$bin/blocks" -least_squares 30x3x3,9x20x7,4x50x49,3x112x112 -json least.jsonl > out 2>&1 &&
  lines least.jsonl 8 'r["verified"] is True and r["what"] == "least_squares" and r["us_median"] > 0 and r["mat"] in ("heptane-gels", "lapack-gels", "cublas-gels")'
result 'blocks: least squares are verified'

"$bin/blocks" -least_squares 30x9x3 -bench_corrupt -json wrong_least.jsonl > out 2>&1
[ $? = 1 ] && lines wrong_least.jsonl 2 'r["verified"] is False and "wrong solutions" in r["error"]'
result 'blocks: wrong least squares are caught'

if grep -qs '^PETSC_PRECISION = single' "${PETSC_DIR:-}/${PETSC_ARCH:-}/lib/petsc/conf/petscvariables"; then
  skip 'blocks: the model predicts what was measured' 'measured in double precision'
else
  "$bin/blocks" -suite model -from "$here/results/2026-11-22-h200/blocks-model.jsonl" > out 2>&1 && grep -q '^21 of 21 within 20' out
  result 'blocks: the model predicts what was measured'
fi

"$bin/blocks" -suite model -from blocks.jsonl > out 2>&1
[ $? != 0 ] && ! "$bin/blocks" -suite model -from nosuchfile > out 2>&1 && grep -q 'cannot read nosuchfile' out
result 'blocks: what is no result of the model is refused'

sed 's/"case": "[0-9]*x/"case": "4294967297x/' "$here/results/2026-11-22-h200/blocks-model.jsonl" > large.jsonl
! "$bin/blocks" -suite model -from large.jsonl > out 2>&1 && grep -q 'the case 4294967297x.* cannot be' out &&
  ! "$bin/blocks" -least_squares 4294967297x9x3 > out 2>&1 && ! "$bin/blocks" -blocks 4294967297x3 > out 2>&1 && ! "$bin/spmv" -cases 65536x65536x65536:1 > out 2>&1 && grep -q 'PetscInt counts' out
result 'blocks, spmv: sizes that are too large are refused'

"$bin/blocks" -mats aij,bdiagh -heptane_device host -blocks 30x3 -bench_corrupt -json wrong_blocks.jsonl > out 2>&1
[ $? = 1 ] && lines wrong_blocks.jsonl 2 'r["verified"] is False and "wrong inverses" in r["error"]'
result 'blocks: wrong inverses are caught'

if [ "$ranks" = yes ]; then
  "$launch" -n 2 "$bin/blocks" -mats aij,bdiagh -heptane_device host -blocks 31x3 -json ranks_blocks.jsonl > out 2>&1 && lines ranks_blocks.jsonl 2 'r["verified"] and r["ranks"] == 2'
  result 'blocks: two ranks'
  "$launch" -n 2 "$bin/newton" -heptane_device host -cases 4x4x5:2 -json ranks_newton.jsonl > out 2>&1 && lines ranks_newton.jsonl 16 "$stepped"' and r["ranks"] == 2'
  result 'newton: two ranks'
  # shellcheck disable=SC2086
  "$launch" -n 2 "$bin/ksp" $small -candidates cg:aij:jacobi,cg:bdiagh:jacobi -cases 4x4x5:2 -json ranks_ksp.jsonl > out 2>&1 && lines ranks_ksp.jsonl 2 "$solved"' and r["ranks"] == 2'
  result 'ksp: two ranks'
fi

if command -v python3 > /dev/null && [ -d "$here/results" ]; then
  placed=$here/results/2026-11-24-h200x2-evidence
  "$here/placement/crossing" "$placed/placement-solves.jsonl" "$placed/placement-advice.jsonl" > out 2>&1 && [ "$(grep -c '| yes |$' out)" = 15 ] && grep -q '^crossing measured: 807 rows, predicted: 909 rows' out &&
    sed '/"rows": 46656,/s/"auto_on": "device"/"auto_on": "host"/' "$placed/placement-solves.jsonl" > chosen.jsonl && ! "$here/placement/crossing" chosen.jsonl "$placed/placement-advice.jsonl" > out 2>&1 && grep -q '| 46656 .*| no |$' out &&
    sed 's/"host_predicted_us": /&2/' "$placed/placement-advice.jsonl" > slow.jsonl && ! "$here/placement/crossing" "$placed/placement-solves.jsonl" slow.jsonl > out 2>&1
  result 'crossing: the committed solves cross where they were predicted to; a wrong choice and a wrong prediction are told'
fi

# refused PROGRAM ARGUMENTS -- TEXT: ends with an error that has TEXT
refused() {
  local program=$1 arguments=()
  shift
  while [ "$1" != -- ]; do arguments+=("$1"); shift; done
  ! "$bin/$program" "${arguments[@]}" > out 2>&1 && grep -q -- "$2" out
  result "$program ${arguments[*]} is refused"
}
# the tables of printed figures: small problems here, one of them of a printed size
"$bin/spmv" -heptane_device host -suite thesis-gh -max_nnz 4e6 -mats aij,baij,sellp,bdiagh -json thesis.jsonl > out 2>&1 &&
  lines thesis.jsonl 4 "$good"' and r["nnz"] == 3635072 and r["case"] == "16x16x32:8+wrap"'
result 'spmv: a problem of suite thesis-gh has the printed nonzeros'
"$bin/spmv" -heptane_device host -suite thesis-widths -mats aij,bdiagh -json widths.jsonl > out 2>&1 &&
  lines widths.jsonl 20 "$good"' and r["rows"] * r["block"] == 2**18 and r["nnz"] <= 7 * 2**18'
result 'spmv: suite thesis-widths has blocks of 1 to 512 rows'
"$bin/ksp" -heptane_device host -suite thesis-gh -max_nnz 4e6 -json thesis.jsonl > out 2>&1 &&
  tail -n +5 thesis.jsonl > thesis_ksp.jsonl && lines thesis_ksp.jsonl 6 "$solved"' and r["what"] == "ksp_solve_unchanged" and r["timed_iterations"] == 5 and r["pc"] == "none"'
result 'ksp: five iterations of suite thesis-gh are verified'
"$bin/ksp" -heptane_device host -suite thesis-laplace -sizes 8,9 -iterations 2 -iteration_by total -json laplace.jsonl > out 2>&1 &&
  lines laplace.jsonl 36 "$solved"' and r["problem"] == "laplace7" and r["pc"] in ("none", "jacobi")'
result 'ksp: suite thesis-laplace is verified'
"$bin/blocks" -heptane_device host -suite thesis-blocks -block_count 3 -json factors.jsonl > out 2>&1 && lines factors.jsonl 47 "$good"
result 'blocks: suite thesis-blocks is verified'
"$bin/blocks" -heptane_device host -suite thesis-blocks -block_count 2 -block_rows 6,64 -json some_blocks.jsonl > out 2>&1 && lines some_blocks.jsonl 8 "$good"' and r["block"] in (6, 64)'
result 'blocks: thesis-blocks of chosen sizes'
"$bin/blocks" -heptane_device host -suite thesis-blocks -block_count 2 -bench_corrupt -json damaged_factors.jsonl > out 2>&1
[ $? = 1 ] && lines damaged_factors.jsonl 47 'r["verified"] is False and "wrong inverses" in r["error"]'
result 'blocks: a wrong answer of suite thesis-blocks is caught'
python3 "$here/report/printed_tests.py" thesis.jsonl widths.jsonl laplace.jsonl factors.jsonl > tables.out 2>&1 || status=1
cat tables.out
refused ksp -suite thesis-scaling -max_nnz 1e6 -- 'leaves no problem of -suite thesis-scaling: give 7'
refused spmv -suite thesis-gh -cases 4x4x4:1 -- 'leave out -cases'
refused spmv -suite thesis-widths -diagonal_values 100000 -- 'expected a power of two'
refused blocks -suite thesis-blocks -block_count 0 -- 'expected the number of blocks'
refused blocks -suite thesis-blocks -block_rows 64,0 -- 'expected a list of positive numbers of rows'
refused spmv -cases 4x4x4:1+2w+wrap -- 'not with wrap'
refused spmv -cases 8x8:1 -- 'expected JxHxI:b'
refused spmv -cases 0x8x8:1 -- 'must be positive'
refused spmv -what product -- 'expected a list of matmult'
refused spmv -suite nosuchsuite -- 'the suites are'
refused spmv -file nosuchfile -- 'Cannot locate file: nosuchfile'
refused spmv -mats , -- 'names no matrix type'
refused spmv -values random -- 'expected general'
refused ksp -candidates cg:aij -- 'expected KSP'
refused ksp -candidates cg+quickly:aij:none -- 'the variant quickly is unknown'
refused ksp -suite nosuchsuite -- 'the suites are'
refused ksp -suite cg -candidates cg:aij:none -- 'either -candidates or -suite'
refused ksp -iteration_by guess -- 'expected difference or total'
refused ksp -modes fast -- 'expected a list of auto'
refused ksp -energy_seconds 0 -- 'must be positive'
refused ksp -rtol 2 -- 'must lie between 0 and 1'
refused ksp -candidates cg:aij:jacobi -what answer -- 'expected a list of iteration, solve, time_to_solution'
refused newton -candidates bcgs:aij -- 'expected KSP'
refused newton -rtol 2 -- 'expected a relative tolerance'
refused newton -suite nosuchsuite -- 'the suites are'
refused blocks -blocks 3by3 -- 'expected Nxb'
refused blocks -least_squares 10x3x5 -- 'M at least K'
refused update -order sorted -- 'expected a list of csr'
refused update -memtype gpu -- 'expected auto, host or device'

if "$bin/spmv" -cases 8x9x10:1,6x7x8:3 -mats aij,kokkos-csr,kokkos-bsr -json kokkos.jsonl > out 2>&1 || ! grep -q 'kokkos-csr needs Kokkos Kernels' out; then
  lines kokkos.jsonl 6 'r["verified"] or r["mat"] == "kokkos-bsr" and r["block"] == 1 and "not applicable" in r["error"]'
  result 'spmv: Kokkos Kernels is verified'
else
  skip 'spmv: Kokkos Kernels' 'Kokkos Kernels was not found'
fi

refused_kokkos() { ! "$here/peers/build_kokkos" "$@" > out 2>&1 && grep -q "$text" out; }
mkdir -p kokkos/core/src && touch kokkos/core/src/Kokkos_Core.hpp
text='usage: bench/peers/build_kokkos' refused_kokkos kokkos && text='kernels is not a source folder of Kokkos Kernels' refused_kokkos kokkos kernels prefix &&
  text='not a source folder of Kokkos ' refused_kokkos nothing kernels prefix && [ ! -e prefix ]
result 'build_kokkos: folders that are not the sources are refused'

jax=$(cd "$here" && pwd)/peers/jax_solvers.py
if python3 -c 'import jax' 2> /dev/null; then
  "$bin/ksp" -candidates cg:aij:jacobi -values spd -cases 40x30x20:1 -iterations 4 -iteration_by total -samples 1 -json jax.jsonl > out 2>&1 &&
    { python3 "$jax" --cases 40x30x20:1 --iterations 200 --samples 3 --json jax.jsonl >> out 2>&1 || grep -q 'the noise' out; } &&
    lines jax.jsonl 3 'r["nnz"] == 162800 and (r["verified"] or "noise" in r["error"])'
  result 'jax_solvers: CG and BiCGStab beside ksp'
  ! python3 "$jax" --cases 4x4x4:1 --json nosuchfile > out 2>&1 && grep -q 'let bench/ksp -json write a line' out && ! python3 "$jax" --cases 4x4:1 > out 2>&1 && grep -q 'give JxHxI:1' out
  result 'jax_solvers: refusals'
else
  ! python3 "$jax" > out 2>&1 && grep -q 'install JAX' out
  result 'jax_solvers: without JAX a remedy'
  skip 'jax_solvers' 'JAX is not installed'
fi

if [ $gpu = yes ]; then
  if [ "$visible" = all ]; then unset CUDA_VISIBLE_DEVICES; else export CUDA_VISIBLE_DEVICES=$visible; fi
  "$bin/ksp" -iterations 8 -iteration_by total -suite all -sizes 8 -cases 6x7x8:3 -modes auto,kernels,graph,persistent -json gpu_ksp.jsonl > out 2>&1 &&
    lines gpu_ksp.jsonl "$(wc -l < gpu_ksp.jsonl)" "$solved"' and r["device"] == "cuda"'
  result 'ksp: every suite and mode on the device is verified'
  "$bin/spmv" -cases 8x9x10:1,6x7x8:3 -json gpu.jsonl > out 2>&1 && lines gpu.jsonl 16 '(r["verified"] and r["device"] == "cuda") or r["mat"] == "cusparse-bsr" and r["block"] == 1'
  result 'spmv: the types of the device and cuSPARSE are verified'
  # shellcheck disable=SC2086
  "$bin/update" -cases 6x7x8:3 $orders -json gpu_update.jsonl > out 2>&1 && lines gpu_update.jsonl 40 'r["verified"] and r["memtype"] == "device"'
  result 'update: device values are verified'
  "$bin/newton" -cases 8x9x10:3,6x7x8:8 -json gpu_newton.jsonl > out 2>&1 &&
    lines gpu_newton.jsonl 32 "$stepped"' and r["device"] == "cuda" and (r["mat"] != "bdiagh" or r["what"] != "newton_step" or r["h2d_bytes"] < 1000 * r["counted_calls"])'
  result 'newton: the candidates of the device are verified'
  "$bin/blocks" -blocks 200x3,100x8,9x33 -cases 6x7x8:3 -mats aijcusparse,bdiagh,cublas-getri,cublas-matinv,cublas-getrf,cublas-geqrf -json gpu_blocks.jsonl > out 2>&1 &&
    lines gpu_blocks.jsonl 24 '(r["verified"] and r["device"] == "cuda") or "not applicable" in r["error"]'
  result 'blocks: the types of the device and cuBLAS are verified'
  "$bin/blocks" -suite model -json gpu_model.jsonl > out 2>&1 && lines gpu_model.jsonl 22 'r["verified"] and (r["what"] == "parameters" or r["predicted_us"] > 0)'
  result 'blocks: the model beside measurements'
else
  refused blocks -suite model -- 'measures a GPU'
  skip 'spmv, update, ksp, newton and blocks on the device' 'no GPU'
fi
exit $status

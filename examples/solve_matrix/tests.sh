#!/usr/bin/env bash
# Tests of solve_matrix: every kind of matrix with several types on one and two processes, the sample matrices, bad input.
# One line a test: "ok NAME", "not ok NAME" or "ok NAME # SKIP why"; the exit status is non-zero if one failed.
# Needs HEPTANE_BUILD with the built example; uses HEPTANE_LIB, MPIEXEC, HEPTANE_DATA, PETSC_DIR when they are set.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../check.bash"
app=$HEPTANE_BUILD/examples/solve_matrix
[ -x "$app" ] || { echo "not ok solve_matrix: $app was not built, run make examples"; exit 1; }

# agree LINES PROCESSES OPTIONS...: so many types solve, with true residuals below 1e-7, and solutions that are 1 and the same to 1e-5; in single precision 1e-5 and 1e-3
rtol=1e-9 residual=1e-7 same=1e-5
if [ $precision = single ]; then rtol=1e-6 residual=1e-5 same=1e-3; fi
agree() {
  local lines=$1
  shift
  run "$@" -ksp_rtol $rtol >out && cat out &&
    awk -v lines="$lines" -v residual=$residual -v same=$same \
      'NR > 2 { n++; if (!($5 ~ /^CONVERGED/ && $6 < residual && $7 < same && $12 < same)) bad = 1 } END { exit bad || n != lines }' out
}

types=aij,baij,sbaij
heptane=()
if [ -r "${HEPTANE_LIB:-}" ]; then
  types=aij,bdiagh,sellp
  heptane=(-dll_append "$HEPTANE_LIB")
fi
for n in 1 2; do
  for kind in laplace5:12 laplace7:7 laplace27:6 banded:300 random:200 powerlaw:300; do
    check "solve_matrix_${kind%:*}_n$n" agree 3 $n "${heptane[@]}" -generate ${kind%:*} -n ${kind#*:} -compare $types -ksp_type bcgs -pc_type jacobi
  done
  check "solve_matrix_elasticity_n$n" agree 3 $n "${heptane[@]}" -generate elasticity -n 6 -compare $types -ksp_type cg -pc_type pbjacobi
done
if [ ${#heptane[@]} != 0 ]; then
  check solve_matrix_fused agree 2 1 "${heptane[@]}" -generate elasticity -n 6 -compare aij,sellp -ksp_type fusedcg -pc_type pbjacobi
fi
# An element of the elasticity matrix stiffens nothing that only moves: rows that no clamped node touches add up to zero
rigid() {
  run 1 -generate elasticity -n 4 -mat_type aij -ksp_type preonly -pc_type lu -ksp_view_mat ascii:K.txt >out || { cat out; return 1; }
  awk '/^row/ { split($2, r, ":"); row = r[1]; s = 0; t = 0; x = int(row / 3) % 4
                while (match($0, /\([0-9]+, [^)]*\)/)) { e = substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH); split(e, c, ", "); if (c[1] % 3 == row % 3) s += c[2]; else t += c[2] }
                if (x > 1) { n++; if (s * s > 1e-10 || t * t > 1e-10) bad = 1 } } END { exit bad || n == 0 }' K.txt
}
check solve_matrix_rigid rigid

# A matrix written by one run is what another loads
reload() {
  run 1 -generate elasticity -n 4 -mat_type aij -ksp_type cg -ksp_view_mat binary:K.petsc >/dev/null && agree 2 2 "${heptane[@]}" -f K.petsc -block_size 3 -compare aij,${types##*,} -ksp_type cg -pc_type pbjacobi
}
check solve_matrix_reload reload

folder=''
for d in ${HEPTANE_DATA:+"$HEPTANE_DATA/matrices"} "$root/../shared/data/matrices"; do
  if [ -r "$d/bcsstk16.mtx" ]; then folder=$(cd "$d" && pwd); break; fi
done
python=${PYTHONPATH:-}
if ! python3 -c 'import scipy.io' 2>/dev/null && [ -x "$root/tools/setup" ]; then python=$("$root/tools/setup" --python 2>/dev/null) || python=''; fi
export PYTHONPATH=$python PYTHONDONTWRITEBYTECODE=1
if [ ! -r "${PETSC_DIR:-}/lib/petsc/bin/PetscBinaryIO.py" ] || ! python3 -c 'import scipy.io' 2>/dev/null; then
  skip solve_matrix_mtx2petsc 'no SciPy, or no PetscBinaryIO.py in PETSC_DIR'
else
  convert() {
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n' >small.mtx
    "$here/mtx2petsc" small.mtx small.petsc && agree 2 1 "${heptane[@]}" -f small.petsc -compare aij,${types##*,} -ksp_type cg -pc_type jacobi && grep -q '^3 rows, 7 nonzeros' out
  }
  check solve_matrix_mtx2petsc convert
  broken() { ! "$here/mtx2petsc" nosuchfile.mtx x.petsc 2>err && grep -q 'cannot read nosuchfile.mtx' err; }
  check solve_matrix_mtx2petsc_missing_file broken
  if [ -n "$folder" ]; then
    # the condition number of bcsstk13 is 1e10, too much for an iteration with these preconditioners
    for matrix in bcsstk13:lu bcsstk16:icc; do
      pc=${matrix#*:} matrix=${matrix%:*}
      sample() { "$here/mtx2petsc" "$folder/$matrix.mtx" $matrix.petsc && agree 3 1 "${heptane[@]}" -f $matrix.petsc -compare $types -ksp_type cg -pc_type $pc -ksp_max_it 5000 -ksp_atol 1e-50 -ksp_norm_type unpreconditioned; }
      if [ $matrix$precision = bcsstk13single ]; then skip solve_matrix_$matrix 'single precision'; else check solve_matrix_$matrix sample; fi
    done
  else
    skip solve_matrix_bcsstk 'the sample matrices are not here (HEPTANE_DATA)'
  fi
fi

# refused PATTERN OPTIONS...: fails with this text
refused() {
  local pattern=$1
  shift
  ! run 1 "$@" >err 2>&1 && grep -q -e "$pattern" err || { cat err; return 1; }
}
check solve_matrix_unknown_kind refused 'the kinds are: laplace5' -generate hilbert
check solve_matrix_bad_size refused 'must be positive' -generate laplace7 -n 0
check solve_matrix_thin_elasticity refused 'at least 2 nodes' -generate elasticity -n 1
check solve_matrix_mtx refused 'convert it with examples/solve_matrix/mtx2petsc' -f some.mtx
check solve_matrix_missing_file refused 'nosuchfile' -f nosuchfile.petsc
exit $failed

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
      'NR > 2 { n++; if (!($5 ~ /^CONVERGED/ && $6 < residual && $7 < same && $13 < same)) bad = 1 } END { exit bad || n != lines }' out
}

indices=32
if grep -qs '^PETSC_INDEX_SIZE *= *64' "${PETSC_DIR:-}/${PETSC_ARCH:-}/lib/petsc/conf/petscvariables"; then indices=64; fi
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

# Without -pc_type all types get the preconditioner that PETSc chooses for the first, with the same blocks inside: as many iterations, the same solution
alike() {
  agree 3 "$1" "${heptane[@]}" -generate laplace7 -n 9 -compare "$types" && awk -v slack=$([ $precision = single ]; echo $((! $?))) 'NR == 3 { pc = $3; n = $4 } NR > 3 && ($3 != pc || $4 > n + slack || $4 < n - slack) { exit 1 }' out
}
for n in 1 2; do check "solve_matrix_same_preconditioner_n$n" alike $n; done

# The options of a matrix type reach the matrices: one that is strict refuses, none is left over
if [ ${#heptane[@]} != 0 ]; then
  strict() { ! run 1 "${heptane[@]}" -generate powerlaw -n 200 -mat_type bdiagh -mat_bdiagh_strict >err 2>&1 && grep -q 'leave -mat_bdiagh_strict off' err; }
  check solve_matrix_bdiagh_options strict
  used() { run 1 "${heptane[@]}" -generate powerlaw -n 200 -compare aij,sellp -mat_type nosuchtype -mat_sellp_slice_height 16 -options_left >out && cat out && grep -q 'no unused options' out; }
  check solve_matrix_sellp_options used
fi

# The time is that of a second solve, which begins from zero again
warm() {
  run 1 -generate laplace7 -n 9 -mat_type aij -ksp_type cg -pc_type jacobi -ksp_initial_guess_nonzero -ksp_converged_reason >out && cat out &&
    [ "$(awk '/^ *Linear solve converged/ { n++; if ($NF < 5) bad = 1 } END { print n, bad + 0 }' out)" = '2 0' ]
}
check solve_matrix_warm warm

# Right-hand sides: a random one is the same on any number of processes; one of a file follows the matrix, as reservoir -export writes it
numbers() { awk -v n="$1" '$1 == $1 + 0 && k++ < n' "$2"; } # of the first of the views: a system is solved twice
random_rhs() {
  local n
  for n in 1 3; do
    run $n -generate laplace5 -n 7 -mat_type aij -rhs random -ksp_type cg -pc_type jacobi -ksp_view_rhs ascii:rhs.$n >out && cat out && awk 'NR == 3 { exit !($7 == "-" && $6 < 1e-4) }' out &&
      numbers 49 rhs.$n >entries.$n || return 1
  done
  [ "$(wc -l <entries.1)" = 49 ] && [ "$(sort -u entries.1 | wc -l)" -gt 40 ] && cmp entries.1 entries.3
}
check solve_matrix_rhs_random random_rhs
if [ -x "$HEPTANE_BUILD/examples/reservoir" ]; then
  file_rhs() {
    "$HEPTANE_BUILD/examples/reservoir" "${device[@]}" -grid 5,4,3 -steps 1 -newton 1 -mat_type aij -export field -ksp_view_rhs ascii:rhs.field >/dev/null &&
      run "$1" "${heptane[@]}" -f field.petsc -block_size 3 -compare aij,${types##*,} -rhs file -ksp_type bcgs -pc_type pbjacobi -ksp_rtol $rtol -ksp_view_rhs ascii:rhs.file >out &&
      cat out && awk -v residual=$residual -v same=$same 'NR > 2 && !($6 < residual && $7 == "-" && $13 < same) { exit 1 }' out &&
      numbers 180 rhs.field >one && numbers 180 rhs.file >two && [ "$(wc -l <one)" = 180 ] && cmp one two
  }
  for n in 1 2; do check "solve_matrix_rhs_file_n$n" file_rhs $n; done
fi

# Without X, and whatever libraries of pictures PETSC has: README.md says so
drawn() { run 1 "${heptane[@]}" -generate laplace7 -n 5 -mat_type "$1" -ksp_view_mat draw:image -draw_save >out 2>&1 && cat out && ! grep -q 'without graphics' out && [ "$(cat Draw_*/*.ppm | head -c 2)" = P6 ]; }
if [ ${#heptane[@]} != 0 ]; then check solve_matrix_draw drawn bdiagh; else check solve_matrix_draw drawn aij; fi

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
  convert_rhs() {
    printf '%%%%MatrixMarket matrix array real general\n3 1\n3\n2\n3\n' >rhs.mtx
    "$here/mtx2petsc" --rhs rhs.mtx small.mtx both.petsc && run 1 -f both.petsc -rhs file -mat_type aij -ksp_type preonly -pc_type lu -ksp_view_solution ascii:x >out && cat out x && [ "$(numbers 3 x | xargs)" = '1. 1. 1.' ]
  }
  check solve_matrix_mtx2petsc_rhs convert_rhs
  # not_converted PATTERN ARGUMENTS...: one line of refusal, at once, and no file
  not_converted() {
    local pattern=$1
    shift
    ! timeout 60 "$here/mtx2petsc" "$@" none.petsc 2>err && cat err && [ "$(wc -l <err)" = 1 ] && grep -q -e "$pattern" err && [ ! -e none.petsc ] && [ ! -e none.petsc.part ]
  }
  check solve_matrix_mtx2petsc_missing_file not_converted 'cannot read nosuchfile.mtx' nosuchfile.mtx
  printf '%%%%MatrixMarket matrix coordinate real general\n20 20 2000000000000\n1 1 4\n' >huge.mtx
  check solve_matrix_mtx2petsc_huge not_converted 'correct the header' huge.mtx
  printf '%%%%MatrixMarket matrix coordinate real general\n3000000000 3000000000 1\n1 1 4\n' >many.mtx
  if [ $indices = 32 ]; then check solve_matrix_mtx2petsc_many_rows not_converted 'with --with-64-bit-indices' many.mtx; fi
  awk 'BEGIN { n = 3000; print "%%MatrixMarket matrix coordinate real general"; print n, n, n; for (k = 1; k <= n; k++) print k, k, sin(k) }' | gzip >whole.mtx.gz
  head -c 9000 whole.mtx.gz >cut.mtx.gz
  check solve_matrix_mtx2petsc_cut_file not_converted 'cut short.*fetch it again' cut.mtx.gz
  check solve_matrix_mtx2petsc_other_file not_converted 'not a Matrix Market file' "$here/tests.sh"
  printf '%%%%MatrixMarket matrix array real general\n2 1\n3\n2\n' >short.mtx
  check solve_matrix_mtx2petsc_short_rhs not_converted 'the matrix has 3 rows' --rhs short.mtx small.mtx
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
if [ $indices = 32 ]; then
  for size in laplace5:46340 laplace7:1290 laplace27:1290 elasticity:894 random:2147478646; do
    check "solve_matrix_${size%:*}_too_large" refused "choose at most -n ${size#*:}, or use a PETSc configured with --with-64-bit-indices" -generate ${size%:*} -n $((${size#*:} + 1))
  done
fi
check solve_matrix_rhs_without_file refused 'name the file with -f' -rhs file
check solve_matrix_rhs_not_in_file refused 'holds no vector after its matrix: append one' -f K.petsc -rhs file
check solve_matrix_mtx refused 'convert it with examples/solve_matrix/mtx2petsc' -f some.mtx
check solve_matrix_missing_file refused 'nosuchfile' -f nosuchfile.petsc
exit $failed

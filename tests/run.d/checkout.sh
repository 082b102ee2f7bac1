# The jobs of a checkout: harness cases, unit tests, and the scripts of the folders that have some. Read by tests/run.

: "${HEPTANE_BUILD:?is not set: run the tests by make check}" "${HEPTANE_LIB:?is not set: run the tests by make check}" "${PETSC_DIR:?is not set: run the tests by make check}"
export HEPTANE_DIR=${HEPTANE_DIR:-$(cd "$here/.." && pwd)}
export PYTHONDONTWRITEBYTECODE=1
data=${HEPTANE_DATA:-$HEPTANE_DIR/../shared/data}
if [ -d "$data" ]; then HEPTANE_DATA=$(cd "$data" && pwd); export HEPTANE_DATA; fi

# Scripts that print the lines themselves; first, since they take longest. A quick run has those of this list, and of the examples the checks behind the colon
quick_scripts=(tests/loader/abi tests/loader/path tests/loader/symbols tests/source/layers tests/source/passes tests/source/words tests/source/pages
  tests/source/versions examples/solve_matrix/tests:solve_matrix_laplace7_n1 examples/reservoir/tests:reservoir_setvalues_nc3_n2)
if [ $quick = yes ]; then
  for script in "${quick_scripts[@]}"; do
    file=$HEPTANE_DIR/${script%:*}.sh only=
    if [[ $script == *:* ]]; then only="HEPTANE_ONLY='${script#*:}'"; fi
    job "${script%:*}" 300 "cd '${file%/*}' && $only bash '$file'"
  done
elif [ $mode = check ]; then
  for script in "$here"/loader/*.sh "$here"/install/*.sh "$here"/source/*.sh "$here"/comm/*.sh "$here"/python/*.sh "$HEPTANE_DIR"/examples/*/tests.sh "$HEPTANE_DIR"/bench/tests.sh; do
    if [ -e "$script" ]; then
      name=${script#"$HEPTANE_DIR"/}
      job "${name%.sh}" 2700 "cd '$(dirname "$script")' && bash '$script'"
    fi
  done
fi

# Programs of PETSc, unchanged
if [ $mode = check ]; then
  while read -r program; do job "programs/$program" 300 "'$here/programs/run' $program"; done < <("$here/programs/run" --names "$([ $quick = no ] || echo quick)")
fi

# PETSc's harness: one script a case; it prints one line for the run and one for the comparison of the output. Cases of more than two processes come last, one at a time: on
# fewer processors than processes each waits for others that do not run, twenty times as long beside another job
wide=()
cases=$HEPTANE_BUILD/tests/harness
cuda=" $(tr '\n' ' ' < "$cases/cuda_cases" 2>/dev/null)"
for script in "$cases"/{mat,ksp}/run*.sh; do
  [ -e "$script" ] || { echo "tests/run: no harness cases in ${script%/*}: run make -C tests all" >&2; exit 1; }
  name=$(basename "$(dirname "$script")")-$(basename "$script" .sh)
  name=${name/-run/-}
  if [ $quick = yes ] && ! grep -qx '#quick' "$script"; then continue; fi
  kind=host
  if [[ $cuda == *"$name "* ]]; then
    kind=cuda
    if [ $gpu = no ]; then skip "$name" 'no GPU'; continue; fi
  fi
  if [ $mode = expected ]; then flags=-m; else flags=; fi
  command="PETSC_OPTIONS='$(options $kind)' bash '$script' -t 900 $flags"
  if grep -qE '^nsize_in=.*[3-9]' "$script"; then wide+=("$name" "$command"); else job "$name" 2700 "$command"; fi
done
if ! grep -q 'define PETSC_HAVE_CUDA 1' "$PETSC_DIR/${PETSC_ARCH:-}/include/petscconf.h"; then
  for ((n = $(cat "$here"/mat/*.c | grep -c 'requires: cuda'); n > 0; n--)); do skip harness 'PETSc without CUDA'; done
fi

# GoogleTest
if [ $mode = expected ]; then
  : # has no outputs to write
elif [ -x "$HEPTANE_BUILD/tests/unit/unit" ]; then
  job unit 300 "'$HEPTANE_BUILD/tests/unit/unit'"
else
  skip unit "unit tests: $(cat "$HEPTANE_BUILD/tests/unit/skipped" 2>/dev/null || echo 'not built')"
fi

alone=${#names[@]}
for ((k = 0; k < ${#wide[@]}; k += 2)); do job "${wide[k]}" 2700 "${wide[k + 1]}"; done

# The jobs of an unpacked bundle: the recorded harness cases, host and GPU, or the small ones under compute-sanitizer; the unit tests; the
# scripts that need no compiler. Read by tests/run; env.sh of the bundle has set the variables.

: "${HEPTANE_BUILD:?is not set: source env.sh of the bundle first}" "${HEPTANE_LIB:?is not set: source env.sh of the bundle first}"
cases=$HEPTANE_BUILD/tests/bundle/cases.tsv
[ -e "$cases" ] || { echo "tests/run: $cases is missing: the bundle is not complete" >&2; exit 1; }
launch=${MPIEXEC:-mpiexec}

check_prefix='' repeat=''
if [ -n "$sanitizer" ]; then
  command -v compute-sanitizer > /dev/null || { echo 'tests/run: compute-sanitizer is not in PATH: it comes with CUDA, often in /usr/local/cuda/bin' >&2; exit 1; }
  check_prefix="compute-sanitizer --tool $sanitizer --error-exitcode 99 --target-processes all"
  # the tools end with errors of their own in graphs with conditional nodes
  repeat='-heptane_graph_repeat no -options_left 0' # programs without a solver do not look at it
fi

# One case: its line says ok or not ok; called by the job
case_run() {
  local name=$1 nsize=$2 program=$3 expected=$4 dir rc with=()
  shift 4
  dir=$(mktemp -d)
  # hazards between threads are looked for in our kernels alone: those of cuSPARSE have some (csrmv_v3_kernel). A launch takes 10 ms, and PETSc's solvers, with which ours are compared, have
  # ten times as many; memcheck of matrices, which may give PETSc's kernels arrays of ours, sees all
  if [ -n "$sanitizer" ] && [[ $sanitizer != memcheck || $name == ksp-* ]]; then check_prefix="$check_prefix --kernel-regex kns=heptane"; fi
  # one process needs no launcher between the sanitizer and the program; of several, each has a sanitizer
  [ -n "$check_prefix" ] && [ "$nsize" = 1 ] || with=($launch -n "$nsize" ${HEPTANE_EACH:-})
  set -- "${with[@]}" $check_prefix "$HEPTANE_BUILD/tests/harness/$program" "$@"
  (cd "$dir" && "$@" > out 2> err)
  rc=$?
  # the sanitizer writes into the program's output
  if [ -n "$check_prefix" ]; then
    while IFS= read -r line; do [[ $line == ======* ]] || echo "$line"; done < "$dir/out" > "$dir/plain"
  else
    cp "$dir/out" "$dir/plain"
  fi
  if [ $rc = 0 ] && diff -w "$here/$expected" "$dir/plain" > "$dir/diff"; then
    echo "ok $name"
  else
    echo "not ok $name"
    echo "exit code $rc"
    cat "$dir/diff" "$dir/err" 2> /dev/null
    head -n 60 "$dir/out"
    rc=1
  fi
  rm -rf "$dir"
  return $rc
}
export -f case_run
export HEPTANE_BUILD here launch check_prefix sanitizer

small='*small*'
later=() number=0
add_case() { # name kind nsize program expected args
  job "$1" 600 "export PETSC_OPTIONS='$(options "$2") $repeat -check_pointer_intensity 0 -error_output_stdout -malloc_dump -checkfunctionlist -nox_warning'
    case_run '$1' $3 '$4' '$5' $6"
}
while IFS=$'\t' read -r name kind nsize program expected args; do
  if [ -n "$sanitizer" ]; then
    # shellcheck disable=SC2053
    [[ $kind == cuda && $name == $small ]] || continue
  fi
  if [ $kind = cuda ] && [ $gpu = no ]; then skip "$name" 'no GPU'; continue; fi
  # two persistent kernels at once would each wait for multiprocessors that the other has; the automatic mode may choose one on one process
  resident=no
  if [ $kind = cuda ] && [[ $name == ksp-* && $args != *aijcusparse* && ($args == *persistent* || ($nsize == 1 && ($args == *'-mode auto'* || $args != *-mode*))) ]]; then resident=yes; fi
  if [ "$lane" = alone ] && [ $resident = no ]; then continue; fi
  if [ "$lane" = beside ] && [ $resident = yes ]; then continue; fi
  number=$((number + 1))
  if [ $((number % parts)) != $((part % parts)) ]; then continue; fi
  if [ $kind = cuda ] && [[ $name == ksp-* && $lane != beside ]]; then later+=("$name" "$kind" "$nsize" "$program" "$expected" "$args"); else add_case "$name" "$kind" "$nsize" "$program" "$expected" "$args"; fi
done < "$cases"
# programs of PETSc, which may run persistent kernels
programs=()
if [ -z "$sanitizer" ] && [ "$lane" != beside ]; then
  while read -r program; do
    number=$((number + 1))
    if [ $((number % parts)) = $((part % parts)) ]; then programs+=("$program"); fi
  done < <("$here/programs/run" --names)
fi
add_later() {
  alone=${#names[@]}
  for ((k = 0; k < ${#later[@]}; k += 6)); do add_case "${later[@]:k:6}"; done
  for program in "${programs[@]}"; do job "programs/$program$([ $gpu = no ] || echo ' cuda')" 300 "'$here/programs/run' $program"; done
}
if [ -n "$sanitizer" ] || [ "$lane" = alone ] || [ "$part" != 1 ]; then add_later; return; fi

if [ -x "$HEPTANE_BUILD/tests/unit/unit" ]; then job unit 300 "'$HEPTANE_BUILD/tests/unit/unit'"; fi
for script in "$here"/loader/*.sh "$here"/comm/*.sh "$HEPTANE_DIR"/examples/*/tests.sh "$HEPTANE_DIR"/bench/tests.sh; do
  if [ -e "$script" ]; then
    name=${script#"$HEPTANE_DIR"/}
    job "${name%.sh}" 900 "cd '$(dirname "$script")' && bash '$script'"
  fi
done
add_later

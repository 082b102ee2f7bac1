#!/usr/bin/env bash
# Every option of heptane that takes a number, as -help and the sources list them, with numbers that make no sense and with text that is no number: the solution is right, or the error names the option.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app
load=(-dll_append "$HEPTANE_LIB" -ksp_rtol 1e-8)
values='-5;0;1;2147483647;4294967297;99999999999999999999;1e-300;1.5;1e11;1e300;nan;inf;-inf;abc;2,-5;1,1,4294967297'
IFS=';' read -r -a all <<<"$values"

types() { # NAME-OF-OPTION: types that have it
  case $1 in
    mat_sellp*) echo -mat_type sellp -ksp_type fusedcg -pc_type pbjacobi ;;
    pc_*) echo "-mat_type bdiagh -ksp_type fusedbcgs -pc_type $(cut -d_ -f2 <<<"$1")" ;;
    ksp_fused*) echo -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi -ksp_fused_precision mixed ;;
    *) echo -mat_type bdiagh -ksp_type fusedcg -pc_type jacobi ;;
  esac
}
processes() { [[ $1 == heptane_comm* ]] && echo 2 || echo 1; }
# Those that -help lists with a number
for name in mat_sellp pc_gridmg pc_blockjacobireg ksp_fused heptane_comm; do
  # shellcheck disable=SC2046
  run "$MPIEXEC" -n $(processes $name) "$app" "${load[@]}" -heptane_comm peer $(types $name) -help
  printf '%s\n' "$output"
done >help.log
options=$(grep -oE '^  -(mat_(bdiagh|sellp)|pc_(gridmg|blockjacobireg)|ksp_fused|heptane)_[a-z_]+: <(now )?[-0-9.e+,]+[> ]' help.log | sed 's/^ *-//; s/:.*//' | sort -u | grep -v heptane_probe)
[ "$(wc -l <<<"$options")" -ge 20 ] && ok "options with numbers" || not_ok 'options with numbers' "$options"

if [ -d "$HEPTANE_DIR/src" ]; then
  output=$(cd "$HEPTANE_DIR" && grep -rnE 'PetscOptions(Get|Bounded|Range)?(Int|MPIInt|Int32|Int64|Count|Real|Scalar)(Array)?\(' src | grep -v '^src/sys/number_options\.\|"-heptane_test_')
  [ -z "$output" ] && ok 'every number has bounds' || not_ok 'every number has bounds' "use src/sys/number_options.hpp:" "$output"
  output=$(cd "$HEPTANE_DIR" && grep -rhoE --exclude-dir=tools 'Option(Int|Real)(Array)?\(PetscOptionsObject, "-[a-z_]+"' src | grep -oE '[a-z_]+"$' | tr -d '"' | sort -u | comm -23 - <(echo "$options"))
  [ -z "$output" ] && ok 'none is missing' || not_ok 'none is missing' "not in the lists of -help that are looked at here:" "$output"
fi

# options that are read when the library is loaded: a program for each value
for name in $options; do
  bad=''
  case $name in
    heptane_comm_*) ;;
    heptane_*)
      for value in "${all[@]}"; do
        # shellcheck disable=SC2046
        run timeout 60 "$app" "${load[@]}" $(types $name) -heptane_device host -heptane_metrics "-$name" "$value"
        if [ $status = 0 ] && grep -q ' solved' <<<"$output"; then continue; fi
        grep -qE "PETSC ERROR: -$name $value(:| must be) " <<<"$output" || { bad="$value gave status $status"; break; }
      done
      [ -z "$bad" ] && ok "$name" || not_ok "$name" "$bad" "$output"
      continue
      ;;
  esac
  # shellcheck disable=SC2046
  run timeout 300 "$MPIEXEC" -n $(processes $name) "$app" "${load[@]}" -heptane_comm peer $(types $name) -try "$name" -values "$values"
  [ $status = 0 ] || bad="ended with status $status"
  [ "$(grep -c 'ended with' <<<"$output")" = ${#all[@]} ] || bad='not all values were tried'
  [ "$(grep -c 'ended with no error' <<<"$output")" = "$(grep -c ' solved' <<<"$output")" ] || bad='not solved'
  grep 'ended with' <<<"$output" | grep -vqE "ended with (no error|.*-$name)" && bad='an error that does not name the option'
  [ -z "$bad" ] && ok "$name" || not_ok "$name" "$bad" "$output"
done
finish

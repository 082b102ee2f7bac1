#!/usr/bin/env bash
# Tests of the reservoir example: block sizes, numbers of processes, types, numberings, exports, keyword files good and bad, the Norne field, the plots.
# One line a test: "ok NAME", "not ok NAME" or "ok NAME # SKIP why"; the exit status is non-zero if one failed.
# Needs HEPTANE_BUILD with the built example; uses HEPTANE_LIB, MPIEXEC, HEPTANE_DATA when they are set.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../check.bash"
app=$HEPTANE_BUILD/examples/reservoir
[ -x "$app" ] || { echo "not ok reservoir: $app was not built, run make examples"; exit 1; }

small=(-grid 9,7,5 -synthetic_inactive 0.15 -wells 2 -steps 2)

# same_answer PROCESSES NC OPTIONS...: the solution is that of one process with aij
same_answer() {
  local n=$1 nc=$2
  shift 2
  [ -f "aij.$nc" ] || run 1 "${small[@]}" -nc "$nc" -solution_file "aij.$nc" || return 1
  run "$n" "${small[@]}" -nc "$nc" -solution_file other "$@" && "$app" -compare "aij.$nc,other"
}
for nc in 1 2 3 8 16; do
  for n in 2 4; do check "reservoir_aij_nc${nc}_n$n" same_answer $n $nc; done
done
check reservoir_baij_nc3_n2 same_answer 2 3 -mat_type baij
check reservoir_setvalues_nc3_n2 same_answer 2 3 -assembly setvalues
if [ -r "${HEPTANE_LIB:-}" ]; then
  bdiagh=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh)
  for nc in 1 2 3 8 16; do
    for n in 1 2 4; do check "reservoir_bdiagh_nc${nc}_n$n" same_answer $n $nc "${bdiagh[@]}"; done
  done
  for nc in 1 3; do
    for n in 1 2 3; do check "reservoir_gridmg_nc${nc}_n$n" same_answer $n $nc "${bdiagh[@]}" -ksp_type fusedbcgs -pc_type gridmg; done
  done
  check reservoir_bdiagh_setvalues_nc3_n2 same_answer 2 3 "${bdiagh[@]}" -assembly setvalues
  for n in 1 2; do
    for nc in 1 3 8; do check "reservoir_fusedbcgs_nc${nc}_n$n" same_answer $n $nc "${bdiagh[@]}" -ksp_type fusedbcgs; done
    check "reservoir_fusedcg_nc1_n$n" same_answer $n 1 "${bdiagh[@]}" -ksp_type fusedcg
    check "reservoir_fusedbcgs_aij_nc3_n$n" same_answer $n 3 -dll_append "$HEPTANE_LIB" -ksp_type fusedbcgs
  done
else
  skip reservoir_bdiagh "HEPTANE_LIB is not set"
fi

# Processes without a cell; a single cell; grids of one or two dimensions; no wells
odd_grids() {
  local grid
  for grid in 1,1,2 3,1,1 1,4,1 5,4,1 1,3,6; do
    run 1 -grid $grid -wells 1 -solution_file one >/dev/null && run 4 -grid $grid -wells 1 -solution_file four && "$app" -compare one,four || return 1
  done
  run 1 -grid 1,1,1 -wells 0 -nc 2
}
check reservoir_odd_grids odd_grids

# The matrix does not depend on the way of assembly, on the type, or on the number of processes
same_matrix() {
  run 1 "${small[@]}" -wells 0 -steps 1 -nc 3 -export coo && run 1 "${small[@]}" -wells 0 -steps 1 -nc 3 -export set -assembly setvalues &&
    run 3 "${small[@]}" -wells 0 -steps 1 -nc 3 -export three && cmp coo.mtx set.mtx && cmp coo.mtx three.mtx && cmp coo.petsc set.petsc && cmp coo.petsc three.petsc
}
check reservoir_export_same_matrix same_matrix
later_update() {
  run 1 "${small[@]}" -nc 2 -export first && run 1 "${small[@]}" -nc 2 -export second -export_update 2 -export_mtx no &&
    [ ! -e second.mtx ] && [ -s second.petsc ] && [ "$(stat -c %s first.petsc)" = "$(stat -c %s second.petsc)" ] && ! cmp -s first.petsc second.petsc &&
    run 2 "${small[@]}" -nc 2 -export second2 -export_update 2 -export_mtx no && [ "$(stat -c %s second2.petsc)" = "$(stat -c %s second.petsc)" ] &&
    ! run 1 "${small[@]}" -nc 2 -export none -export_update 999 >out 2>&1 && grep -q 'nothing was exported' out
}
check reservoir_export_later_update later_update

# Matrix Market: the header counts the entries; every active cell has a full block for each coupling
mtx_counts() {
  awk 'NR == 2 {n = $1; nnz = $3; next} NR > 2 {k++; if ($1 < 1 || $1 > n || $2 < 1 || $2 > n || $3 != $3 + 0) exit 1; blocks[int(($1 - 1) / 3) " " int(($2 - 1) / 3)]++}
    END {if (n != 945 || k != nnz) exit 1; for (b in blocks) {split(b, c, " "); full += blocks[b] == 9; if (blocks[b] != 9 && (c[1] != c[2] || blocks[b] != 9)) exit 1}; exit full * 9 != nnz}' coo.mtx
}
check reservoir_export_blocks mtx_counts

# symmetric FILE: succeeds if every entry has its equal on the other side of the diagonal
symmetric() { awk 'NR > 2 {a[$1 " " $2] = $3} END {for (k in a) {split(k, c, " "); if (a[c[2] " " c[1]] != a[k]) exit 1}}' "$1"; }
spd() { run 1 "${small[@]}" -nc 1 -wells 3 -export sym -ksp_type cg -pc_type jacobi && symmetric sym.mtx; }
check reservoir_nc1_symmetric_cg spd
nonsymmetric() { run 1 "${small[@]}" -nc 2 -export non && ! symmetric non.mtx; }
check reservoir_nc2_nonsymmetric nonsymmetric

# Well cells couple beyond the seven diagonals (9 x 7 = 63 cells a layer)
off_diagonals() { awk 'NR > 2 {d = $2 - $1; if (d < 0) d = -d; if (d != 0 && d != 1 && d != 9 && d != 63) n++} END {print n + 0}' "$1"; }
wells_couple() { run 1 -grid 9,7,5 -nc 1 -wells 1 -steps 1 -export well && run 1 -grid 9,7,5 -nc 1 -wells 0 -steps 1 -export dry && [ "$(off_diagonals well.mtx)" = 12 ] && [ "$(off_diagonals dry.mtx)" = 0 ]; }
check reservoir_wells_couple wells_couple

# The Jacobian is right if Newton's method converges fast: with exact solves a step ends after few updates
newton() {
  run 1 "${small[@]}" -nc 4 -newton 9 -ksp_rtol 1e-10 -pc_type lu -mat_type aij >newton.log || { cat newton.log; return 1; }
  cat newton.log
  ! grep -E 'update [78]:' newton.log
}
if [ $precision = single ]; then skip reservoir_newton "single precision"; else check reservoir_newton newton; fi

# Keyword files: good.prop has all three properties in the forms that the reader knows
cat >good.prop <<'EOF'
-- a comment / with a slash
SPECGRID
  4 3 2 1 F /
NOECHO
PERMX   -- millidarcy
  5*100 1.5D2 200.0 0
  12*1e2 2*50. 80 90/ the rest of this line is a comment
PORO
24*0.25 /
ACTNUM
23*1
0
/
EOF
awk '/^PERMX/ {print; for (k = 0; k < 5; k++) print 100; print 150, 200, 0; for (k = 0; k < 12; k++) printf "100 "; print "50 50 80 90 /"; skip = 2; next} skip-- > 0 {next} {print}' good.prop >plain.prop
deck() { run "$1" -perm "$2" -poro "$2" -actnum "$2" -nc 2 -steps 1 "${@:3}"; }
keywords() {
  deck 1 good.prop -solution_file a >deck.log && cat deck.log && grep -q ' 4 x 3 x 2 cells, 22 of 24 active' deck.log && deck 2 plain.prop -grid 4,3,2 -solution_file b && "$app" -compare a,b -compare_tol 1e-4
}
check reservoir_keyword_files keywords

# -number active: holes.prop has isolated cells, holes, and an upper half with few active cells, so equal ranges of cells hold unequal numbers of active ones
awk 'BEGIN {
  print "DIMENS\n9 7 5 /\nPERMX"; for (m = 0; m < 315; m++) print 20 + (m * 37) % 400; print "/\nPORO\n315*0.2 /\nACTNUM"
  for (m = 0; m < 315; m++) {j = m % 9; h = int(m / 9) % 7; i = int(m / 63); print (i < 2 ? (m % 29 == 3) : (j + h >= 4 && (7 * j + 5 * h + 3 * i) % 11 != 0))}
  print "/"}' >holes.prop
awk '/ACTNUM/ {p = 1; next} /\// {p = 0} p' holes.prop >holes.active
holes=(-perm holes.prop -poro holes.prop -actnum holes.prop -steps 2 -ksp_rtol 1e-6) # tighter than the default in single precision
# numbered PROCESSES NC OPTIONS...: the answer on holes.prop is that of one process with aij and all cells numbered
numbered() {
  local n=$1 nc=$2
  shift 2
  [ -f "holes.$nc" ] || run 1 "${holes[@]}" -nc "$nc" -mat_type aij -solution_file "holes.$nc" || return 1
  run "$n" "${holes[@]}" -nc "$nc" -solution_file other "$@" && "$app" -compare "holes.$nc,other"
}
types=(aij)
if [ -r "${HEPTANE_LIB:-}" ]; then types=(aij bdiagh sellp); else skip reservoir_number_sellp "HEPTANE_LIB is not set"; fi
for number in all active; do
  for type in "${types[@]}"; do
    load=(-mat_type "$type")
    [ "$type" = aij ] || load+=(-dll_append "$HEPTANE_LIB")
    for nc in 1 3; do
      for n in 1 2; do check "reservoir_number_${number}_${type}_nc${nc}_n$n" numbered $n $nc -number $number "${load[@]}"; done
    done
    [ $number = active ] || continue
    check "reservoir_number_active_${type}_setvalues_nc3_n3" numbered 3 3 -number active "${load[@]}" -assembly setvalues
    if [ "$type" != aij ]; then check "reservoir_number_active_${type}_fusedbcgs_nc3_n2" numbered 2 3 -number active "${load[@]}" -ksp_type fusedbcgs; fi
  done
done

# The matrix of the active cells is that of all cells without the rows of the inactive ones, which have the identity alone; no number of processes changes it
active_matrix() {
  local system=("${holes[@]}" -steps 1 -nc 3) rows
  run 1 "${system[@]}" -export whole && run 1 "${system[@]}" -export part -number active || return 1
  awk -v nc=3 'NR == FNR {number[FNR - 1] = $1 ? active++ : -1; next}
    /^%/ {print; next} !k++ {next}
    {i = number[int(($1 - 1) / nc)]; j = number[int(($2 - 1) / nc)]}
    i >= 0 && j >= 0 {print i * nc + ($1 - 1) % nc + 1, j * nc + ($2 - 1) % nc + 1, $3; next}
    int(($1 - 1) / nc) != int(($2 - 1) / nc) || $3 != ($1 == $2) {print "row", $1, "of an inactive cell has", $3, "in column", $2}' holes.active whole.mtx >reduced
  rows=$((3 * $(grep -c 1 holes.active)))
  [ "$(awk 'NR == 2 {print $1, $2, $3}' part.mtx)" = "$rows $rows $(($(wc -l <reduced) - 1))" ] && sed 2d part.mtx | cmp - reduced || return 1
  run 1 "${system[@]}" -wells 0 -export one -number active && run 3 "${system[@]}" -wells 0 -export three -number active -assembly setvalues && cmp one.mtx three.mtx && cmp one.petsc three.petsc
}
check reservoir_number_active_matrix active_matrix

# Without inactive cells both numberings are the same to the last bit
nothing_inactive() {
  local n
  for n in 1 3; do
    run $n -grid 6,5,4 -nc 2 -steps 1 -export every -solution_file every && run $n -grid 6,5,4 -nc 2 -steps 1 -number active -export these -solution_file these &&
      cmp every.mtx these.mtx && cmp every.petsc these.petsc && cmp every these || return 1
  done
}
check reservoir_number_nothing_inactive nothing_inactive

# Every process gets its share of the active cells, wherever they lie: here in the first of five layers
printf 'DIMENS\n4 4 5 /\nPERMX\n80*100 /\nPORO\n80*0.2 /\nACTNUM\n15*1 65*0 /\n' >layer.prop
balanced() {
  run 4 -perm layer.prop -poro layer.prop -actnum layer.prop -nc 2 -steps 1 -newton 1 -number active -ksp_view_rhs ascii:rhs || return 1
  cat rhs
  [ "$(awk '/^Process/ {printf "%s%s", k, " "; k = 0; next} $1 == $1 + 0 {k++} END {print k}' rhs)" = ' 8 8 8 6' ]
}
check reservoir_number_active_balanced balanced

# Cells without any active neighbour, coupled by the well alone or by nothing; more processes than active cells
printf 'DIMENS\n3 3 3 /\nPERMX\n27*100 /\nPORO\n27*0.2 /\nACTNUM\n%s /\n' "$(awk 'BEGIN {for (m = 0; m < 27; m++) print 1 - m % 2}')" >isolated.prop
printf 'DIMENS\n3 3 3 /\nPERMX\n27*100 /\nPORO\n27*0.2 /\nACTNUM\n13*0 1 12*0 1 /\n' >two.prop
lonely() {
  local field=(-perm "$1" -poro "$1" -actnum "$1" -nc 2 -steps 2 -wells 1) n
  shift
  run 1 "${field[@]}" -mat_type aij -solution_file lonely.all || return 1
  for n in 1 2 4; do run $n "${field[@]}" -number active -solution_file lonely.active "$@" && "$app" -compare lonely.all,lonely.active || return 1; done
}
for type in "${types[@]}"; do
  load=(-mat_type "$type")
  [ "$type" = aij ] || load+=(-dll_append "$HEPTANE_LIB" -ksp_type fusedbcgs)
  for field in isolated two; do check "reservoir_number_active_${field}_$type" lonely $field.prop "${load[@]}"; done
done

# refuse PATTERN OPTIONS...: succeeds if the run fails with a message that has PATTERN; refuse_on N PATTERN OPTIONS... on N processes
refuse() { refuse_on 1 "$@"; }
refuse_on() {
  local n=$1 pattern=$2
  shift 2
  if run "$n" "$@" >refuse.log 2>&1; then cat refuse.log; return 1; fi
  cat refuse.log
  tr -s ' \n' ' ' <refuse.log | grep -qE "$pattern"
}
bad() { # NAME PATTERN SED-EXPRESSION: the good file with one thing changed
  sed "$3" good.prop >"bad_$1.prop"
  if cmp -s good.prop "bad_$1.prop"; then echo "not ok reservoir_refuses_$1: the case changes nothing"; failed=1; return; fi
  check "reservoir_refuses_$1" refuse "bad_$1\\.prop:$2" -perm "bad_$1.prop" -poro "bad_$1.prop" -actnum "bad_$1.prop" -nc 2
}
bad negative_permeability '6: PERMX has the value -200.*positive' 's/200\.0/-200.0/'
bad nan '6: .*finite.*replace' 's/200\.0/nan/'
bad infinite '6: .*finite' 's/200\.0/1e999/'
bad porosity '9: PORO has the value 24\*1.25.*fraction' 's/0\.25/1.25/'
bad actnum '12: ACTNUM has the value 2.*active' 's/^0$/2/'
bad fractional_actnum '12: ACTNUM has the value 0\.5' 's/^0$/0.5/'
bad too_few '7: PERMX ends after 23 values.*24: correct -grid' 's/ 80 / /'
bad too_many '7: PERMX has more values.*24: correct' 's/ 80 / 80 80 /'
bad too_many_repeats '9: PORO has more values' 's/24\*0/99999999999*0/'
bad unknown_keyword "8: unknown keyword 'POROS'.*remove" 's/^PORO$/POROS/'
bad twice '10: PORO stands in the file twice' 's/^ACTNUM$/PORO/'
bad no_number "6: '2OO.O' is not a number: correct" 's/200\.0/2OO.O/'
bad missing_slash "8: 'PORO' stands where a number belongs.*missing" 's:/ the rest.*::'
bad early_slash '6: PERMX ends after 8 values' 's:200\.0 0:200.0 0 /:'
bad no_end '13: the values of ACTNUM have no end: close' '$d'
bad bad_repeat "6: '-5\\*100' is not a repeat: write" 's/5\*100/-5*100/'
bad zero_repeat "6: '0\\*100' is not a repeat" 's/5\*100/0*100/'
bad default_repeat "6: '5\\*' has no value.*write" 's/5\*100/5*/'
bad double_repeat "6: '5\\*2\\*100' is not a number" 's/5\*100/5*2*100/'
bad long_value "6: '200\\.0+\\.\\.\\.' has 74 characters.*missing blank" "s/200\\.0/200.$(printf '0%.0s' {1..70})/"
bad long_keyword "5: 'PERMX0+\\.\\.\\.' has 65 characters" "s/^PERMX/PERMX$(printf '0%.0s' {1..60})/"
bad dimensions "3: '2\\.5' is not a number of cells" 's/4 3 2 1/4 3 2.5 1/'
bad dimensions_large "3: '1e30' is not a number of cells" 's/4 3 2 1/4 3 1e30 1/'
bad missing_keyword '14: the file ends without the keyword ACTNUM: add' 's/^ACTNUM$/NTG/'
sed '/^PORO/,$d' good.prop | sed 's:/ the rest.*::' >cut.prop
check reservoir_refuses_cut_file refuse 'cut.prop:8: the file ends inside the values of PERMX: close' -perm cut.prop -poro good.prop
check reservoir_refuses_cut_file_n3 refuse_on 3 'cut.prop:8: the file ends inside the values of PERMX: close' -perm cut.prop -poro good.prop
printf 'ACTNUM\n24*0 /\n' >none.prop
check reservoir_refuses_sizes_that_disagree refuse_on 2 'good.prop:2: the file is for 4 x 3 x 2 cells, the grid has 4 x 4 x 2: correct -grid' -grid 4,4,2 -perm good.prop -poro good.prop
check reservoir_refuses_missing_file refuse_on 2 'nothing.prop: cannot be opened.*correct the path' -grid 4,3,2 -perm nothing.prop -poro good.prop
check reservoir_refuses_folder_as_file refuse 'not a readable file|reading .* failed' -grid 4,3,2 -perm . -poro good.prop
check reservoir_refuses_missing_norne refuse 'nowhere/PERM_0704.prop: cannot be opened' -norne nowhere
sed '/^SPECGRID/,/F/d' good.prop >no_sizes.prop
check reservoir_refuses_unknown_sizes refuse 'names no sizes: .*-grid' -perm no_sizes.prop -poro no_sizes.prop
head -c 100 /dev/zero >binary.prop
check reservoir_refuses_binary_file refuse 'binary.prop:1: a binary file: give' -grid 4,3,2 -perm binary.prop -poro good.prop
check reservoir_refuses_perm_alone refuse 'needs -poro' -perm good.prop
check reservoir_refuses_poro_alone refuse 'give -perm' -poro good.prop
check reservoir_refuses_grid refuse 'sizes are at least 1' -grid 4,0,2
check reservoir_refuses_half_a_grid refuse 'needs three sizes.*got 2' -grid 4,4
check reservoir_refuses_a_fourth_size refuse 'needs three sizes.*got more' -grid 4,4,4,4
check reservoir_refuses_a_fourth_edge refuse 'needs three positive lengths.*got more' -cell_size 80,80,10,10
check reservoir_refuses_huge_grid refuse 'exceed PetscInt: choose a smaller -grid' -grid 2000000,2000000,2000000
check reservoir_refuses_unknowns refuse 'nc 17: .*give 1 to 16' -nc 17
check reservoir_refuses_no_unknowns refuse_on 2 'nc 0: .*give 1 to 16' -nc 0
# Outputs that cannot be written are refused before the simulation, not after it
unwritable() {
  local n
  for n in 1 2; do
    refuse_on $n "$1 .*nosuchfolder/x.*cannot be written.*name a file in a folder" "${small[@]}" -nc 1 "-$1" nosuchfolder/x && ! grep -q 'time steps of' refuse.log || return 1
  done
}
for output in solution_file residual_file slice_file export; do check "reservoir_refuses_unwritable_$output" unwritable $output; done
# an old file stays as it is when another option is refused, and no empty files are left
untouched() {
  echo old >old.solution
  refuse 'sizes are at least 1' -grid 4,0,2 -solution_file old.solution && [ "$(cat old.solution)" = old ] && refuse 'cannot be written' "${small[@]}" -nc 1 -solution_file new.solution -export nosuchfolder/x && [ ! -e new.solution ]
}
check reservoir_refuses_and_leaves_files untouched
check reservoir_refuses_wells refuse 'ask for fewer' -grid 2,2,2 -wells 5
check reservoir_refuses_number_n2 refuse_on 2 "number 'some': choose all .* or active" -number some
check reservoir_refuses_number_without_value refuse "number '': choose all .* or active" -number
check reservoir_refuses_no_active_cell refuse_on 2 'no active cell' -perm good.prop -poro good.prop -actnum none.prop -number active
check reservoir_refuses_slow_solve refuse 'linear solve ended with DIVERGED_ITS; try' "${small[@]}" -ksp_max_it 1
check reservoir_refuses_other_system refuse 'aij.1 has 315 unknowns, one has .*compare solutions of the same system' -compare aij.1,one
run 1 "${small[@]}" -nc 3 -dt 5 -solution_file shorter >/dev/null 2>&1
check reservoir_compare_finds_difference refuse 'differ by .*allowed' -compare aij.3,shorter

# The Norne field: 44915 active cells. A single Newton update shows the linear solve's own error, some thirty times its residual on this system, so both
# solves ask for 1e-6 of the residual in single precision too, where the default would leave a difference of 3e-3.
norne=${HEPTANE_DATA:-$root/../shared/data}/norne
if [ -r "$norne/PERM_0704.prop" ]; then
  first_update=(-norne "$norne" -steps 1 -newton 1 -ksp_rtol 1e-6)
  norne_aij() { run 1 "${first_update[@]}" -solution_file norne.aij >norne.log && cat norne.log && grep -q '46 x 112 x 22 cells, 44915 of 113344 active' norne.log; }
  check reservoir_norne_aij norne_aij
  if [ -r "${HEPTANE_LIB:-}" ]; then
    norne_bdiagh() { run 2 "${first_update[@]}" -solution_file norne.bdiagh "${bdiagh[@]}" && "$app" -compare norne.aij,norne.bdiagh -compare_tol 1e-4; }
    check reservoir_norne_bdiagh norne_bdiagh
    norne_sellp() {
      run 2 "${first_update[@]}" -number active -solution_file norne.sellp -dll_append "$HEPTANE_LIB" -mat_type sellp >norne.log && cat norne.log &&
        grep -q '3 unknowns an active cell: 134745 rows' norne.log && "$app" -compare norne.aij,norne.sellp -compare_tol 1e-4
    }
    check reservoir_norne_active_sellp norne_sellp
  fi
else
  skip reservoir_norne "the Norne field's files are not here (HEPTANE_DATA)"
fi

# The files of a run, and the plots
plot_files() {
  run 2 "${small[@]}" -nc 2 -slice_file slice.csv -slice_layer 1 -residual_file residuals.csv || return 1
  [ "$(grep -cv '^#' slice.csv)" = 7 ] && [ "$(awk -F, 'NR == 2 {print NF}' slice.csv)" = 9 ] && [ "$(head -n 1 residuals.csv)" = solve,step,update,iteration,residual ] && [ "$(wc -l <residuals.csv)" -gt 10 ]
}
check reservoir_plot_files plot_files
if [ -x "$root/tools/setup" ]; then # the folder that make demo installs them into
  for folder in "$("$root/tools/setup" --print-cache)"/python-*; do
    if [ -e "$folder/.complete" ]; then export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}; fi
  done
fi
export PYTHONDONTWRITEBYTECODE=1
if python3 -c 'import numpy, matplotlib' 2>/dev/null; then
  plot() { python3 "$here/plot.py" plots --slice slice.csv --costs aij=1,20,30 "bdiagh, fused=0.5,2,30" && [ "$(head -c 4 plots/permeability.png | tail -c 3)" = PNG ] && [ "$(head -c 4 plots/costs.png | tail -c 3)" = PNG ]; }
  check reservoir_plot plot
else
  skip reservoir_plot "python3 has no matplotlib (make demo installs it)"
fi
exit $failed

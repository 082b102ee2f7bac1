#!/usr/bin/env bash
# A Fortran program that knows nothing of heptane gets its matrix and solver types through PETSC_OPTIONS, and its own monitor is called.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
name='Fortran program'
if ! grep -q 'define PETSC_USE_FORTRAN_BINDINGS 1' "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h"; then skip "$name" 'this PETSc has no Fortran bindings'; finish; fi
compiled fortran
app=$bin/fortran
load="$gpu_options -dll_append $HEPTANE_LIB"
fused='-mat_type bdiagh -ksp_type fusedbcgs'

# every_iteration NAME: the last run called the program's monitor before the first iteration and after each
every_iteration() {
  if awk '/ iterations / {for (i = 1; i < NF; i++) v[$i] = $(i + 1); found = v["monitored"] == v["iterations"] + 1} END {exit !found}' <<<"$output"; then ok "$1"; else not_ok "$1" "$output"; fi
}

run env PETSC_OPTIONS="$gpu_options -ksp_type bcgs -pc_type pbjacobi" "$app"
expect "$name without the library" 0 '^type seqaij solver bcgs solved ranks 1 '

run env PETSC_OPTIONS="$gpu_options $fused" "$app"
expect "$name without the library: the types are unknown" fail 'Unknown (Mat )?type|Unknown type'

run env PETSC_OPTIONS="$load $fused -pc_type pbjacobi" "$app"
expect "$name, bdiagh and fusedbcgs by PETSC_OPTIONS" 0 '^type seqaijbdiagh solver fusedbcgs solved ranks 1 ' && every_iteration "$name: its monitor sees every iteration"

run "$app" -dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type fusedcg -ksp_norm_type unpreconditioned -pc_type none -heptane_shortcuts 0 -ksp_view -options_left
expect "$name, the command line" 0 'fused: mode' && expect_not "$name: no option is left" 'unused database option'

run env PETSC_OPTIONS="$load $fused -pc_type pbjacobi -malloc_dump" "$app"
expect "$name with -malloc_dump" 0 ' solved ' && expect_not "$name: all memory is given back" 'Memory allocated by|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'

run env PETSC_OPTIONS="$load $fused -pc_type pbjacobi" "$MPIEXEC" -n 2 "$app"
expect "$name on 2 ranks" 0 '^type mpiaijbdiagh solver fusedbcgs solved ranks 2 ' && every_iteration "$name on 2 ranks: its monitor sees every iteration"
finish

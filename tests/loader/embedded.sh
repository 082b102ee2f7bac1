#!/usr/bin/env bash
# As in petsc4py: libpetsc is opened with dlopen and RTLD_LOCAL by a Python process, the library comes by PETSC_OPTIONS.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
name='from Python, libpetsc opened RTLD_LOCAL'
if ! python3 -c 'import ctypes' 2>/dev/null; then skip "$name" 'no python3 with ctypes'; finish; fi
run env PETSC_OPTIONS="$gpu_options -dll_append $HEPTANE_LIB -mat_type bdiagh" python3 "$here/embedded.py" "$PETSC_DIR/$PETSC_ARCH"
expect "$name" 0 'type seqaijbdiagh sum 12'
run env PETSC_OPTIONS="$gpu_options -mat_type bdiagh" python3 "$here/embedded.py" "$PETSC_DIR/$PETSC_ARCH" "$HEPTANE_LIB"
expect "$name, HeptaneInitialize() by ctypes after PETSc" 0 'type seqaijbdiagh sum 12'

name='petsc4py'
# the one that was built for the PETSc under test: another PETSc's would refuse the library
ours='import os, petsc4py; petsc4py.init(); from petsc4py import PETSc; c = petsc4py.get_config(); exit(not os.path.samefile(c["PETSC_DIR"], os.environ["PETSC_DIR"]))'
if ! python3 -c "$ours" 2>/dev/null; then skip "$name" 'petsc4py is not installed for this PETSc'; finish; fi
program="$here/petsc4py_app.py"
run env PETSC_OPTIONS="$gpu_options -ksp_type bcgs -pc_type pbjacobi" python3 "$program"
expect "$name without the library" 0 '^type seqaij solver bcgs solved ranks 1 monitor saw every iteration'
load="$gpu_options -dll_append $HEPTANE_LIB -mat_type bdiagh -ksp_type fusedbcgs -pc_type pbjacobi"
run env PETSC_OPTIONS="$load" python3 "$program"
expect "$name, bdiagh and fusedbcgs by PETSC_OPTIONS" 0 '^type seqaijbdiagh solver fusedbcgs solved ranks 1 monitor saw every iteration'
run python3 "$program" $load -options_left
expect "$name, bdiagh and fusedbcgs on the command line" 0 '^type seqaijbdiagh solver fusedbcgs solved ranks 1' && expect_not "$name: no option is left" 'unused database option'
run env PETSC_OPTIONS="$gpu_options" python3 -c 'import ctypes, sys
from petsc4py import PETSc
ctypes.CDLL(sys.argv[1]).HeptaneInitialize()
A = PETSc.Mat().createAIJ([4, 4], nnz=1)
A.setDiagonal(A.createVecLeft())
print("type", A.convert("bdiagh").getType())' "$HEPTANE_LIB"
expect "$name, HeptaneInitialize() by ctypes after the import" 0 '^type seqaijbdiagh'
run env PETSC_OPTIONS="$load" "$MPIEXEC" -n 2 python3 "$program"
expect "$name on 2 ranks" 0 '^type mpiaijbdiagh solver fusedbcgs solved ranks 2 monitor saw every iteration'
finish

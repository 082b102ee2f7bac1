#!/usr/bin/env bash
# As in petsc4py: libpetsc is opened with dlopen and RTLD_LOCAL by a Python process, the library comes by PETSC_OPTIONS.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
name='from Python, libpetsc opened RTLD_LOCAL'
if ! python3 -c 'import ctypes' 2>/dev/null; then skip "$name" 'no python3 with ctypes'; finish; fi
run env PETSC_OPTIONS="$gpu_options -dll_append $HEPTANE_LIB -mat_type bdiagh" python3 "$here/embedded.py" "$PETSC_DIR/$PETSC_ARCH"
expect "$name" 0 'type seqaijbdiagh sum 12'

name='petsc4py'
if ! python3 -c 'import petsc4py; petsc4py.init(); from petsc4py import PETSc' 2>/dev/null; then skip "$name" 'petsc4py is not installed for this PETSc'; finish; fi
run env PETSC_OPTIONS="$gpu_options -dll_append $HEPTANE_LIB -mat_type bdiagh" python3 -c '
import petsc4py; petsc4py.init()
from petsc4py import PETSc
A = PETSc.Mat().create(); A.setSizes(4); A.setFromOptions(); A.setUp(); A.assemble(); print("type", A.getType())'
expect "$name" 0 'type seqaijbdiagh'
finish

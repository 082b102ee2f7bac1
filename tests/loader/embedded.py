"""Creates a matrix through libpetsc opened with RTLD_LOCAL, takes its type from the options, and multiplies.

usage: embedded.py FOLDER [LIBRARY]: the folder of PETSc's include/petscconf.h and lib/libpetsc.so; libheptane.so, to be initialized after PETSc
"""
import ctypes as c
import sys

root = sys.argv[1]
conf = open(root + '/include/petscconf.h').read()
petsc = c.CDLL(root + '/lib/libpetsc.so', mode=0)  # RTLD_LOCAL
Int = c.c_int64 if '#define PETSC_USE_64BIT_INDICES 1' in conf else c.c_int32
Scalar = c.c_float if '#define PETSC_USE_REAL_SINGLE 1' in conf else c.c_double
Comm = c.c_void_p if 'OPENMPI' in conf or 'OMPI' in conf else c.c_int


def call(name, *args):
    error = getattr(petsc, name)(*args)
    if error:
        sys.exit(f'{name} returned {error}')


call('PetscInitializeNoArguments')
if len(sys.argv) > 2 and c.CDLL(sys.argv[2]).HeptaneInitialize():
    sys.exit('HeptaneInitialize failed')
world = Comm.in_dll(petsc, 'PETSC_COMM_WORLD')
A, x, y = c.c_void_p(), c.c_void_p(), c.c_void_p()
n = Int(6)
call('MatCreate', world, c.byref(A))
call('MatSetSizes', A, n, n, n, n)
call('MatSetFromOptions', A)
call('MatSetUp', A)
for i in range(6):
    row = Int(i)
    call('MatSetValues', A, Int(1), c.byref(row), Int(1), c.byref(row), c.byref(Scalar(2)), c.c_int(1))  # INSERT_VALUES
call('MatAssemblyBegin', A, c.c_int(0))
call('MatAssemblyEnd', A, c.c_int(0))
call('MatCreateVecs', A, c.byref(x), c.byref(y))
call('VecSet', x, Scalar(1))
call('MatMult', A, x, y)
total, name = Scalar(), c.c_char_p()
call('VecSum', y, c.byref(total))
call('MatGetType', A, c.byref(name))
print('type', name.value.decode(), 'sum', round(total.value))
for v in (x, y):
    call('VecDestroy', c.byref(v))
call('MatDestroy', c.byref(A))
call('PetscFinalize')

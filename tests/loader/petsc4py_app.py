"""An ordinary petsc4py program: a one-dimensional Laplacian, 2 unknowns a cell, solved with a monitor of its own.

Types of matrix and solver come from the options.
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

cells = 20
A = PETSc.Mat().create()
A.setSizes([2 * cells, 2 * cells])
A.setBlockSize(2)
A.setFromOptions()
A.setUp()
first, last = A.getOwnershipRange()
for cell in range(first // 2, last // 2):
    for other in {max(cell - 1, 0), cell, min(cell + 1, cells - 1)}:
        block = [[4, -0.5], [-0.5, 4]] if other == cell else [[-1, 0.25], [0.25, -1]]
        A.setValuesBlocked([cell], [other], block)
A.assemble()
x, b = A.createVecs()
x.set(1)
A.mult(x, b)
x.set(0)

monitored = []
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setMonitor(lambda solver, it, norm: monitored.append(it))
ksp.setFromOptions()
ksp.solve(b, x)
error = (A * x - b).norm(PETSc.NormType.INFINITY)
seen = monitored == list(range(ksp.getIterationNumber() + 1))
PETSc.Sys.Print('type', A.getType(), 'solver', ksp.getType(), 'solved' if error < 1e-3 else 'NOT SOLVED', 'ranks', A.comm.size,
                'monitor saw every iteration' if seen else f'monitor saw {monitored}')

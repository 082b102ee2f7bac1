"""Poisson's equation on a structured grid: a DMDA makes matrices of type bdiagh, fusedcg with gridmg solves.

    python3 poisson.py [-n 40] [-ksp_view] [-log_view] ...
"""
import sys

import heptane
import petsc4py

heptane.load()
petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

options = PETSc.Options()
n = options.getInt("n", 40)
da = PETSc.DMDA().create([n, n, n], stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR)
da.setMatType(options.getString("mat_type", "bdiagh"))
A = da.createMat()
(x0, x1), (y0, y1), (z0, z1) = da.getRanges()
row, col = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
for k in range(z0, z1):
    for j in range(y0, y1):
        for i in range(x0, x1):
            row.index = (i, j, k)
            for d in ((0, 0, 0), (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)):
                at = (i + d[0], j + d[1], k + d[2])
                if all(0 <= c < n for c in at):
                    col.index = at
                    A.setValueStencil(row, col, 6.0 if d == (0, 0, 0) else -1.0)
A.assemble()

x, b = A.createVecs()
b.set(1.0 / (n + 1) ** 2)
ksp = PETSc.KSP().create(da.comm)
ksp.setOperators(A)
ksp.setType("fusedcg")
ksp.getPC().setType("gridmg")
ksp.setTolerances(rtol=1e-6)
ksp.setFromOptions()
ksp.solve(b, x)

error = (b - A * x).norm() / b.norm()
PETSc.Sys.Print(f"{A.getType()}, {ksp.getType()}, {ksp.getPC().getType()}: {n}^3 points, {ksp.getIterationNumber()} iterations, residual {error:.0e}, largest value {x.max()[1]:.4f}")
sys.exit(0 if ksp.getConvergedReason() > 0 and error < 1e-4 else 1)

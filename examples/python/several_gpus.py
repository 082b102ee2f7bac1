"""The same solve on several processes, a GPU each if there are as many: mpi4py's communicator, a grid divided by DMDA, fusedcg.

    mpiexec -n 2 python3 several_gpus.py [-n 32] [-heptane_comm peer|nccl|mpi] ...
"""
import sys

import heptane
import numpy
import petsc4py

heptane.load()
petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402
from mpi4py import MPI  # noqa: E402 - after PETSc, to use its MPI

comm = MPI.COMM_WORLD
n = PETSc.Options().getInt("n", 32)
da = PETSc.DMDA().create([n, n, n], stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR, comm=comm)
da.setMatType("bdiagh")
A = da.createMat()
# rows of the local cells in PETSc's numbering, which is that of the processes
(x0, x1), (y0, y1), (z0, z1) = da.getRanges()
first, last = A.getOwnershipRange()
mine = numpy.arange(first, last, dtype=PETSc.IntType)
k, j, i = numpy.meshgrid(numpy.arange(z0, z1), numpy.arange(y0, y1), numpy.arange(x0, x1), indexing="ij")
ao = da.getAO()
rows, cols, values = [mine], [mine], [numpy.full(len(mine), 6.01)]
for d in ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)):
    ii, jj, kk = i + d[0], j + d[1], k + d[2]
    inside = ((ii >= 0) & (ii < n) & (jj >= 0) & (jj < n) & (kk >= 0) & (kk < n)).ravel()
    natural = ((kk * n + jj) * n + ii).ravel()[inside].astype(PETSc.IntType)
    rows.append(mine[inside])
    cols.append(ao.app2petsc(natural))
    values.append(numpy.full(len(natural), -1.0))
A.setPreallocationCOO(numpy.concatenate(rows), numpy.concatenate(cols))
heptane.set_values_coo(A, numpy.concatenate(values).astype(PETSc.ScalarType))

x, b = A.createVecs()
x.set(1)
A.mult(x, b)
x.set(0)
ksp = PETSc.KSP().create(comm)
ksp.setOperators(A)
ksp.setType("fusedcg")
ksp.getPC().setType("jacobi")
ksp.setTolerances(rtol=1e-5)
ksp.setFromOptions()
start = MPI.Wtime()
ksp.solve(b, x)
seconds = comm.allreduce(MPI.Wtime() - start, op=MPI.MAX)
error = comm.allreduce(abs(x.getArray() - 1).max(initial=0), op=MPI.MAX)
cells = comm.gather(len(mine))
if comm.rank == 0:
    print(f"{A.getType()}, {ksp.getType()} on {comm.size} processes with {' '.join(map(str, cells))} cells: {ksp.getIterationNumber()} iterations, {seconds:.3f} s, largest error {error:.0e}")
sys.exit(0 if ksp.getConvergedReason() > 0 and error < 1e-2 else 1)

"""Newton's method whose Jacobian gets new values at every step, by coordinates: -lap u = exp(u) on a square.

Arrays are CuPy's if there is a GPU, else NumPy's.

    python3 newton.py [-n 60] [-arrays numpy|cupy|jax] ...

The pattern is given once. heptane.set_values_coo() reads new values from a GPU without a copy to the host.
"""
import importlib
import sys

import heptane
import numpy
import petsc4py

heptane.load()
petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

options = PETSc.Options()
n = options.getInt("n", 60)


def arrays():
    """The package whose arrays hold the values: one that finds a GPU, if PETSc has CUDA."""
    wanted = options.getString("arrays", "")
    if wanted:
        return importlib.import_module({"jax": "jax.numpy"}.get(wanted, wanted))
    if PETSc.Sys.hasExternalPackage("cuda"):
        try:
            cupy = importlib.import_module("cupy")
            if cupy.cuda.runtime.getDeviceCount():
                return cupy
        except Exception:  # CuPy is missing, or finds no GPU
            pass
    return numpy


xp = arrays()
h2 = 1.0 / (n + 1) ** 2
cell = numpy.arange(n * n, dtype=PETSc.IntType).reshape(n, n)
pairs = [(cell, cell)] + [(cell[s], cell[t]) for s, t in (((slice(1, None),), (slice(None, -1),)), ((slice(None, -1),), (slice(1, None),)),
                                                          ((slice(None), slice(1, None)), (slice(None), slice(None, -1))),
                                                          ((slice(None), slice(None, -1)), (slice(None), slice(1, None))))]
rows = numpy.concatenate([r.ravel() for r, _ in pairs])
cols = numpy.concatenate([c.ravel() for _, c in pairs])
A = PETSc.Mat().create(PETSc.COMM_SELF)
A.setSizes([n * n, n * n])
A.setType(options.getString("mat_type", "bdiagh"))
A.setPreallocationCOO(rows, cols)

neighbours = xp.full(len(rows) - n * n, -1.0, dtype=PETSc.ScalarType)
u = numpy.zeros(n * n, dtype=PETSc.ScalarType)
x, b = A.createVecs()
ksp = PETSc.KSP().create(PETSc.COMM_SELF)
ksp.setOperators(A)
ksp.setType("fusedcg")
ksp.getPC().setType("jacobi")
ksp.setTolerances(rtol=1e-5)
ksp.setFromOptions()
for step in range(20):
    values = xp.concatenate([4.0 - h2 * xp.exp(xp.asarray(u)), neighbours])  # the Jacobian at u
    heptane.set_values_coo(A, values)
    padded = numpy.pad(u.reshape(n, n), 1)
    laplacian = 4 * padded[1:-1, 1:-1] - padded[:-2, 1:-1] - padded[2:, 1:-1] - padded[1:-1, :-2] - padded[1:-1, 2:]
    residual = laplacian.ravel() - h2 * numpy.exp(u)
    norm = numpy.linalg.norm(residual)
    if step == 0:
        first = norm
    print(f"step {step}: residual {norm:.1e}" + (f", {ksp.getIterationNumber()} iterations" if step else ""))
    if norm < (1e-9 if PETSc.ScalarType is numpy.float64 else 1e-4) * first:
        break
    b.setArray(-residual)
    ksp.solve(b, x)
    u += x.getArray()
print(f"{A.getType()}, {ksp.getType()}, values in arrays of {xp.__name__}: largest value {u.max():.4f}")
sys.exit(0 if step < 19 else 1)

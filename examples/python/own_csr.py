"""A matrix of SciPy's, without copying it entry by entry: its compressed rows become a matrix of type sellp, fusedbcgs solves.

    python3 own_csr.py [-n 20000] [-mat_type sellp] ...
"""
import sys

import heptane
import numpy
import petsc4py
import scipy.sparse

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

heptane.load()  # after the import works too

options = PETSc.Options()
n = options.getInt("n", 20000)
# convection and diffusion on a line, and five random couplings per row
rng = numpy.random.default_rng(1)
couplings = scipy.sparse.random(n, n, 5.0 / n, rng=rng, data_rvs=lambda k: -rng.random(k))
S = scipy.sparse.diags([-1.2, 2.0, -0.8], [-1, 0, 1], shape=(n, n)) + couplings
S = (S + scipy.sparse.diags(0.1 - numpy.minimum(0, couplings.sum(axis=1).A1 if hasattr(couplings.sum(axis=1), "A1") else couplings.sum(axis=1)))).tocsr()

csr = (S.indptr.astype(PETSc.IntType), S.indices.astype(PETSc.IntType), S.data.astype(PETSc.ScalarType))
A = PETSc.Mat().createAIJ(S.shape, csr=csr, comm=PETSc.COMM_SELF)
A.convert(options.getString("mat_type", "sellp"))
x, b = A.createVecs()
b.setArray(S @ numpy.ones(n))
ksp = PETSc.KSP().create(PETSc.COMM_SELF)
ksp.setOperators(A)
ksp.setType("fusedbcgs")
ksp.getPC().setType("jacobi")
ksp.setTolerances(rtol=1e-5)
ksp.setFromOptions()
ksp.solve(b, x)

error = abs(x.getArray() - 1).max()
print(f"{A.getType()}, {ksp.getType()}: {n} rows, {S.nnz} nonzeros, {ksp.getIterationNumber()} iterations, largest error {error:.0e}")
sys.exit(0 if ksp.getConvergedReason() > 0 and error < 1e-2 else 1)

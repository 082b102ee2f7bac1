#!/usr/bin/env python3
"""problems.py MTX: writes aniso.petsc, random.petsc and bcsstk16.petsc in PETSc's binary format.
aniso: seven points, 128^3 cells, couplings 1 across and 1e4 along the third axis. random: 200 000 rows, each coupled with eight others within 500 rows by random weights, 1e-8 of the diagonal added: its
condition is above 1e8. bcsstk16: from the Matrix Market file."""
import sys
import numpy as np
import scipy.sparse as sp


def write(name, A):
    A = A.tocsr()
    A.sort_indices()
    with open(name + '.petsc', 'wb') as f:
        np.array([1211216, A.shape[0], A.shape[1], A.nnz], '>i4').tofile(f)
        np.diff(A.indptr).astype('>i4').tofile(f)
        A.indices.astype('>i4').tofile(f)
        A.data.astype('>f8').tofile(f)


def laplacian(rows, cols, weights, n):
    W = sp.coo_matrix((weights, (rows, cols)), shape=(n, n)).tocsr()
    W = W + W.T
    return sp.diags(np.asarray(W.sum(axis=1)).ravel()) - W


def aniso(edge=128, strong=1e4):
    cell = np.arange(edge**3).reshape(edge, edge, edge)
    r, c, w = [], [], []
    for axis, weight in ((2, 1.0), (1, 1.0), (0, strong)):
        low, high = np.take(cell, range(edge - 1), axis), np.take(cell, range(1, edge), axis)
        r.append(low.ravel()), c.append(high.ravel()), w.append(np.full(low.size, weight))
    A = laplacian(np.concatenate(r), np.concatenate(c), np.concatenate(w), edge**3)
    return A + sp.identity(edge**3) * 0.05


def random(n=200000, each=8, reach=500, seed=1):
    g = np.random.default_rng(seed)
    r = np.repeat(np.arange(n), each)
    c = r + g.integers(1, reach, r.size)
    keep = c < n
    A = laplacian(r[keep], c[keep], g.uniform(0.1, 1, keep.sum()), n)
    return A + sp.diags(1e-8 * A.diagonal())


def market(path):
    from scipy.io import mmread
    return mmread(path)


write('aniso', aniso())
write('random', random())
write('bcsstk16', market(sys.argv[1]))

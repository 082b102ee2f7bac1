"""heptane in Python: GPU sparse matrix formats and Krylov solvers for PETSc.

    import heptane
    heptane.load()                    # before or after the import of petsc4py.PETSc
    from petsc4py import PETSc
    A = PETSc.Mat().create()
    A.setType("bdiagh")               # a type like those of PETSc

`python -m heptane` prints which library, PETSc and GPU are used.
"""
from ._coo import set_values_coo
from ._files import HeptaneError, Petsc, library, petsc, version
from ._load import load, options

__version__ = version()
__all__ = ["HeptaneError", "Petsc", "__version__", "library", "load", "options", "petsc", "set_values_coo"]

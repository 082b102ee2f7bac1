"""The command line: python -m heptane [--check | options | solve ...]."""
from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from typing import Any, List

from . import HeptaneError, __version__, library, load, options, petsc
from ._solve import solve

USAGE = """usage: python -m heptane             the library, PETSc and GPU that are used
       python -m heptane --check     the same, and a solve with each matrix type, compared with aij
       python -m heptane --version
       python -m heptane options     the options that load heptane into any PETSc program
       python -m heptane solve FILE [--compare [TYPES]] [--processes N] [--block-size B] [--rhs ones|random|file] [--plot PICTURE] [PETSc options]
FILE is a Matrix Market file (.mtx, .mtx.gz), a matrix saved by SciPy (.npz) or a file in PETSc's binary format."""


def gpus() -> str:
    """The GPUs that the driver reports."""
    command = ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split("\n")
    except (OSError, subprocess.SubprocessError):
        return "none, the host code runs"
    described = ["{}, compute capability {}, driver {}".format(*line.split(", ")) for line in found if line.count(", ") == 2]
    return "; ".join(described) or "none, the host code runs"


def describe() -> None:
    used = petsc()
    print(f"heptane   {__version__}, {library()}")
    print(f"PETSc     {used or 'not known: it has moved since heptane was built'}")
    if importlib.util.find_spec("petsc4py"):
        import petsc4py

        print(f"petsc4py  {petsc4py.__version__}")
    else:
        print(f"petsc4py  not installed: PETSC_DIR={used.folder if used else '...'} pip install petsc4py")
    gpu = gpus()
    print(f"GPU       {gpu if used is None or used.cuda or gpu.startswith('none') else gpu + '; not used: this PETSc has no CUDA'}")


def check() -> None:
    """Solves the same linear system with each type."""
    load()
    if not importlib.util.find_spec("petsc4py"):
        raise HeptaneError("--check needs petsc4py: install it for the PETSc of heptane, python -m heptane prints how")
    # petsc4py's own annotations leave out what its operators give
    PETSc: Any = importlib.import_module("petsc4py.PETSc")
    # with a GPU PETSc ends here if its MPI cannot send from device memory, which one process has no use for
    database = PETSc.Options()
    told = database.hasName("use_gpu_aware_mpi")
    if not told:
        database.setValue("-use_gpu_aware_mpi", 0)
    n, kinds = 400, (("aij", "cg"), ("bdiagh", "fusedcg"), ("sellp", "fusedcg"))
    for mat_type, ksp_type in kinds:
        A = PETSc.Mat().createAIJ((n, n), nnz=3)
        for i in range(*A.getOwnershipRange()):
            A.setValues(i, [j for j in (i - 1, i, i + 1) if 0 <= j < n], [2.1 if j == i else -1 for j in (i - 1, i, i + 1) if 0 <= j < n])
        A.assemble()
        A.convert(mat_type)
        x, b = A.createVecs()
        b.set(1)
        ksp = PETSc.KSP().create()
        ksp.setOperators(A)
        ksp.setType(ksp_type)
        ksp.getPC().setType("jacobi")
        ksp.solve(b, x)
        residual = (b - A * x).norm() / b.norm()
        good = ksp.getConvergedReason() > 0 and residual < 1e-3
        print(f"{'ok    ' if good else 'FAILED'}    {A.getType():14s} {ksp_type:8s} {ksp.getIterationNumber():4d} iterations, relative residual {residual:.1e}")
        if not good:
            raise HeptaneError(f"{mat_type} with {ksp_type} ended with a relative residual of {residual:.1e}: report this with what python -m heptane prints")
    if not told:
        database.delValue("-use_gpu_aware_mpi")


def main(arguments: List[str]) -> int:
    try:
        if not arguments or arguments == ["--check"]:
            describe()
            if arguments:
                check()
        elif arguments == ["--version"]:
            print(__version__)
        elif arguments == ["options"]:
            print(options())
        elif arguments[0] == "solve":
            return solve(arguments[1:])
        else:
            print(USAGE, file=sys.stdout if arguments[0] in ("-h", "--help") else sys.stderr)
            return 0 if arguments[0] in ("-h", "--help") else 2
    except HeptaneError as e:
        print(f"heptane: {e}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

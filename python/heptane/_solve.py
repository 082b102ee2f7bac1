"""python -m heptane solve: brings a matrix into PETSc's format, runs the program solve_matrix, prints its table and draws it."""
from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Dict, List

from ._files import HeptaneError, petsc, program
from ._load import options

TYPES = "aij,bdiagh,sellp"


@dataclass
class Row:
    """A line of the table, and the residual norms of its second solve."""

    matrix: str
    iterations: int
    seconds: Dict[str, float]
    residuals: List[float] = field(default_factory=list)


def read_table(text: str) -> List[Row]:
    """The lines of solve_matrix's table; residual norms that -ksp_monitor printed before a line are those of its solves."""
    rows: List[Row] = []
    history: List[float] = []
    for line in text.splitlines():
        monitored = re.match(r"\s*(\d+) KSP (?:\w+ )*norm (\S+)", line)
        words = line.split()
        if monitored:
            if monitored.group(1) == "0":
                history = []
            history.append(float(monitored.group(2)))
        elif len(words) == 13 and words[4].startswith(("CONVERGED", "DIVERGED")):
            rows.append(Row(words[0], int(words[3]), dict(zip(("convert", "set-up", "first solve", "solve"), map(float, words[7:11]))), history))
            history = []
    return rows


def draw(rows: List[Row], title: str, file: str) -> None:
    """Residuals over iterations, and where the time went, as a picture."""
    try:
        import matplotlib
    except ImportError:
        raise HeptaneError("--plot needs matplotlib: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    for row in rows:
        left.semilogy([r if r > 0 else float("nan") for r in row.residuals], label=row.matrix)
    left.set(xlabel="iteration", ylabel="residual norm", title=title)
    left.legend()
    start = [0.0] * len(rows)
    for part in ("convert", "set-up", "first solve", "solve"):
        right.barh([row.matrix for row in rows], [row.seconds[part] for row in rows], left=start, label=part)
        start = [s + row.seconds[part] for s, row in zip(start, rows)]
    right.set(xlabel="seconds")
    right.legend()
    try:
        figure.savefig(file, bbox_inches="tight")
    except (OSError, ValueError) as e:
        raise HeptaneError(f"cannot write {file}: {e}") from None


def _converted(file: str, folder: str) -> str:
    """The file in PETSc's binary format."""
    if not os.path.isfile(file):
        raise HeptaneError(f"{file} does not exist: name a Matrix Market file, a matrix saved by SciPy (.npz) or a file in PETSc's binary format")
    if not file.lower().endswith((".mtx", ".mtx.gz", ".npz")):
        return file
    used = petsc()
    if used is None:
        raise HeptaneError("the PETSc that heptane was built for is not there any more: build heptane anew")
    target = os.path.join(folder, "matrix.petsc")
    environment = dict(os.environ, PETSC_DIR=str(used.folder), PETSC_ARCH=used.arch)
    done = subprocess.run([sys.executable, program("mtx2petsc"), file, target], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise HeptaneError((done.stderr.strip().splitlines() or ["mtx2petsc failed"])[-1])
    return target


def _launched(processes: int) -> List[str]:
    if processes == 1:
        return []
    used = petsc()
    launcher = os.environ.get("MPIEXEC") or (used.variable("MPIEXEC") if used else "") or "mpiexec"
    return shlex.split(launcher) + ["-n", str(processes)]


def _run(command: List[str], show: bool) -> "tuple[int, str]":
    """Runs solve_matrix; `show` prints its lines as they come."""
    text = []
    environment = dict(os.environ)
    # MPICH polls: more processes than cores slow each other down without this
    environment.setdefault("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")
    environment.setdefault("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "16")
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    except OSError as e:
        raise HeptaneError(f"cannot run {command[0]}: {e.strerror}; set MPIEXEC to the launcher of PETSc's MPI") from None
    assert process.stdout is not None
    for line in process.stdout:
        text.append(line)
        if show:
            print(line, end="", flush=True)
    return process.wait(), "".join(text)


def _arguments(words: List[str]) -> "tuple[argparse.Namespace, List[str]]":
    """Ours, which begin with two dashes, and behind them those of PETSc, which begin with one."""
    own = next((k for k, word in enumerate(words) if re.match(r"-[a-z]", word) and word != "-h"), len(words))
    parser = argparse.ArgumentParser(prog="python -m heptane solve", allow_abbrev=False, epilog="PETSc options follow, for example -ksp_type fusedcg -pc_type jacobi.")
    parser.add_argument("file", help="matrix: .mtx, .mtx.gz, .npz of SciPy, or PETSc's binary format")
    parser.add_argument("--compare", nargs="?", const=TYPES, metavar="TYPES", help=f"matrix types to solve with, one after another (without a list {TYPES})")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="run on N processes")
    parser.add_argument("--block-size", type=int, metavar="B", help="unknowns per cell")
    parser.add_argument("--rhs", choices=("ones", "random", "file"), default="ones", help="right-hand side: A 1, random numbers, or the vector behind the matrix in the file")
    parser.add_argument("--plot", metavar="PICTURE", help="draw residuals and times into this file")
    return parser.parse_args(words[:own]), words[own:]


def solve(words: List[str]) -> int:
    """The command; returns its exit status."""
    given, of_petsc = _arguments(words)
    if given.processes < 1:
        raise HeptaneError(f"--processes {given.processes} must be at least 1")
    with tempfile.TemporaryDirectory() as folder:
        # a path with a blank is one argument here, which PETSc must not take apart
        command = [program("solve_matrix"), "-dll_append", options().split(" ", 1)[1].strip('"'), "-f", _converted(given.file, folder), "-rhs", given.rhs]
        command += ["-use_gpu_aware_mpi", "0"] if "-use_gpu_aware_mpi" not in of_petsc else []
        command += ["-compare", given.compare] if given.compare else []
        command += ["-block_size", str(given.block_size)] if given.block_size else []
        command = _launched(given.processes) + command + of_petsc
        status, text = _run(command, show=True)
        if given.plot and read_table(text):
            _, text = _run(command + ["-ksp_monitor"], show=False)
            draw(read_table(text), os.path.basename(given.file), given.plot)
    return status

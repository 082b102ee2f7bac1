"""What the tests of the Python package share: programs in processes of their own, PETScs that are only described, and one line per test for tests/run."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MPIEXEC = os.environ.get("MPIEXEC") or "mpiexec"


def pytest_configure(config):
    for name in ("HEPTANE_LIB", "HEPTANE_BUILD", "PETSC_DIR"):
        if not os.environ.get(name):
            pytest.exit(f'{name} is not set: run the tests by make check-all, or after eval "$(make -s env)"', 1)


def pytest_runtest_logreport(report):
    name = "python " + report.nodeid.split("/")[-1]
    if report.failed:
        print(f"\nnot ok {name}", flush=True)
    elif report.skipped:
        print(f"\nok {name} # SKIP {report.longrepr[-1] if isinstance(report.longrepr, tuple) else 'not here'}", flush=True)
    elif report.when == "call":
        print(f"\nok {name}", flush=True)


def environment(**more):
    """The environment of a program: without options of the user; None removes a variable."""
    env = {k: v for k, v in os.environ.items() if k != "PETSC_OPTIONS"}
    env.setdefault("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")
    env.setdefault("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "16")
    env.update({k: v for k, v in more.items() if v is not None})
    return {k: v for k, v in env.items() if more.get(k, v) is not None}


@pytest.fixture
def run(tmp_path):
    """run(*command, **environment): the process that has ended, in a folder of its own."""

    def runs(*command, **more):
        return subprocess.run([str(c) for c in command], cwd=tmp_path, env=environment(**more), capture_output=True, text=True, timeout=600)

    return runs


@pytest.fixture
def python(run):
    """python(source, *arguments): the source as a program."""

    def runs(source, *arguments, **more):
        return run(sys.executable, "-c", textwrap.dedent(source), *arguments, **more)

    return runs


def describe_petsc(folder, release="3.26.1", conf=(), shared=True):
    """A folder that has the headers of a PETSc and nothing to run."""
    (folder / "include/petsc/private").mkdir(parents=True)
    (folder / "include/petsc/private/matimpl.h").touch()
    numbers = zip(("MAJOR", "MINOR", "SUBMINOR"), release.split("."))
    (folder / "include/petscversion.h").write_text("".join(f"#define PETSC_VERSION_{name}    {number}\n" for name, number in numbers))
    (folder / "include/petscconf.h").write_text("".join(f"#define PETSC_{name} 1\n" for name in ("HAVE_MPI",) + tuple(conf)))
    (folder / "lib").mkdir()
    if shared:
        (folder / "lib/libpetsc.so").touch()
    return folder


def one_line(text, *parts):
    """The text is one line that has these parts, in this order."""
    assert len(text.strip().splitlines()) == 1, text
    at = 0
    for part in parts:
        assert part in text[at:], f"{part!r} is not in {text[at:]!r}"
        at = text.index(part, at)

"""python -m heptane, and its solve command."""
import os
import sys

import pytest
from conftest import MPIEXEC, one_line

from heptane import _solve

scipy_sparse = pytest.importorskip("scipy.sparse")
numpy = pytest.importorskip("numpy")


@pytest.fixture
def heptane(run):
    return lambda *arguments, **more: run(sys.executable, "-m", "heptane", *arguments, **more)


@pytest.fixture
def matrix(tmp_path):
    """A Laplacian in the three kinds of file, by their endings."""
    import scipy.io

    n = 30
    A = scipy_sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
    scipy.io.mmwrite(tmp_path / "a.mtx", A)
    scipy_sparse.save_npz(tmp_path / "a.npz", A)
    return tmp_path / "a"


def test_describes(heptane):
    done = heptane()
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in lines] == ["heptane", "PETSc", "petsc4py", "GPU"]
    assert os.environ["PETSC_DIR"] in lines[1]


def test_check(heptane):
    done = heptane("--check")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1:3] for line in done.stdout.splitlines() if line.startswith("ok")] == [["seqaij", "cg"], ["seqaijbdiagh", "fusedcg"], ["seqaijsellp", "fusedcg"]]
    assert "unused" not in done.stderr + done.stdout


def test_words(heptane):
    assert heptane("--version").stdout.count(".") == 2
    assert heptane("options").stdout.startswith("-dll_append /")
    assert heptane("--help").stdout.startswith("usage:")
    wrong = heptane("slove")
    assert wrong.returncode == 2 and wrong.stderr.startswith("usage:")


@pytest.mark.parametrize("ending", [".mtx", ".npz"])
def test_solves_a_file(heptane, matrix, ending):
    done = heptane("solve", f"{matrix}{ending}", "--compare", "-ksp_type", "fusedcg", "-pc_type", "jacobi", "-ksp_rtol", "1e-6")
    rows = _solve.read_table(done.stdout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("30 rows, 88 nonzeros")
    assert [row.matrix for row in rows] == ["seqaij", "seqaijbdiagh", "seqaijsellp"]
    assert all(0 < row.iterations < 30 for row in rows)


def test_solves_petscs_own_format_on_two_processes(heptane, python, tmp_path):
    made = python("""
        import heptane; heptane.load()
        from petsc4py import PETSc
        A = PETSc.Mat().createAIJ((20, 20), nnz=1)
        d = A.createVecLeft(); d.set(3); A.setDiagonal(d)
        A.view(PETSc.Viewer().createBinary("a.petsc", "w"))""")
    assert made.returncode == 0, made.stderr
    done = heptane("solve", "a.petsc", "--compare", "aij,sellp", "--processes", "2", "--rhs", "random", "--block-size", "2", "-ksp_type", "fusedcg", "-pc_type", "jacobi", MPIEXEC=MPIEXEC)
    assert [row.matrix for row in _solve.read_table(done.stdout)] == ["mpiaij", "mpiaijsellp"], done.stderr


def test_draws(heptane, matrix, tmp_path):
    pytest.importorskip("matplotlib")
    done = heptane("solve", f"{matrix}.mtx", "--compare", "aij,sellp", "--plot", "picture.png", "-ksp_type", "fusedcg", "-pc_type", "none")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert "Residual" not in done.stdout


def test_reads_histories():
    text = """30 rows
  0 KSP Residual norm 9.0
  1 KSP Residual norm 1.0
  0 KSP Residual norm 8.0
  1 KSP Residual norm 0.5
seqaij  cg  none  1 CONVERGED_RTOL  1e-06  1e-05  0.1 0.2 0.3 0.4 0.4 0.0
"""
    row, = _solve.read_table(text)
    assert (row.residuals, row.iterations, row.seconds["solve"]) == ([8.0, 0.5], 1, 0.4)


@pytest.mark.parametrize("arguments, parts", [
    (("none.mtx",), ("none.mtx does not exist", "Matrix Market")),
    (("bad.mtx",), ("bad.mtx", "not a Matrix Market file")),
    (("bad.npz",), ("bad.npz", "")),
    (("a.mtx", "--processes", "0"), ("--processes 0 must be at least 1",)),
    (("a.mtx", "--plot", "/none/a.png"), ("/none/a.png",)),
])
def test_bad_input(heptane, matrix, tmp_path, arguments, parts):
    (tmp_path / "bad.mtx").write_text("hello\n")
    (tmp_path / "bad.npz").write_text("hello\n")
    done = heptane("solve", *arguments)
    assert done.returncode == 1
    one_line(done.stderr, "heptane: ", *parts)


def test_launcher_is_missing(heptane, matrix):
    done = heptane("solve", f"{matrix}.mtx", "--processes", "2", MPIEXEC="/none/mpiexec")
    one_line(done.stderr, "cannot run /none/mpiexec", "set MPIEXEC")

"""heptane.load(): before and after PETSc, again, with other libraries; another PETSc is refused in one line."""
import os
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT, describe_petsc, one_line

from heptane import _coo, _load

SOLVES = """
A = PETSc.Mat().createAIJ((6, 6), nnz=1)
d = A.createVecLeft()
d.set(2)
A.setDiagonal(d)
A.convert("bdiagh")
x, b = A.createVecs()
b.set(2)
ksp = PETSc.KSP().create()
ksp.setType("fusedcg")
ksp.setOperators(A)
ksp.solve(b, x)
print(A.getType(), ksp.getType(), abs(x.getArray() - 1).max() < 1e-5)
"""
GOOD = "seqaijbdiagh fusedcg True"


@pytest.mark.parametrize("source", [
    "import heptane; heptane.load()\nfrom petsc4py import PETSc",
    "import heptane; heptane.load(); heptane.load()\nfrom petsc4py import PETSc\nheptane.load()",
    "from petsc4py import PETSc\nimport heptane; heptane.load(); heptane.load()",
    "import heptane, sys, petsc4py; heptane.load(); petsc4py.init(['x', '-options_left']); from petsc4py import PETSc",
    "import heptane, os; os.environ['PETSC_OPTIONS'] = '-ksp_rtol 1e-7 -dll_append ' + heptane.library(); heptane.load(); from petsc4py import PETSc",
], ids=["before", "again", "after", "init", "own option"])
def test_types_are_there(python, source):
    done = python(source + SOLVES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(GOOD)
    assert "name:-dll" not in done.stdout + done.stderr


def test_options_load_it_into_another_program(python):
    done = python("import heptane; print(heptane.options('-mat_type bdiagh'))")
    loaded = python("import petsc4py; petsc4py.init(); from petsc4py import PETSc" + SOLVES, PETSC_OPTIONS=done.stdout.strip())
    assert done.stdout.strip().endswith(" -mat_type bdiagh")
    assert loaded.stdout.startswith(GOOD), loaded.stderr


def test_path_with_a_blank(python, tmp_path):
    folder = tmp_path / "a blank"
    folder.mkdir()
    os.symlink(os.environ["HEPTANE_LIB"], folder / "libheptane.so")
    (folder / "libheptane.so").unlink()
    os.link(os.path.realpath(os.environ["HEPTANE_LIB"]), folder / "libheptane.so")
    done = python("import heptane, sys; heptane.load(sys.argv[1]); from petsc4py import PETSc" + SOLVES, folder / "libheptane.so")
    assert done.stdout.startswith(GOOD), done.stderr


@pytest.mark.parametrize("given, merged", [
    ("", "-dll_append /h.so"),
    ("-ksp_monitor", "-ksp_monitor -dll_append /h.so"),
    ("-dll_append /o.so -ksp_view", "-dll_append /o.so,/h.so -ksp_view"),
    ('-dll_append "/a b.so"', '-dll_append "/a b.so,/h.so"'),
    ("-dll_append /o.so,/h.so", "-dll_append /o.so,/h.so"),
])
def test_libraries_of_others_stay(given, merged):
    assert _load._merged(given, "/h.so") == merged


def petsc4py_of(tmp_path, petsc):
    """A petsc4py that says it is that of this PETSc."""
    package = tmp_path / "packages/petsc4py"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"__version__ = '0'\ndef get_config():\n    return {{'PETSC_DIR': {str(petsc)!r}, 'PETSC_ARCH': ''}}\n")
    return f"{package.parent}{os.pathsep}{ROOT / 'python'}"


@pytest.mark.parametrize("release, conf, parts", [
    ("3.25.6", (), ("petsc4py uses PETSc 3.25.6", "heptane was built for PETSc", "build heptane for it with PETSC_DIR=")),
    ("3.26.1", ("USE_COMPLEX",), ("complex", "--with-scalar-type=real")),
    ("3.26.1", ("USE_REAL_SINGLE", "USE_64BIT_INDICES"), ("single, 64-bit indices", "build heptane for it")),
], ids=["release", "complex", "sizes"])
def test_petsc4py_of_another_petsc(python, tmp_path, release, conf, parts):
    path = petsc4py_of(tmp_path, describe_petsc(tmp_path / "petsc", release, conf))
    done = python("import heptane\ntry: heptane.load()\nexcept heptane.HeptaneError as e: print(e)", PYTHONPATH=path)
    one_line(done.stdout, *parts)


def test_debugging(monkeypatch):
    ours = _load.petsc()
    for mine, theirs in ((False, False), (False, True), (True, True), (True, False)):
        monkeypatch.setattr(_load, "petsc", lambda: replace(ours, debug=mine))
        monkeypatch.setattr(_load, "_installed_petsc4py", lambda: replace(ours, debug=theirs))
        if mine > theirs:
            with pytest.raises(_load.HeptaneError, match="heptane was built for PETSc.*debug.*: build heptane for it"):
                _load._check_petsc4py()
        else:
            _load._check_petsc4py()


def test_running_petsc_of_another_kind(python):
    other = Path(os.environ["HEPTANE_BUILD"]) / "tests/loader/bin/other_petsc.so"
    if not other.exists():
        pytest.skip("tests/loader has not compiled other_petsc.so")
    source = "from petsc4py import PETSc\nimport heptane\ntry: heptane.load()\nexcept heptane.HeptaneError as e: print(e)"
    # PETSc is preloaded too, for other_petsc.so to find its functions
    preload = f"{other} {os.environ['PETSC_DIR']}/{os.environ.get('PETSC_ARCH', '')}/lib/libpetsc.so"
    for what, part in (("int", "byte indices"), ("scalar", "byte scalars"), ("configuration", "--with-cuda"), ("version", "built for PETSc")):
        done = python(source, LD_PRELOAD=preload, OTHER_PETSC=what)
        one_line(done.stdout, part, "rebuild heptane")


def test_two_petscs_in_a_process(monkeypatch):
    monkeypatch.setattr(_load, "_petsc_libraries", lambda: ["/a/libpetsc.so.3.25", "/b/libpetsc.so.3.26"])
    with pytest.raises(_load.HeptaneError) as error:
        _load._running("/h.so")
    one_line(str(error.value), "two PETScs", "/a/libpetsc.so.3.25", "import only packages that were built for one PETSc")


def test_no_library(python):
    done = python("import heptane\ntry: heptane.load()\nexcept heptane.HeptaneError as e: print(e)", HEPTANE_LIB="/none/libheptane.so")
    one_line(done.stdout, "/none/libheptane.so does not exist", "install heptane with pip", "run make")
    done = python("import heptane\ntry: heptane.load('/none.so')\nexcept heptane.HeptaneError as e: print(e)")
    one_line(done.stdout, "/none.so does not exist")


COO = """
import heptane, numpy
heptane.load()
from petsc4py import PETSc
A = PETSc.Mat().create(PETSc.COMM_SELF)
A.setSizes([3, 3])
A.setType("bdiagh")
A.setPreallocationCOO([0, 1, 2, 2], [0, 1, 2, 2])
class Packed:
    def __init__(self, a): self.a = a
    def __dlpack__(self): return self.a.__dlpack__()
"""


@pytest.mark.parametrize("values", ["numpy.array([1, 2, 3, 4.0])", "[1, 2, 3, 4]", "Packed(numpy.array([1, 2, 3, 4], dtype=PETSc.ScalarType))"], ids=["numpy", "list", "dlpack"])
def test_values_by_coordinates(python, values):
    done = python(COO + f"heptane.set_values_coo(A, {values}); print(A.getDiagonal().getArray()); heptane.set_values_coo(A, {values}, add=True); print(A.getDiagonal().getArray())")
    assert done.stdout == "[1. 2. 7.]\n[ 2.  4. 14.]\n", done.stderr


@pytest.mark.parametrize("values, part", [
    ("Packed(numpy.arange(4, dtype=numpy.int32))", "not of type"),
    ("Packed(numpy.zeros((4, 2), dtype=PETSc.ScalarType)[:, 0])", "not contiguous"),
])
def test_values_of_another_kind(python, values, part):
    done = python(COO + f"try: heptane.set_values_coo(A, {values})\nexcept heptane.HeptaneError as e: print(e)")
    one_line(done.stdout, part)


def test_description_of_device_arrays():
    good = {"typestr": "<f8", "shape": (2, 3), "strides": None, "data": (64, False)}
    assert _coo._from_cuda(good, "f8") == 64
    assert _coo._from_cuda({**good, "strides": (24, 8)}, "f8") == 64
    for bad, part in (({"typestr": "<f4"}, "of type <f4"), ({"strides": (8, 16)}, "not contiguous")):
        with pytest.raises(_load.HeptaneError) as error:
            _coo._from_cuda({**good, **bad}, "f8")
        one_line(str(error.value), part)

"""pip: the wheel of a library that make has built, the source archive, and the errors without a PETSc to build for."""
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, describe_petsc, environment, one_line

pytest.importorskip("scikit_build_core")
BACKEND = ROOT / "packaging/python"
TREE = ("CMakeLists.txt", "pyproject.toml", "LICENSE", "README.md", "include", "packaging", "python", "src")


def pip(*arguments, cwd, **more):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment(PIP_NO_INPUT="1", **more), capture_output=True, text=True, timeout=600)


def version():
    return ".".join(re.findall(r"#define HEPTANE_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", (ROOT / "include/heptane.h").read_text()))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    done = pip("wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder, f"-Ccmake.define.HEPTANE_BUILT={os.environ['HEPTANE_BUILD']}",
               f"-Cbuild-dir={folder / 'build'}", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    path, = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder that the wheel is installed in."""
    folder = tmp_path_factory.mktemp("installed")
    done = pip("install", "--no-deps", "--target", folder, wheel, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_wheel(wheel):
    assert wheel.name.startswith(f"heptane-{version()}-py3-none-linux_")
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("lib/libheptane.so", "include/heptane.h", "bin/heptane-tune", "bin/solve_matrix", "bin/mtx2petsc", "lib/pkgconfig/heptane.pc", "py.typed"):
        assert "heptane/" + name in names


def test_installed_package(installed, run):
    path = os.pathsep.join([str(installed)] + [p for p in os.environ["PYTHONPATH"].split(os.pathsep) if Path(p).resolve() != ROOT / "python"])
    alone = dict(PYTHONPATH=path, HEPTANE_LIB=None, HEPTANE_BUILD=None, PETSC_DIR=None, PETSC_ARCH=None)
    done = run(sys.executable, "-m", "heptane", "--check", **alone)
    assert done.returncode == 0, done.stderr
    assert str(installed / "heptane/lib/libheptane.so") in done.stdout
    (installed / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 2\n")
    done = run(sys.executable, "-m", "heptane", "solve", installed / "a.mtx", "--compare", "aij,bdiagh", **alone)
    assert done.returncode == 0 and "seqaijbdiagh" in done.stdout, done.stderr


def test_source_archive(tmp_path):
    source = "import sys; sys.path.insert(0, sys.argv[1]); import heptane_build; print(heptane_build.build_sdist(sys.argv[2]))"
    done = subprocess.run([sys.executable, "-c", source, BACKEND, tmp_path], cwd=ROOT, env=environment(PETSC_DIR=None), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    archive, = tmp_path.glob("*.tar.gz")
    assert archive.name == f"heptane-{version()}.tar.gz"
    top = archive.name[: -len(".tar.gz")]
    names = {name[len(top) + 1:] for name in tarfile.open(archive).getnames()}
    listed = [line.split("#")[0].split() for line in (ROOT / "src/sources.list").read_text().splitlines()]
    for needed in [line[0] for line in listed if line] + ["CMakeLists.txt", "pyproject.toml", "packaging/heptane.pc.in", "tools/exports.map", "tools/setup"]:
        assert needed in names
    done = pip("install", archive, "--no-deps", "--no-build-isolation", "--target", tmp_path / "installed",
               f"-Ccmake.define.HEPTANE_BUILT={os.environ['HEPTANE_BUILD']}", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "installed/heptane/lib/libheptane.so").exists(), done.stderr


def refused(folder, *arguments, **more):
    """What the build backend says to this environment, without pip around it."""
    source = "import sys; sys.path.insert(0, sys.argv[1]); import heptane_build; heptane_build.get_requires_for_build_wheel(eval(sys.argv[2]))"
    done = subprocess.run([sys.executable, "-c", source, BACKEND, repr(arguments[0] if arguments else None)], cwd=folder, env=environment(**more), capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr


def test_no_petsc(tmp_path):
    one_line(refused(tmp_path, PETSC_DIR=None), "there is no PETSc", "set PETSC_DIR", "or install the package petsc")
    one_line(refused(tmp_path, PETSC_DIR="/none"), "PETSC_DIR=/none", "holds no include/petscversion.h", "set PETSC_DIR")


def test_pip_without_petsc(tmp_path):
    done = pip("wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", tmp_path, cwd=tmp_path, PETSC_DIR=None, PETSC_ARCH=None)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "heptane: there is no PETSc: set PETSC_DIR" in line]
    assert done.returncode and len(said) == 1 and "Traceback" not in done.stdout + done.stderr


def test_two_petscs(tmp_path):
    package = describe_petsc(tmp_path / "packages/petsc")
    path = f"{package.parent}{os.pathsep}{os.environ['PYTHONPATH']}"
    given = describe_petsc(tmp_path / "given")
    one_line(refused(tmp_path, PYTHONPATH=path, PETSC_DIR=str(given)), "two PETScs", f"PETSC_DIR={given}", str(package), "choose with -Ccmake.define.PETSC_DIR=")
    # the choice counts: this one is static
    static = describe_petsc(tmp_path / "static", shared=False)
    one_line(refused(tmp_path, {"cmake.define.PETSC_DIR": str(static)}, PYTHONPATH=path, PETSC_DIR=str(given)), f"PETSC_DIR={static}", "no shared libpetsc.so")


@pytest.mark.parametrize("release, conf, shared, parts", [
    ("3.26.1", ("USE_COMPLEX",), True, ("complex scalars", "--with-scalar-type=real")),
    ("3.26.1", ("HAVE_MPIUNI",), True, ("has no MPI", "--with-mpi=1")),
    ("3.26.1", (), False, ("no shared libpetsc.so", "--with-shared-libraries=1")),
    ("3.23.7", (), True, ("is PETSc 3.23", "is built with", "set PETSC_DIR")),
    ("3.27.0", (), True, ("is PETSc 3.27", "is built with", "set PETSC_DIR")),
])
def test_petsc_of_another_kind(tmp_path, release, conf, shared, parts):
    petsc = describe_petsc(tmp_path / "petsc", release, conf, shared)
    one_line(refused(tmp_path, PETSC_DIR=str(petsc), PETSC_ARCH=""), *parts)


def test_no_private_headers(tmp_path):
    petsc = describe_petsc(tmp_path / "petsc")
    (petsc / "include/petsc/private/matimpl.h").unlink()
    one_line(refused(tmp_path, PETSC_DIR=str(petsc)), "lacks the headers below include/petsc/private", "install those", "or set PETSC_DIR")


def test_old_cuda(tmp_path):
    petsc = describe_petsc(tmp_path / "petsc", conf=("HAVE_CUDA",))
    (petsc / "include/petscpkg_version.h").write_text("#define PETSC_PKG_CUDA_VERSION_MAJOR 12\n#define PETSC_PKG_CUDA_VERSION_MINOR 3\n")
    one_line(refused(tmp_path, PETSC_DIR=str(petsc), PETSC_ARCH=""), "configured with CUDA 12.3", "needs CUDA 12.4 or newer", "or without CUDA")


def test_no_compiler(tmp_path):
    petsc = describe_petsc(tmp_path / "petsc")
    (petsc / "lib/petsc/conf").mkdir(parents=True)
    (petsc / "lib/petsc/conf/petscvariables").write_text("CXX = /none/mpicxx\nCXX_FLAGS = -O\n")
    said = refused(tmp_path, PETSC_DIR=str(petsc), PETSC_ARCH="")
    one_line(said, "the compiler /none/mpicxx, which is not there", "put the folder of that MPI first in PATH")


def test_no_such_arch(tmp_path):
    petsc = describe_petsc(tmp_path / "petsc")
    one_line(refused(tmp_path, PETSC_DIR=str(petsc), PETSC_ARCH="arch"), "PETSC_ARCH=arch", "set PETSC_ARCH")


def test_built_library_of_another_petsc(tmp_path):
    cmake = ["cmake", "-S", ROOT, "-B", tmp_path / "b", f"-DPETSC_DIR={os.environ['PETSC_DIR']}", f"-DPETSC_ARCH={os.environ.get('PETSC_ARCH', '')}"]
    for name, part in (("empty", "has no lib/libheptane.so"), ("other", "was built for another PETSc")):
        for file in ("lib/libheptane.so", "bin/heptane-tune", "bin/heptane-advise"):
            if name == "other":
                (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name / file).touch()
        try:
            done = subprocess.run([*map(str, cmake), f"-DHEPTANE_BUILT={tmp_path / name}"], env=environment(), capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip("no cmake")
        assert done.returncode and part in " ".join(done.stderr.split())

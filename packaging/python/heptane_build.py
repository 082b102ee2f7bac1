"""The build backend of pip: finds the PETSc to build for, reports a fault of it in one line, and lets scikit-build-core and CMakeLists.txt do the rest.

PETSc is PETSC_DIR (and PETSC_ARCH), or the installed Python package petsc. With both, the choice is made by -Ccmake.define.PETSC_DIR=FOLDER.
"""
import os
import re
import shutil
import sys
import sysconfig

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAYS = ("set PETSC_DIR (and PETSC_ARCH) to a PETSc that is built (tools/setup of heptane's archive builds one and prints them), "
        "or install the package petsc into this environment first (pip install petsc)")


class NoPetsc(Exception):
    """A fault of PETSc, with its remedy."""


def _defined(config_settings, name):
    found = (config_settings or {}).get("cmake.define." + name)
    return found[-1] if isinstance(found, list) else found


def _package():
    """PETSC_DIR of the installed package petsc. Its folder is not in sys.path where pip isolates the build."""
    for folder in sys.path + [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]:
        if os.path.isfile(os.path.join(folder, "petsc", "include", "petscversion.h")):
            return os.path.join(folder, "petsc")
    return None


def find_petsc(config_settings=None):
    """(PETSC_DIR, PETSC_ARCH) to build for."""
    chosen, given, package = _defined(config_settings, "PETSC_DIR"), os.environ.get("PETSC_DIR"), _package()
    if chosen:
        return chosen, _defined(config_settings, "PETSC_ARCH") or ""
    if given and package and not (os.path.isdir(given) and os.path.samefile(given, package)):
        raise NoPetsc("there are two PETScs, PETSC_DIR=%s and the package petsc in %s: choose with -Ccmake.define.PETSC_DIR=FOLDER" % (given, package))
    if given:
        return given, os.environ.get("PETSC_ARCH", "")
    if package:
        return package, ""
    raise NoPetsc("there is no PETSc: " + WAYS)


def _text(*path):
    try:
        with open(os.path.join(*path)) as f:
            return f.read()
    except OSError:
        return ""


def releases():
    """The releases of PETSc that the sources compile with."""
    table = _text(ROOT, "src", "sys", "petsc_compat.hpp")
    return re.findall(r"#define HEPTANE_PETSC_RELEASES +(.*)", table)[0].split()


def check_petsc(folder, arch):
    """Raises NoPetsc unless this PETSc can be built for."""
    name = "PETSC_DIR=%s PETSC_ARCH=%s" % (folder, arch)
    numbers = dict(re.findall(r"#define PETSC_VERSION_(MAJOR|MINOR) +(\d+)", _text(folder, "include", "petscversion.h")))
    if len(numbers) != 2:
        raise NoPetsc("%s holds no include/petscversion.h: %s" % (name, WAYS))
    release = numbers["MAJOR"] + "." + numbers["MINOR"]
    if release not in releases():
        raise NoPetsc("%s is PETSc %s, and heptane is built with %s: set PETSC_DIR to one of them" % (name, release, ", ".join(releases())))
    if not os.path.exists(os.path.join(folder, "include", "petsc", "private", "matimpl.h")):
        raise NoPetsc("%s lacks the headers below include/petsc/private, which heptane needs: install those of this PETSc, or set PETSC_DIR to another" % name)
    conf = _text(folder, arch, "include", "petscconf.h")
    if not conf:
        raise NoPetsc("%s has no include/petscconf.h: set PETSC_ARCH to one of its configurations, or empty for a prefix installation" % name)
    if "#define PETSC_USE_COMPLEX 1" in conf:
        raise NoPetsc("%s has complex scalars: heptane needs a PETSc configured with --with-scalar-type=real" % name)
    if "#define PETSC_HAVE_MPIUNI 1" in conf:
        raise NoPetsc("%s has no MPI: heptane needs a PETSc configured with --with-mpi=1" % name)
    if not os.path.exists(os.path.join(folder, arch, "lib", "libpetsc.so")):
        raise NoPetsc("%s has no shared libpetsc.so: heptane is loaded at run time and needs a PETSc configured with --with-shared-libraries=1" % name)
    cuda = re.findall(r"#define PETSC_PKG_CUDA_VERSION_(?:MAJOR|MINOR) +(\d+)", _text(folder, arch, "include", "petscpkg_version.h"))
    if "#define PETSC_HAVE_CUDA 1" in conf and [int(n) for n in cuda] < [12, 4]:
        raise NoPetsc("%s was configured with CUDA %s: heptane needs CUDA 12.4 or newer: configure it with the nvcc of a newer one, "
                      "or without CUDA" % (name, ".".join(cuda)))
    for compiler in re.findall(r"^CXX = (\S+)", _text(folder, arch, "lib", "petsc", "conf", "petscvariables"), re.M):
        if not shutil.which(compiler):
            raise NoPetsc("%s was configured with the compiler %s, which is not there: put the folder of that MPI first in PATH, "
                          "or set PETSC_DIR to another" % (name, compiler))


def _prepare(config_settings):
    try:
        folder, arch = find_petsc(config_settings)
        check_petsc(folder, arch)
    except NoPetsc as e:
        sys.stdout.flush()
        sys.exit("heptane: " + str(e))
    os.environ["PETSC_DIR"], os.environ["PETSC_ARCH"] = folder, arch


def _backend():
    from scikit_build_core import build
    return build


def get_requires_for_build_wheel(config_settings=None):
    _prepare(config_settings)
    return _backend().get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _backend().prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _prepare(config_settings)
    return _backend().build_wheel(wheel_directory, config_settings, metadata_directory)


def get_requires_for_build_sdist(config_settings=None):
    return _backend().get_requires_for_build_sdist(config_settings)


def build_sdist(sdist_directory, config_settings=None):
    return _backend().build_sdist(sdist_directory, config_settings)

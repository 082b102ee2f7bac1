"""Where the library, its programs and its PETSc are: in an installed package beside this file, in a checkout where `make env` says."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent.parent


class HeptaneError(RuntimeError):
    """What is wrong and what to do, in one line."""


@dataclass(frozen=True)
class Petsc:
    """A build of PETSc, as its headers describe it."""

    folder: Path
    arch: str
    version: str
    scalar: str
    precision: str
    index_bits: int
    cuda: bool
    debug: bool

    @classmethod
    def read(cls, folder: str, arch: str = "") -> "Petsc":
        """The PETSc in PETSC_DIR=folder, PETSC_ARCH=arch."""
        root = Path(folder)
        try:
            numbers = (root / "include/petscversion.h").read_text()
            conf = (root / arch / "include/petscconf.h").read_text()
        except OSError as e:
            raise HeptaneError(f"{e.filename} cannot be read: set PETSC_DIR={folder} and PETSC_ARCH={arch} to a built PETSc") from None
        found = dict(re.findall(r"#define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR) +(\d+)", numbers))

        def defined(name: str) -> bool:
            return re.search(rf"#define PETSC_{name} 1\b", conf) is not None

        precision = next((p for p in ("single", "__float128", "__fp16") if defined("USE_REAL_" + p.upper())), "double")
        return cls(
            folder=root,
            arch=arch,
            version=".".join(found[k] for k in ("MAJOR", "MINOR", "SUBMINOR")),
            scalar="complex" if defined("USE_COMPLEX") else "real",
            precision=precision,
            index_bits=64 if defined("USE_64BIT_INDICES") else 32,
            cuda=defined("HAVE_CUDA"),
            debug=defined("USE_DEBUG"),
        )

    def __str__(self) -> str:
        kind = f"{self.scalar}, {self.precision}, {self.index_bits}-bit indices, {'CUDA' if self.cuda else 'no CUDA'}{', debug' if self.debug else ''}"
        return f"{self.version} in {self.folder / self.arch} ({kind})"

    def variable(self, name: str) -> str:
        """A variable of this PETSc's makefiles, for example MPIEXEC; empty if there is none."""
        try:
            text = (self.folder / self.arch / "lib/petsc/conf/petscvariables").read_text()
        except OSError:
            return ""
        found = re.search(rf"^{name} *= *(.*)$", text, re.M)
        return found.group(1).strip() if found else ""


def _header() -> Path:
    installed = PACKAGE / "include/heptane.h"
    return installed if installed.exists() else CHECKOUT / "include/heptane.h"


def version() -> str:
    """heptane's version, which include/heptane.h defines."""
    return ".".join(re.findall(r"#define HEPTANE_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", _header().read_text()))


def library() -> str:
    """The path of libheptane.so, for `-dll_append`."""
    installed = PACKAGE / "lib/libheptane.so"
    given = os.environ.get("HEPTANE_LIB", "")
    path = installed if installed.exists() else Path(given)
    if not path.is_file():
        where = f"HEPTANE_LIB={given} does not exist" if given else f"{installed} does not exist"
        raise HeptaneError(f'{where}: install heptane with pip, or in a checkout run make and eval "$(make -s env)"')
    return str(path.resolve())


def program(name: str) -> str:
    """The path of one of heptane's programs."""
    places = [PACKAGE / "bin" / name, CHECKOUT / "examples/solve_matrix" / name]
    if os.environ.get("HEPTANE_BUILD"):
        places[1:1] = [Path(os.environ["HEPTANE_BUILD"]) / folder / name for folder in ("examples", "bin")]
    for place in places:
        if place.is_file():
            return str(place)
    raise HeptaneError(f'{name} is missing in {places[0].parent}: install heptane with pip, or in a checkout run make examples and eval "$(make -s env)"')


def petsc() -> Optional[Petsc]:
    """The PETSc that heptane was built for; None if it is not known or not there any more."""
    record = PACKAGE / "lib/pkgconfig/heptane.pc"
    if record.exists():
        found = dict(re.findall(r"^petsc_(dir|arch)=(.*)$", record.read_text(), re.M))
        folder, arch = found.get("dir", ""), found.get("arch", "")
    else:
        folder, arch = os.environ.get("PETSC_DIR", ""), os.environ.get("PETSC_ARCH", "")
    try:
        return Petsc.read(folder, arch) if folder else None
    except HeptaneError:
        return None

"""Makes heptane's types available to the PETSc of this process, or of the next one."""
from __future__ import annotations

import ctypes
import mmap
import os
import re
from typing import Dict, List, Optional

from ._files import HeptaneError, Petsc, library, petsc

REBUILD = "pip install --force-reinstall --no-cache-dir --no-deps"


def _merged(given: str, path: str) -> str:
    """The options `given` with the library among those of -dll_append: of several -dll_append PETSc takes the last alone."""
    found = list(re.finditer(r'(?<!\S)-dll_append\s+("[^"]*"|\S+)', given))
    if not found:
        return (given + " " + _append(path)).strip()
    names = found[-1].group(1).strip('"').split(",")
    if path in names:
        return given
    return given[: found[-1].start()] + _append(",".join(names + [path])) + given[found[-1].end():]


def _append(names: str) -> str:
    return f'-dll_append "{names}"' if re.search(r"\s", names) else f"-dll_append {names}"


def options(*more: str) -> str:
    """Options that load heptane into any PETSc program, for PETSC_OPTIONS or the command line, followed by `more`."""
    return " ".join((_append(library()),) + more)


def _loaded(pattern: str) -> List[str]:
    """The files in this process whose names begin so; /proc/self/maps names each mapping in its sixth field."""
    with open("/proc/self/maps") as maps:
        names = [line.split(None, 5)[5].rstrip("\n") for line in maps if line.count("/")]
    return sorted({name for name in names if re.match(pattern, os.path.basename(name))})


def _petsc_libraries() -> List[str]:
    return _loaded(r"libpetsc(_real|_complex)?\.so")


def process_library(pattern: str) -> Optional[ctypes.CDLL]:
    """A library that this process has loaded, by the beginning of its name."""
    found = _loaded(pattern)
    return ctypes.CDLL(found[0]) if found else None


def _needed(path: str) -> str:
    """The name under which this library asks for PETSc, for example libpetsc.so.3.26."""
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = re.search(rb"\0(libpetsc[_a-z]*\.so[.\d]*)\0", data)
        return found.group(1).decode() if found else ""


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _installed_petsc4py() -> Optional[Petsc]:
    """The PETSc of the installed petsc4py, found without initializing it."""
    try:
        import petsc4py
    except ImportError:
        return None
    config: Dict[str, str] = petsc4py.get_config()
    # of several architectures petsc4py takes that of PETSC_ARCH, or else the first
    archs = config.get("PETSC_ARCH", "").split(os.pathsep)
    wanted = os.environ.get("PETSC_ARCH", "")
    try:
        return Petsc.read(config["PETSC_DIR"], wanted if wanted in archs else archs[0])
    except (KeyError, HeptaneError):
        return None


def _check_petsc4py() -> None:
    """The petsc4py at hand is that of a PETSc which heptane's library can run with."""
    theirs, ours = _installed_petsc4py(), petsc()
    if theirs is None:
        return
    if theirs.scalar == "complex":
        raise HeptaneError(f"petsc4py uses PETSc {theirs}: heptane needs real scalars: use a petsc4py of a PETSc configured with --with-scalar-type=real")
    if ours is None:
        return

    def kind(p: Petsc) -> tuple:
        return _release(p.version), p.scalar, p.precision, p.index_bits, p.cuda

    # a library for an optimised PETSc serves a debug one too
    if kind(theirs) != kind(ours) or ours.debug > theirs.debug:
        raise HeptaneError(
            f"petsc4py uses PETSc {theirs} and heptane was built for PETSc {ours}: build heptane for it with PETSC_DIR={theirs.folder} PETSC_ARCH={theirs.arch} {REBUILD} heptane"
        )


def _running(path: str) -> Optional[ctypes.CDLL]:
    """PETSc in this process, if it has been initialized."""
    loaded = _petsc_libraries()
    if not loaded:
        return None
    if len(loaded) > 1:
        raise HeptaneError(f"this process has two PETScs, {' and '.join(loaded)}: import only packages that were built for one PETSc")
    lib, flag = ctypes.CDLL(loaded[0]), ctypes.c_int(0)
    lib.PetscInitialized(ctypes.byref(flag))
    if not flag.value:
        return None
    needed = _needed(path)
    release = re.search(r"\.so\.(\d+\.\d+)", needed)
    numbers = [ctypes.c_int64(0) for _ in range(4)]
    lib.PetscGetVersionNumber(*map(ctypes.byref, numbers))
    # a PetscInt has 32 or 64 bits, and these are small
    running = ".".join(str(n.value & 0xFFFFFFFF) for n in numbers[:2])
    if release and release.group(1) != running:
        raise HeptaneError(f"this process runs PETSc {running} ({loaded[0]}) and heptane was built for {release.group(1)}: build heptane for it with {REBUILD} heptane")
    return lib


_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


def _initialize(lib: ctypes.CDLL, path: str) -> None:
    """HeptaneInitialize(); its error is raised, with the text that PETSc would print."""
    told: List[str] = []

    @_Handler
    def handler(comm, line, function, file, code, kind, text, context):  # type: ignore[no-untyped-def]
        if text:
            told.append(text.decode(errors="replace").strip())
        return code

    try:
        initialize = ctypes.CDLL(path).HeptaneInitialize
    except OSError as e:
        raise HeptaneError(f"{path} cannot be loaded ({e}): build heptane for this PETSc with {REBUILD} heptane") from None
    lib.PetscPushErrorHandler(handler, None)
    code = initialize()
    lib.PetscPopErrorHandler()
    if code:
        raise HeptaneError(told[0] if told else f"HeptaneInitialize() returned {code}")


def load(path: Optional[str] = None) -> str:
    """Makes the types of heptane available to petsc4py, now or when it is imported; returns the library's path.

    May be called before and after `from petsc4py import PETSc`, and again. Raises HeptaneError, with what to do, if the PETSc is another one than heptane's.
    """
    path = os.path.realpath(path) if path else library()
    if not os.path.isfile(path):
        raise HeptaneError(f"{path} does not exist: leave the path out to load heptane's own library")
    _check_petsc4py()
    lib = _running(path)
    if lib is None:
        os.environ["PETSC_OPTIONS"] = _merged(os.environ.get("PETSC_OPTIONS", ""), path)
    else:
        _initialize(lib, path)
    return path

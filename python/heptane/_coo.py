"""Values of a matrix from arrays of other packages, where they are."""
from __future__ import annotations

import ctypes
from typing import Any, Tuple

from ._files import HeptaneError
from ._load import process_library

_DEVICE = {1: False, 2: True, 3: False, 13: True}  # DLPack: host, CUDA, pinned host memory, managed CUDA memory
_KINDS = {"f4": (2, 32), "f8": (2, 64)}


class _Tensor(ctypes.Structure):
    """DLTensor of DLPack."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _from_cuda(interface: dict, kind: str) -> int:
    if interface["typestr"].lstrip("<=|") != kind:
        raise HeptaneError(f"the values are of type {interface['typestr']} and PETSc's scalars of type {kind}: convert them")
    size = int(kind[1])
    strides, expected = interface.get("strides"), size
    for extent, stride in zip(reversed(interface["shape"]), reversed(strides or ())):
        if extent > 1 and stride != expected:
            raise HeptaneError("the values are not contiguous in memory: copy them into an array that is")
        expected *= extent
    return interface["data"][0]


def _from_dlpack(capsule: Any, kind: str) -> Tuple[int, bool]:
    """Address, and whether it is on a device; valid as long as the capsule is."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = ctypes.cast(get(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    if (tensor.code, tensor.bits) != _KINDS[kind] or tensor.lanes != 1:
        raise HeptaneError(f"the values are not of type {kind} as PETSc's scalars are: convert them")
    expected = 1
    for k in reversed(range(tensor.ndim)):
        if tensor.strides and tensor.shape[k] > 1 and tensor.strides[k] != expected:
            raise HeptaneError("the values are not contiguous in memory: copy them into an array that is")
        expected *= tensor.shape[k]
    if tensor.device_type not in _DEVICE:
        raise HeptaneError(f"the values are on a device of DLPack's kind {tensor.device_type}: heptane takes those of the host and of CUDA")
    return (tensor.data or 0) + tensor.byte_offset, _DEVICE[tensor.device_type]


def _synchronize() -> None:
    """Waits for all work on the device: the array's package and PETSc use streams of their own."""
    cudart = process_library(r"libcudart\.so")
    if cudart is not None and cudart.cudaDeviceSynchronize():
        raise HeptaneError("cudaDeviceSynchronize() failed: an earlier kernel of this process has an error")


def set_values_coo(mat: Any, values: Any, add: bool = False) -> None:
    """MatSetValuesCOO() with values that stay where they are, on the host or on the GPU.

    `mat` is a petsc4py.PETSc.Mat that has had setPreallocationCOO(); `values` is a NumPy array, or one of CuPy, PyTorch, JAX or any other package whose arrays have
    __cuda_array_interface__ or __dlpack__(). It has as many entries as there are coordinates, contiguous, of the type of PETSc's scalars.
    """
    import numpy
    from petsc4py import PETSc

    mode = PETSc.InsertMode.ADD_VALUES if add else PETSc.InsertMode.INSERT_VALUES
    kind = numpy.dtype(PETSc.ScalarType).str.lstrip("<=|")
    if isinstance(values, numpy.ndarray) or not (hasattr(values, "__cuda_array_interface__") or hasattr(values, "__dlpack__")):
        mat.setValuesCOO(numpy.ascontiguousarray(values, dtype=PETSc.ScalarType).ravel(), addv=mode)
        return
    if hasattr(values, "__cuda_array_interface__"):
        pointer, device = _from_cuda(values.__cuda_array_interface__, kind), True
    else:
        capsule = values.__dlpack__()
        pointer, device = _from_dlpack(capsule, kind)
    lib = process_library(r"libpetsc(_real)?\.so")
    assert lib is not None
    if device:
        _synchronize()
    code = lib.MatSetValuesCOO(ctypes.c_void_p(mat.handle), ctypes.c_void_p(pointer), ctypes.c_int(int(mode)))
    if code:
        raise PETSc.Error(code)
    if device:
        _synchronize()

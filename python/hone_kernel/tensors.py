"""Tensors in files that the judge and this worker map."""

import ctypes
import mmap
import os

import torch

from .failures import WorkerError

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "i1": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
ALIGNMENT = 64  # as in torch: kernels may load whole vectors

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_FAILED = ctypes.c_void_p(-1).value
_MAP_FIXED = 0x10
_MAP_POPULATE = 0x8000


def type_text(tensor):
    """Returns the type as text, e.g. "512x1024xf32"."""
    if tensor.dtype not in NAMES:
        raise ValueError(f"tensors of {tensor.dtype} are not supported")
    return "x".join([str(size) for size in tensor.shape] + [NAMES[tensor.dtype]])


def parse_type(text):
    *sizes, element = text.split("x")
    return [int(size) for size in sizes], DTYPES[element]


def _map_file(path, writable):
    """Maps the whole file, shared, between two inaccessible pages.

    Without `writable` the mapping can never be made writable."""
    page = mmap.PAGESIZE
    descriptor = os.open(path, os.O_RDWR if writable else os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        room = (size + page - 1) // page * page
        base = _libc.mmap(None, room + 2 * page, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        address = base if base == _FAILED else base + page
        if size > 0 and address != _FAILED:
            access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
            address = _libc.mmap(
                address, size, access, mmap.MAP_SHARED | _MAP_FIXED | _MAP_POPULATE, descriptor, 0
            )
        if address == _FAILED:
            raise OSError(ctypes.get_errno(), f"cannot map {path}")
        return address, size
    finally:
        os.close(descriptor)


def _bytes_of(tensor):
    return tensor.reshape(-1).view(torch.uint8)


class SharedTensor:
    """A tensor of a `tensors` request. Inputs are read-only unless `writable`."""

    def __init__(self, description, mappings, writable):
        path = description["file"]
        self.name = description["name"]
        self.is_input = description["role"] == "input"
        self.writable = writable or not self.is_input
        if path not in mappings:
            mappings[path] = _map_file(path, self.writable)
        address, size = mappings[path]
        shape, dtype = parse_type(description["type"])
        offset = description.get("offset", 0)
        count = 1
        for extent in shape:
            count *= extent
        self.count = count
        self.item_bytes = dtype.itemsize
        if offset + count * self.item_bytes > size:
            raise ValueError(f"{path} is too small for {description['type']}")
        buffer = (ctypes.c_char * max(size - offset, 1)).from_address(address + offset)
        self.bytes = memoryview(buffer).cast("B")
        if count == 0:
            self.view = torch.empty(shape, dtype=dtype)
        else:
            self.view = torch.frombuffer(buffer, dtype=dtype, count=count).view(shape)
        self.aligned = (address + offset) % ALIGNMENT == 0
        self.copy = None

    def enter(self):
        """Returns the tensor for a kernel: the shared memory, or a copy if that is not aligned."""
        if self.aligned:
            return self.view
        self.copy = self.view.clone()
        return self.copy

    def leave(self):
        """Writes a copy back after a call; if that is impossible, it must not have changed."""
        copy, self.copy = self.copy, None
        if copy is None:
            return
        if self.writable:
            self.view.copy_(copy)
        elif not torch.equal(_bytes_of(copy), _bytes_of(self.view)):
            raise WorkerError("run", f"writes to its input {self.name}")

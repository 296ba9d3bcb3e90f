"""Tensors in files that the judge and this worker map."""

import ctypes
import mmap
import os

import torch

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


def type_text(tensor):
    """Returns the type as text, e.g. "512x1024xf32"."""
    if tensor.dtype not in NAMES:
        raise ValueError(f"tensors of {tensor.dtype} are not supported")
    return "x".join([str(size) for size in tensor.shape] + [NAMES[tensor.dtype]])


def parse_type(text):
    *sizes, element = text.split("x")
    return [int(size) for size in sizes], DTYPES[element]


def _map_file(path):
    """Maps the whole file, writable and shared, between two inaccessible pages."""
    page = mmap.PAGESIZE
    descriptor = os.open(path, os.O_RDWR)
    try:
        size = os.fstat(descriptor).st_size
        room = (size + page - 1) // page * page
        base = _libc.mmap(None, room + 2 * page, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        address = base if base == _FAILED else base + page
        if size > 0 and address != _FAILED:
            access = mmap.PROT_READ | mmap.PROT_WRITE
            address = _libc.mmap(
                address, size, access, mmap.MAP_SHARED | _MAP_FIXED, descriptor, 0
            )
        if address == _FAILED:
            raise OSError(ctypes.get_errno(), f"cannot map {path}")
        return address, size
    finally:
        os.close(descriptor)


class SharedTensor:
    """A tensor of a `tensors` request."""

    def __init__(self, description, mappings):
        path = description["file"]
        if path not in mappings:
            mappings[path] = _map_file(path)
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
        """Writes a copy back after a call."""
        if self.copy is not None:
            self.view.copy_(self.copy)
            self.copy = None


class Random:
    """SplitMix64, as in src/base/random.h."""

    MASK = (1 << 64) - 1

    def __init__(self, seed):
        self.state = seed & self.MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & self.MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return (self.next() * bound) >> 64


class Stirrer:
    """Changes one element of every input between the calls of a `time` request."""

    def __init__(self, inputs, stir, calls):
        random = Random(stir)
        self.inputs = [tensor for tensor in dict.fromkeys(inputs) if tensor.count > 0]
        self.places = [
            [(random.below(tensor.count), random.below(tensor.count)) for tensor in self.inputs]
            for _ in range(calls - 1)
        ]
        self.changed = []
        self.turn = 0

    def before_call(self):
        for data, begin, end, old in self.changed:
            data[begin:end] = old
        self.changed.clear()
        if self.turn < len(self.places):
            for tensor, (to, source) in zip(self.inputs, self.places[self.turn]):
                size, data = tensor.item_bytes, tensor.bytes
                begin, end = to * size, (to + 1) * size
                self.changed.append((data, begin, end, bytes(data[begin:end])))
                data[begin:end] = data[source * size : (source + 1) * size]
        self.turn += 1

"""Runs GPU programs on the CPU to verify their results: the same tiles, computed by plain loops.

Patches the language module that a kernel imports: shared memory and register buffers become local
buffers, T.Parallel and T.Pipelined become serial loops, reductions and scans become loops. Copies,
T.gemm, T.fill and atomics are TileLang's CPU versions."""

import sys

import tilelang.language as T
from tilelang.language.kernel import kernel_launch_factory, launch_kernel

_MODULES = ("tilelang.language", "tilelang.language.common", "tilelang.cuda.language")


def _local(shape, dtype, scope=None):
    # TileLang 0.1.15 cannot lower local bf16 buffers for the CPU; f32 represents all their values.
    return T.alloc_local(shape, "float32" if str(dtype) == "bfloat16" else dtype)


@kernel_launch_factory
def _kernel(*blocks, prelude=None, **_):
    return launch_kernel(blocks, prelude=prelude)


def _parallel(*extents, **_):
    return T.grid(*extents)


def _pipelined(start, stop=None, **_):
    return T.serial(start) if stop is None else T.serial(start, stop)


def _nothing(*_, **__):
    return None


def _size(shape):
    total = 1
    for extent in shape:
        total = total * extent
    return total


def _coordinates(index, shape):
    """Returns the coordinates of a flat index in a shape."""
    place = []
    for extent in reversed(shape):
        place.insert(0, index % extent)
        index = index // extent
    return tuple(place)


_COMBINE = {
    "sum": lambda a, b: a + b,
    "abssum": lambda a, b: a + T.abs(b),
    "max": lambda a, b: T.max(a, b),
    "min": lambda a, b: T.min(a, b),
    "absmax": lambda a, b: T.max(a, T.abs(b)),
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
}


def _neutral(kind, dtype):
    if kind == "max":
        return T.min_value(dtype)
    if kind == "min":
        return T.max_value(dtype)
    return T.cast(-1 if kind == "bitand" else 0, dtype)


@T.macro
def _reduce_loops(source, out, kind, dim, clear, rest):
    for flat in T.serial(_size(rest)):
        place = _coordinates(flat, rest)
        into = place if len(out.shape) == len(rest) else place[:dim] + (0,) + place[dim:]
        if clear:
            out[into] = _neutral(kind, out.dtype)
        for step in T.serial(source.shape[dim]):
            out[into] = _COMBINE[kind](
                out[into], T.cast(source[place[:dim] + (step,) + place[dim:]], out.dtype)
            )


def _reduce(buffer, out, reduce_type, dim, clear=True, *_, **__):
    dim = dim % len(buffer.shape)
    rest = list(buffer.shape[:dim]) + list(buffer.shape[dim + 1 :])
    _reduce_loops(buffer, out, reduce_type, dim, clear, rest)


def _reducer(kind):
    def reduce(buffer, out, dim=-1, clear=True, *_, **__):
        return _reduce(buffer, out, kind, dim, clear)

    return reduce


@T.macro
def _scan_loops(source, into, dim, reverse, rest):
    for flat in T.serial(_size(rest)):
        place = _coordinates(flat, rest)
        for step in T.serial(source.shape[dim]):
            at = source.shape[dim] - 1 - step if reverse else step
            before = at + 1 if reverse else at - 1
            if step == 0:
                into[place[:dim] + (at,) + place[dim:]] = source[place[:dim] + (at,) + place[dim:]]
            else:
                into[place[:dim] + (at,) + place[dim:]] = (
                    into[place[:dim] + (before,) + place[dim:]]
                    + source[place[:dim] + (at,) + place[dim:]]
                )


def _cumsum(src, dst=None, dim=0, reverse=False):
    dim = dim % len(src.shape)
    rest = list(src.shape[:dim]) + list(src.shape[dim + 1 :])
    _scan_loops(src, src if dst is None else dst, dim, reverse, rest)


def replacements():
    """Returns the replacements by name."""
    names = {
        "Kernel": _kernel,
        "alloc_shared": _local,
        "alloc_fragment": _local,
        "Parallel": _parallel,
        "Pipelined": _pipelined,
        "reduce": _reduce,
        "cumsum": _cumsum,
    }
    for kind in _COMBINE:
        names["reduce_" + kind] = _reducer(kind)
    for ignored in ("use_swizzle", "annotate_layout", "sync_threads", "annotate_l2_hit_ratio"):
        names[ignored] = _nothing
    return names


def install():
    """Patches the language for all modules that import it from now on."""
    for name, value in replacements().items():
        for module in _MODULES:
            if hasattr(sys.modules.get(module), name):
                setattr(sys.modules[module], name, value)

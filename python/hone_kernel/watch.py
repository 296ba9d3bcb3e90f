"""Watches a kernel during verification for torch operators that compute and stray writes."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .failures import WorkerError
from .tensors import ALIGNMENT, NAMES

# Operators that create, reshape or copy tensors. All others compute.
_ALLOWED = set(
    """empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like new_zeros zero_
    ones ones_like full full_like new_full new_ones fill_ fill scalar_tensor lift_fresh
    lift_fresh_copy view _unsafe_view view_as reshape _reshape_alias as_strided slice select
    unsqueeze squeeze expand t transpose permute alias detach unbind split split_with_sizes chunk
    narrow movedim contiguous clone copy_ _to_copy to set_ resize_ is_pinned pin_memory
    unsafe_split diagonal unfold set_data""".split()
)
_NEW = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")
_GUARD = 4 * ALIGNMENT
_CANARY = 0xA5


class Watch(TorchDispatchMode):
    """Guards new tensors and fills them with `marks`, the judge's unwritten bytes per type."""

    def __init__(self, marks):
        super().__init__()
        self.marks = marks
        self.guarded = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if function.namespace != "aten" or name not in _ALLOWED:
            raise WorkerError(
                "refused", f"lets torch do the work ({function.namespace}::{name})"
            )
        result = function(*args, **(kwargs or {}))
        return self._guard(result) if name in _NEW else result

    def _guard(self, made):
        """Returns an equal tensor between guard bytes."""
        if made.device.type != "cpu" or not made.is_contiguous() or made.dtype not in NAMES:
            return made
        size = made.numel() * made.element_size()
        memory = torch.empty(size + 2 * _GUARD, dtype=torch.uint8).fill_(_CANARY)
        inner = memory[_GUARD : _GUARD + size].view(made.dtype).view(made.shape)
        if made.dtype in self.marks and size > 0:
            inner.view(-1).view(torch.uint8).view(-1, made.element_size())[:] = self.marks[made.dtype]
        self.guarded.append((memory, size))
        return inner

    def check(self):
        for memory, size in self.guarded:
            for guard in (memory[:_GUARD], memory[_GUARD + size :]):
                if not bool((guard == _CANARY).all()):
                    raise WorkerError("run", "writes outside of a tensor that it created")


def marks_of(outputs):
    """Returns the judge's mark for each type: the first element of an unwritten output."""
    marks = {}
    for output in outputs:
        if output.count > 0:
            first = bytes(output.bytes[: output.item_bytes])
            marks[output.view.dtype] = torch.tensor(list(first), dtype=torch.uint8)
    return marks

"""Watches a kernel while it is verified: torch must not do its work, and it must keep to its memory."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .failures import WorkerError
from .tensors import ALIGNMENT, NAMES

# Making tensors, looking at them in another shape, copying them: all else computes.
_HONEST = set(
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
    """`marks` are the bytes with which memory of each type begins, so that the judge sees what was
    not written."""

    def __init__(self, marks):
        super().__init__()
        self.marks = marks
        self.guarded = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if function.namespace != "aten" or name not in _HONEST:
            raise WorkerError(
                "refused", f"it lets torch do the work ({function.namespace}::{name})"
            )
        result = function(*args, **(kwargs or {}))
        return self._guard(result) if name in _NEW else result

    def _guard(self, made):
        """The same tensor between guards."""
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
                    raise WorkerError("run", "it writes outside of a tensor that it made")


def marks_of(outputs):
    """How the judge marked each output, by type: the bytes of its first element."""
    marks = {}
    for output in outputs:
        if output.count > 0:
            first = bytes(output.bytes[: output.item_bytes])
            marks[output.view.dtype] = torch.tensor(list(first), dtype=torch.uint8)
    return marks

"""Finds the shapes, types, FLOPs and memory of a reference without running its computation."""

import weakref

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from .failures import WorkerError
from .models import Reference, flat_outputs, input_names
from .tensors import type_text


class _Memory(TorchDispatchMode):
    """Measures the peak number of live bytes, on fake tensors without data."""

    def __init__(self):
        super().__init__()
        self.alive = {}
        self.now = 0
        self.peak = 0

    def _freed(self, key):
        self.now -= self.alive.pop(key, 0)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                key = storage._cdata
                if key not in self.alive:
                    self.alive[key] = storage.nbytes()
                    self.now += storage.nbytes()
                    weakref.finalize(storage, self._freed, key)
        self.peak = max(self.peak, self.now)
        return result


def _describe(names, tensors):
    return [{"name": name, "type": type_text(tensor)} for name, tensor in zip(names, tensors)]


def _outline(reference):
    """Runs the reference once. Returns its description and its peak number of live bytes."""
    memory = _Memory()
    with memory:
        model = reference.build_model(0)
        inputs = reference.inputs()
        counter = FlopCounterMode(display=False)
        with counter:
            outputs = flat_outputs(reference.run(model, inputs))
    state = model.state_dict()
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    many = len(outputs) > 1
    answer = {
        "inputs": _describe(input_names(model, inputs), tensors),
        "parameters": _describe(state, state.values()),
        "outputs": _describe(
            [f"output{index}" if many else "output" for index in range(len(outputs))], outputs
        ),
        "flops": counter.get_total_flops(),
    }
    return answer, memory.peak


def warm_up():
    """Makes torch import what fake tensors need, which takes a second or two."""
    with FakeTensorMode(), FlopCounterMode(display=False):
        torch.zeros(2, 2) @ torch.zeros(2, 2)


def task_of(path, limit, constants=()):
    """Returns the reply to `task`; fails if the reference exceeds the memory limit."""
    reference = Reference(path, constants)
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            answer, most = _outline(reference)
    except WorkerError as failure:
        if isinstance(failure.__cause__, (MemoryError, SyntaxError)):
            raise
        # Some operators need real values; the memory limit of the process still holds.
        answer, most = _outline(reference)
    wide = 2 * most  # the reference runs in f64
    answer["memory"] = wide
    if limit and wide > limit:
        raise WorkerError(
            "run",
            f"needs {wide / 2**30:.1f} GiB in f64; the limit is {limit / 2**30:.1f} GiB",
        )
    return answer

"""KernelBench references (Model, get_inputs, get_init_inputs) and kernels (ModelNew)."""

import importlib.util
import inspect
import sys

import torch

from .failures import WorkerError, failure_of


def import_file(path, name, kind):
    """Imports a Python file as a module with this name."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # including exit(), which must not end the worker
        raise failure_of(error, path, kind) from error
    return module


class Reference:
    """An imported reference file, optionally with other values of its constants."""

    def __init__(self, path, constants=()):
        self.path = path
        self.module = import_file(path, "hone_reference", "build")
        for name in ("Model", "get_inputs"):
            if not hasattr(self.module, name):
                raise WorkerError("build", f"reference has no {name}")
        for name, value in constants:
            if type(getattr(self.module, name, None)) is not int:
                raise WorkerError(
                    "build", f"'other' names {name}, which is not an integer constant"
                )
            setattr(self.module, name, value)

    def _call(self, function, *arguments):
        try:
            return function(*arguments)
        except BaseException as error:
            raise failure_of(error, self.path, "run") from error

    def build(self, model, seed):
        """Builds Model, or a kernel's ModelNew, with the reference's init inputs."""
        torch.manual_seed(seed)
        get_init_inputs = getattr(self.module, "get_init_inputs", list)
        arguments = self._call(get_init_inputs)
        torch.manual_seed(seed)
        return model(*arguments)

    def build_model(self, seed):
        return self._call(self.build, self.module.Model, seed)

    def inputs(self):
        return list(self._call(self.module.get_inputs))

    def run(self, model, arguments):
        with torch.no_grad():
            return self._call(model, *arguments)


def input_names(model, inputs):
    """Returns the parameter names of forward, one per tensor among the inputs."""
    names = list(inspect.signature(model.forward).parameters)
    names += [f"input{index}" for index in range(len(names), len(inputs))]
    return [name for name, value in zip(names, inputs) if isinstance(value, torch.Tensor)]


def flat_outputs(result):
    """Returns the result of forward as a list of tensors."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in flat_outputs(part)]
    raise WorkerError("shape", f"forward returned {type(result).__name__}, not tensors")


def plain_outputs(result, device):
    """Like flat_outputs, but for kernels, which could hide work in their own classes.

    Accepts only plain containers of materialized plain tensors."""
    kind = type(result)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        if result.layout is not torch.strided or result.device.type != device:
            raise WorkerError("shape", f"forward returned a tensor that is not on the {device}")
        return [result]
    if kind is dict:
        result = list(result.values())
    elif kind is not list and kind is not tuple:
        raise WorkerError("shape", f"forward returned {kind.__name__}, not tensors")
    return [tensor for part in result for tensor in plain_outputs(part, device)]


def sizes_of(others):
    """Returns the constants of each shape of a `load`, by the sizes in calls."""
    cases = {(): ()}
    for constants in others:
        cases[tuple(value for _, value in constants)] = constants
    return cases


class Bound:
    """A model whose inputs and parameters are passed with every call."""

    def __init__(self, model, inputs, parameters):
        self.model = model
        self.template = inputs  # result of get_inputs; its tensors are placeholders
        self.given = [value.dtype for value in inputs if isinstance(value, torch.Tensor)]
        self.targets = list(model.state_dict(keep_vars=True).items())
        self.parameters = set(dict(model.named_parameters(remove_duplicate=False)))
        self._match(parameters)

    def _match(self, wanted):
        """Orders the model's tensors like the reference's: by name, otherwise by position."""
        own = dict(self.targets)
        if set(own) >= {name for name, _ in wanted}:
            self.targets = [(name, own[name]) for name, _ in wanted]
        if len(self.targets) != len(wanted):
            raise WorkerError(
                "build",
                f"ModelNew has {len(self.targets)} parameters and buffers, "
                f"Model has {len(wanted)}; they must match",
            )
        for (name, tensor), (wanted_name, like) in zip(self.targets, wanted):
            if tensor.shape != like.shape:
                raise WorkerError(
                    "build",
                    f"shape mismatch: ModelNew's {name} is {list(tensor.shape)}, "
                    f"Model's {wanted_name} is {list(like.shape)}",
                )

    def bind(self, tensors):
        """Returns the arguments of forward and puts the parameters into the model."""
        count = len(self.given)
        arguments = iter(map(restore_integers, tensors[:count], self.given))
        for (name, target), value in zip(self.targets, tensors[count:], strict=True):
            if name in self.parameters:
                target.data = value
            else:
                target.copy_(value)  # a model may update its buffers, but not those of the judge
        return [
            next(arguments) if isinstance(part, torch.Tensor) else part for part in self.template
        ]


class ModelRun:
    """Calls the models in `models`, one per set of sizes, on `device`. Derived classes set both.

    The sizes () are those of the task."""

    def bound(self, tensors, sizes=()):
        """Returns a function that calls the model on these tensors; it may be called repeatedly."""
        bound = self.models.get(sizes, self.models[()])
        arguments = bound.bind([tensor.to(self.device) for tensor in tensors])
        model, no_grad = bound.model, torch.no_grad()

        def call():
            with no_grad:
                return model(*arguments)

        return call

    def finish(self):
        if self.device == "cuda":
            torch.cuda.synchronize()


def restore_integers(tensor, dtype):
    """Converts integers back, which a double precision reference receives as doubles."""
    return tensor if dtype.is_floating_point else tensor.to(dtype)

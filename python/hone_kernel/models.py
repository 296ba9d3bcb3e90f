"""References in the form of KernelBench (Model, get_inputs, get_init_inputs) and kernels (ModelNew)."""

import importlib.util
import inspect
import sys

import torch

from .failures import WorkerError, failure_of


def import_file(path, name, kind):
    """Runs a Python file as a module of that name."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # also exit(), which is no reason to end the worker
        raise failure_of(error, path, kind) from error
    return module


class Reference:
    """The reference file, imported; with other values of its constants where some are given."""

    def __init__(self, path, constants=()):
        self.path = path
        self.module = import_file(path, "hone_reference", "build")
        for name in ("Model", "get_inputs"):
            if not hasattr(self.module, name):
                raise WorkerError("build", f"a reference has {name}; this one has none")
        for name, value in constants:
            if type(getattr(self.module, name, None)) is not int:
                raise WorkerError("build", f"'other' names {name}, which is no whole number here")
            setattr(self.module, name, value)

    def _call(self, function, *arguments):
        try:
            return function(*arguments)
        except BaseException as error:
            raise failure_of(error, self.path, "run") from error

    def build(self, model, seed):
        """The model, or a kernel's ModelNew, made as the reference wants it."""
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
    """The names of forward's parameters, one for each tensor among the inputs."""
    names = list(inspect.signature(model.forward).parameters)
    names += [f"input{index}" for index in range(len(names), len(inputs))]
    return [name for name, value in zip(names, inputs) if isinstance(value, torch.Tensor)]


def flat_outputs(result):
    """What forward returned as a list of tensors."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in flat_outputs(part)]
    raise WorkerError("shape", f"forward returned {type(result).__name__}, not tensors")


def plain_outputs(result, device):
    """The same of a kernel, which could hide work in a class of its own: plain containers with
    plain tensors that are there."""
    kind = type(result)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        if result.layout is not torch.strided or result.device.type != device:
            raise WorkerError("shape", f"forward returned a tensor that does not lie on the {device}")
        return [result]
    if kind is dict:
        result = list(result.values())
    elif kind is not list and kind is not tuple:
        raise WorkerError("shape", f"forward returned {kind.__name__}, not tensors")
    return [tensor for part in result for tensor in plain_outputs(part, device)]


def sizes_of(others):
    """The constants of each shape of a `load`, by the sizes that calls name: first its own."""
    cases = {(): ()}
    for constants in others:
        cases[tuple(value for _, value in constants)] = constants
    return cases


class Bound:
    """A model whose inputs and parameters are handed over with every call."""

    def __init__(self, model, inputs, parameters):
        self.model = model
        self.template = inputs  # what get_inputs returned; its tensors are holes
        self.given = [value.dtype for value in inputs if isinstance(value, torch.Tensor)]
        self.targets = list(model.state_dict(keep_vars=True).items())
        self.parameters = set(dict(model.named_parameters(remove_duplicate=False)))
        self._match(parameters)

    def _match(self, wanted):
        """The model's tensors in the order of the reference's: by name, else by shape in order."""
        own = dict(self.targets)
        if set(own) >= {name for name, _ in wanted}:
            self.targets = [(name, own[name]) for name, _ in wanted]
        if len(self.targets) != len(wanted):
            raise WorkerError(
                "build",
                f"ModelNew has {len(self.targets)} parameters and buffers, Model {len(wanted)}: "
                "it must have the same",
            )
        for (name, tensor), (wanted_name, like) in zip(self.targets, wanted):
            if tensor.shape != like.shape:
                raise WorkerError(
                    "build",
                    f"ModelNew's {name} has the shape {list(tensor.shape)}, "
                    f"Model's {wanted_name} {list(like.shape)}",
                )

    def bind(self, tensors):
        """The arguments of forward; the parameters are put into the model."""
        count = len(self.given)
        arguments = iter(map(whole_as, tensors[:count], self.given))
        for (name, target), value in zip(self.targets, tensors[count:], strict=True):
            if name in self.parameters:
                target.data = value
            else:
                target.copy_(value)  # a model may update its buffers: not those of the judge
        return [
            next(arguments) if isinstance(part, torch.Tensor) else part for part in self.template
        ]


class ModelRun:
    """Calls the models of `models`, each made for other sizes, on `device`; who derives sets both.

    The sizes () are the task's own."""

    def bound(self, tensors, sizes=()):
        """A call of the model on these tensors, as often as one likes."""
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


def whole_as(tensor, dtype):
    """Whole numbers come as doubles to a reference in double precision; they are none."""
    return tensor if dtype.is_floating_point else tensor.to(dtype)

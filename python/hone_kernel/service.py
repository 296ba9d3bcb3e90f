"""The worker's side of the protocol: calls and times one reference or one kernel."""

import json
import os
import tempfile

import torch

from . import sandbox
from .failures import WorkerError, failure_of
from .models import Bound, ModelRun, Reference, flat_outputs, sizes_of
from .tensors import NAMES, SharedTensor, Stirrer, type_text

PROTOCOL = 1
_copy = torch.Tensor.copy_  # saved before a kernel can replace it
_OriginalTorch = torch._C.DisableTorchFunction


class Service:
    """Serves requests until the channel closes."""

    def __init__(self, requests, answers, folder="", memory=0, network_cut=False):
        self.requests = os.fdopen(requests, "rb")
        self.answers = answers
        self.folder = folder or tempfile.mkdtemp(prefix="hone-kernel-")
        self.memory = memory
        self.network_cut = network_cut
        self.tensors = {}
        self.mappings = {}
        self.references = {}
        self.loaded = None
        self.sizes = {}  # constants of the reference, by the sizes in a call
        self.results = []  # of the last call of a `time` request, with their output views

    def run(self):
        while line := self.requests.readline():
            request = json.loads(line)
            if request["do"] == "quit":
                return
            self._answer(request)

    def _send(self, identity, fields):
        text = json.dumps({"id": identity, **fields}) + "\n"
        os.write(self.answers, text.encode())

    def _answer(self, request):
        try:
            method = getattr(self, "_do_" + request["do"], None)
            if method is None:
                raise WorkerError("protocol", f"unknown request '{request['do']}'")
            fields = method(request) or {}
            self._send(request["id"], {"ok": True, **fields})
        except Exception as error:
            failure = failure_of(error, getattr(self.loaded, "path", __file__), "run")
            fields = {"kind": failure.kind, "error": failure.error, "detail": failure.detail}
            self._send(request["id"], {"ok": False, **fields})

    def _do_hello(self, _):
        from .tilelang_build import version

        devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
        return {
            "protocol": PROTOCOL,
            "worker": "python",
            "sandbox": sandbox.describe(self.network_cut),
            "torch": torch.__version__,
            "tilelang": version(),
            "devices": devices,
        }

    def _do_task(self, request):
        from .task import task_of

        return task_of(request["reference"], self.memory, request.get("constants", ()))

    def _do_tensors(self, request):
        for description in request["tensors"]:
            self.tensors[description["id"]] = SharedTensor(description, self.mappings)

    def _do_make(self, request):
        """Fills tensors with the reference's get_inputs and the parameters of a new model."""
        key = request["reference"], sizes_in(request)
        if key not in self.references:
            self.references[key] = Reference(key[0], self.sizes.get(key[1], ()))
        reference = self.references[key]
        model = reference.build_model(request["seed"])
        torch.manual_seed(request["seed"])
        values = [value for value in reference.inputs() if isinstance(value, torch.Tensor)]
        values += model.state_dict().values()
        for tensor, value in zip(self._named(request["inputs"]), values, strict=True):
            tensor.view.copy_(value)

    def _do_load(self, request):
        torch.set_num_threads(request.get("threads", 1))
        self.sizes = sizes_of(request.get("others", ()))
        if request["role"] == "reference":
            self.loaded = ReferenceRun(request, self.sizes)
        else:
            from .kernel import KernelRun

            self.loaded = KernelRun(request, self.sizes, self.folder)
        facts = dict(self.loaded.facts or {})
        missing = []
        if request["role"] == "kernel":
            missing = self._lock(facts)
            self.loaded.check_left_behind()
        return {"facts": facts, "missing": missing} if facts else {"missing": missing}

    def _lock(self, facts):
        """Forbids to write files and start processes. Returns the defences that are missing."""
        if self.loaded.device != "cpu":
            facts["lock"] = "none: GPU drivers need files and processes"
            return []
        held = {"landlock": sandbox.only_write_below([]), "seccomp": sandbox.refuse_processes()}
        for name, worked in held.items():
            if not worked and name in sandbox.offered():
                raise WorkerError("refused", f"{name} failed to restrict the kernel")
        held["a network namespace"] = self.network_cut
        return [name for name, worked in held.items() if not worked]

    def _named(self, names):
        try:
            return [self.tensors[name] for name in names]
        except KeyError as error:
            raise WorkerError("protocol", f"unknown tensor {error}") from None

    def _prepare(self, request):
        if self.loaded is None:
            raise WorkerError("protocol", "no kernel is loaded")
        return self._named(request["inputs"]), self._named(request["outputs"])

    def _do_call(self, request):
        inputs, outputs = self._prepare(request)
        try:
            entered = [tensor.enter() for tensor in inputs]
            results = self.loaded.watched(entered, outputs, sizes_in(request))
        finally:
            for tensor in inputs:
                tensor.leave()
        write_outputs(match_outputs(results, outputs))
        self.loaded.check_left_behind()

    def _do_time(self, request):
        inputs, outputs = self._prepare(request)
        warm_up, iterations = request["warmup"], request["iterations"]
        stirrer = Stirrer(inputs, request["stir"], warm_up + iterations)
        call = self.loaded.bound([tensor.enter() for tensor in inputs])
        for _ in range(warm_up):
            stirrer.before_call()
            call()
        for tensor in inputs:
            tensor.view.sum()  # loads the inputs, written on another core, into the caches
        self._send(request["id"], {"ok": True, "ready": True})
        word, number = self.requests.readline().split()
        if word != b"go":
            raise WorkerError("protocol", "expected a line 'go NUMBER'")
        request["id"] = int(number)  # also for failures from now on
        for _ in range(iterations):
            stirrer.before_call()
            result = call()
        self.loaded.finish()
        # Count everything that reads the result: a kernel could compute it lazily.
        self.results = match_outputs(self.loaded.flat(result), outputs)

    def _do_flush(self, _):
        """Copies the outputs of the last `time` request, outside of the kernel's time."""
        self.loaded.check_left_behind()
        results, self.results = self.results, []
        write_outputs(results)


def sizes_in(request):
    return tuple(request.get("sizes", ()))


def match_outputs(results, outputs):
    """Pairs the results of forward with their output views; shapes and types must match."""
    if len(results) != len(outputs):
        raise WorkerError(
            "shape", f"forward returned {len(results)} tensors, the reference {len(outputs)}"
        )
    views = [output.view for output in outputs]
    for result, view in zip(results, views):
        if result.shape != view.shape or (result.dtype != view.dtype and not is_wide(view)):
            wanted = type_text(view)
            got = type_text(result) if result.dtype in NAMES else str(result.dtype)
            raise WorkerError("shape", f"forward returned {got}, the reference {wanted}")
    return list(zip(results, views))


def write_outputs(pairs):
    """Copies results to their views, using only torch's original code."""
    with _OriginalTorch():
        for result, view in pairs:
            _copy(view, result)


def is_wide(view):
    return view.dtype == torch.float64


class ReferenceRun(ModelRun):
    """The model in double precision, or unchanged in PyTorch."""

    facts = None

    def __init__(self, request, sizes):
        self.path = request["reference"]
        self.device = request.get("device", "cpu")
        self.models = {key: self._make(request, constants) for key, constants in sizes.items()}

    def _make(self, request, constants):
        reference = Reference(self.path, constants)
        model = reference.build_model(request.get("seed", 0))
        if request.get("precision", "f32") == "f64":
            model = model.double()
        model = model.to(self.device)
        torch.manual_seed(request.get("seed", 0))
        return Bound(model, reference.inputs(), list(model.state_dict().items()))

    def flat(self, result):
        return flat_outputs(result)

    def check_left_behind(self):
        """PyTorch is trusted."""

    def watched(self, tensors, _, sizes):
        try:
            return self.flat(self.bound(tensors, sizes)())
        except Exception as error:
            raise failure_of(error, self.path, "run") from error

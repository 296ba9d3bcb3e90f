"""The worker's side of the protocol: one reference or one kernel, called and timed."""

import json
import os
import tempfile

import torch

from . import sandbox
from .failures import WorkerError, failure_of
from .models import Bound, Reference, flat_outputs
from .tensors import NAMES, SharedTensor, Stirrer, type_text

PROTOCOL = 1


class Service:
    """Answers requests until there are no more."""

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
        self.results = []  # of the last call of a `time`, with the tensors they belong into

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
                raise WorkerError("protocol", f"no such request: {request['do']}")
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

        return task_of(request["reference"], self.memory)

    def _do_tensors(self, request):
        for description in request["tensors"]:
            self.tensors[description["id"]] = SharedTensor(description, self.mappings)

    def _do_make(self, request):
        """Fills tensors as the reference does: with get_inputs and the parameters of a new model."""
        path = request["reference"]
        if path not in self.references:
            self.references[path] = Reference(path)
        reference = self.references[path]
        model = reference.build_model(request["seed"])
        torch.manual_seed(request["seed"])
        values = [value for value in reference.inputs() if isinstance(value, torch.Tensor)]
        values += model.state_dict().values()
        for tensor, value in zip(self._named(request["inputs"]), values, strict=True):
            tensor.view.copy_(value)

    def _do_load(self, request):
        torch.set_num_threads(request.get("threads", 1))
        if request["role"] == "reference":
            self.loaded = ReferenceRun(request)
        else:
            from .kernel import KernelRun

            self.loaded = KernelRun(request, self.folder)
        facts = self.loaded.facts
        missing = self._lock(request)
        return {"facts": facts, "missing": missing} if facts else {"missing": missing}

    def _lock(self, request):
        """Nothing is built any more: no files, no processes. What could not be had of that."""
        if request["role"] != "kernel" or request.get("device", "cpu") != "cpu":
            return []
        held = {"landlock": sandbox.only_write_below([]), "seccomp": sandbox.refuse_processes()}
        held["a network namespace"] = self.network_cut
        return [name for name, worked in held.items() if not worked]

    def _named(self, names):
        try:
            return [self.tensors[name] for name in names]
        except KeyError as error:
            raise WorkerError("protocol", f"no tensor is called {error}") from None

    def _prepare(self, request):
        if self.loaded is None:
            raise WorkerError("protocol", "nothing is loaded")
        return self._named(request["inputs"]), self._named(request["outputs"])

    def _do_call(self, request):
        inputs, outputs = self._prepare(request)
        try:
            results = self.loaded.watched([tensor.enter() for tensor in inputs], outputs)
        finally:
            for tensor in inputs:
                tensor.leave()
        write_outputs(results, outputs)

    def _do_time(self, request):
        inputs, outputs = self._prepare(request)
        warm_up, iterations = request["warmup"], request["iterations"]
        stirrer = Stirrer(inputs, request["stir"], warm_up + iterations)
        call = self.loaded.bound([tensor.enter() for tensor in inputs])
        for _ in range(warm_up):
            stirrer.before_call()
            call()
        for tensor in inputs:
            tensor.view.sum()  # the judge wrote them on another core: now they are in the caches
        self._send(request["id"], {"ok": True, "ready": True})
        word, number = self.requests.readline().split()
        if word != b"go":
            raise WorkerError("protocol", "a time request goes on with go")
        request["id"] = int(number)  # also of a failure from here on
        for _ in range(iterations):
            stirrer.before_call()
            result = call()
        self.loaded.finish()
        self.results = [(result, outputs)]

    def _do_flush(self, _):
        """Copies the outputs of the last `time`: that is not the kernel's time."""
        while self.results:
            result, outputs = self.results.pop()
            write_outputs(flat_outputs(result), outputs)


def write_outputs(results, outputs):
    """Copies what forward returned into the outputs; shapes and types must agree."""
    if len(results) != len(outputs):
        raise WorkerError(
            "shape", f"forward returned {len(results)} tensors, the reference {len(outputs)}"
        )
    for result, output in zip(results, outputs):
        view = output.view
        if result.shape != view.shape or (result.dtype != view.dtype and not is_wide(view)):
            wanted = type_text(view)
            got = type_text(result) if result.dtype in NAMES else str(result.dtype)
            raise WorkerError("shape", f"forward returned {got}, the reference {wanted}")
        view.copy_(result)


def is_wide(view):
    return view.dtype == torch.float64


class ReferenceRun:
    """The model in double precision, or PyTorch as it is."""

    facts = None

    def __init__(self, request):
        self.path = request["reference"]
        self.reference = Reference(self.path)
        model = self.reference.build_model(request.get("seed", 0))
        if request.get("precision", "f32") == "f64":
            model = model.double()
        self.device = request.get("device", "cpu")
        model = model.to(self.device)
        torch.manual_seed(request.get("seed", 0))
        inputs = self.reference.inputs()
        self.model = Bound(model, inputs, list(model.state_dict().items()))

    def bound(self, tensors):
        """A call of the model on these tensors, as often as one likes."""
        arguments = self.model.bind([tensor.to(self.device) for tensor in tensors])
        model, no_grad = self.model.model, torch.no_grad()

        def call():
            with no_grad:
                return model(*arguments)

        return call

    def finish(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def watched(self, tensors, _):
        try:
            return flat_outputs(self.bound(tensors)())
        except Exception as error:
            raise failure_of(error, self.reference.path, "run") from error

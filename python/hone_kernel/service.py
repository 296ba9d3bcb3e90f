"""The worker's side of the protocol: loads and calls one reference or one kernel."""

import json
import mmap
import os
import signal
import struct
import tempfile

import torch

from . import sandbox
from .failures import WorkerError, failure_of
from .models import Bound, ModelRun, Reference, flat_outputs, sizes_of
from .tensors import NAMES, SharedTensor, type_text

PROTOCOL = 2
CONTROL, STATUS = 5, 6  # descriptors of the control page and the status page
# Steps of a call, as in src/kernel/worker/runner/control_page.h.
VERIFY, TIME, BIND, RUN, COPY = range(5)
_MAX_DETAIL = 8000  # hone does not read the channel while this process runs
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
        self.calls = []  # inputs, outputs and sizes of the calls that the control page selects
        self.call = None  # the bound model
        self.results = []  # of the last run, with their output views

    def run(self):
        while line := self.requests.readline():
            request = json.loads(line)
            if request["do"] == "quit":
                return
            if self._answer(request) and request["do"] == "serve":
                self._serve()

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
            return True
        except Exception as error:
            self._send_failure(request["id"], error)
            return False

    def _send_failure(self, identity, error):
        failure = failure_of(error, getattr(self.loaded, "path", __file__), "run")
        detail = failure.detail[-_MAX_DETAIL:]
        fields = {"kind": failure.kind, "error": failure.error[:_MAX_DETAIL], "detail": detail}
        self._send(identity, {"ok": False, **fields})

    def _do_serve(self, request):
        self.calls = [
            (self._named(call["inputs"]), self._named(call["outputs"]), sizes_in(call))
            for call in request["calls"]
        ]
        if self.loaded is None or not self.calls:
            raise WorkerError("protocol", "no kernel is loaded")

    def _serve(self):
        """Performs a step whenever the supervisor resumes this process. Stopping is the answer."""
        control = mmap.mmap(CONTROL, 12, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
        status = mmap.mmap(STATUS, 4)
        os.close(CONTROL)
        os.close(STATUS)
        done = asked = 0
        while True:
            done += 1
            struct.pack_into("I", status, 0, done)
            # A signal from elsewhere may resume this process; only the supervisor asks for more.
            while asked <= done:
                signal.raise_signal(signal.SIGSTOP)
                index, step, asked = struct.unpack("III", control[:12])
            try:
                self._perform(step, *self.calls[index % len(self.calls)])
            except BaseException as error:  # including exit(), which must not end the worker
                self._send_failure(0, error)

    def _perform(self, step, inputs, outputs, sizes):
        if step == VERIFY:
            self._verify(inputs, outputs, sizes)
        if step in (TIME, BIND):
            self.call = self.loaded.bound([tensor.enter() for tensor in inputs], sizes)
        if step in (TIME, RUN):
            result = self.call()
            self.loaded.finish()
            self.results = match_outputs(self.loaded.flat(result), outputs)
        if step in (TIME, COPY):
            results, self.results = self.results, []
            write_outputs(results)

    def _verify(self, inputs, outputs, sizes):
        try:
            entered = [tensor.enter() for tensor in inputs]
            results = self.loaded.watched(entered, outputs, sizes)
        finally:
            for tensor in inputs:
                tensor.leave()
        write_outputs(match_outputs(results, outputs))
        self.loaded.check_left_behind()

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
            tensor = SharedTensor(description, self.mappings, request.get("writable", False))
            self.tensors[description["id"]] = tensor

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
        elif request["role"] == "empty":
            self.loaded = EmptyRun(request, self.tensors.values())
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

    def _do_call(self, request):
        """Performs a call of a reference."""
        if not isinstance(self.loaded, ReferenceRun):
            raise WorkerError("protocol", "no reference is loaded")
        self._verify(
            self._named(request["inputs"]), self._named(request["outputs"]), sizes_in(request)
        )


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
        """Does nothing: PyTorch is trusted."""

    def watched(self, tensors, _, sizes):
        try:
            return self.flat(self.bound(tensors, sizes)())
        except Exception as error:
            raise failure_of(error, self.path, "run") from error


class EmptyRun(ModelRun):
    """Returns the same tensors in every call: the overhead of a call and of copying its outputs."""

    facts = None
    path = ""

    def __init__(self, request, tensors):
        self.device = request.get("device", "cpu")
        self.made = [torch.zeros_like(each.view) for each in tensors if not each.is_input]

    def bound(self, tensors, sizes=()):
        return lambda: self.made

    def flat(self, result):
        return flat_outputs(result)

    def check_left_behind(self):
        """Does nothing: the model is trusted."""

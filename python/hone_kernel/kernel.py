"""A kernel file: ModelNew with TileLang inside, built and run."""

import os
import shutil
import sys
import tempfile

import torch

from . import sandbox, tilelang_build
from .failures import WorkerError, failure_of
from .models import Bound, ModelRun, Reference, import_file, plain_outputs
from .watch import Watch, marks_of


class Case:
    """What the reference says of one shape: how models are made for it, and what they take."""

    def __init__(self, path, constants, seed):
        self.reference = Reference(path, constants)
        self.seed = seed
        self.parameters = list(self.reference.build_model(seed).state_dict().items())
        torch.manual_seed(seed)
        self.inputs = self.reference.inputs()
        sys.modules.pop("hone_reference")  # not for kernels to call

    def tensors(self):
        given = [value for value in self.inputs if isinstance(value, torch.Tensor)]
        return given + [value for _, value in self.parameters]


class KernelRun(ModelRun):
    def __init__(self, request, sizes, folder):
        self.path = request["source"]
        self._use_folder(folder)
        seed = request.get("seed", 0)
        cases = {key: Case(request["reference"], each, seed) for key, each in sizes.items()}
        self.builder = tilelang_build.Builder(
            self.path, folder, self.built, request.get("device", "cpu")
        )
        self.device = self.builder.device

        def once(keys):
            """Many kernels compile at their first call, so that is a part of building."""
            module = import_file(self.path, "hone_kernel_source", "build")
            if not hasattr(module, "ModelNew"):
                raise WorkerError("build", f"{os.path.basename(self.path)}: no class ModelNew")
            self.models = {}
            for key in keys:
                self.models[key] = self._make(module.ModelNew, cases[key])
                self.watched(cases[key].tensors(), [], key)

        sandbox.keep_orphans()
        self.builder.note_cuda(lambda: once([()]))
        with self.builder:
            self.tensor_class = dict(vars(torch.Tensor))  # also keeps what it holds alive
            once(cases)
        self.facts = self.builder.facts

    def _make(self, model, case):
        try:
            made = case.reference.build(model, case.seed).to(self.device)
            return Bound(made, case.inputs, case.parameters)
        except BaseException as error:
            raise failure_of(error, self.path, "build") from error

    def _use_folder(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.built = tilelang_build.built_folder(folder, self.path)
        os.makedirs(self.built, exist_ok=True)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        sandbox.only_write_below([folder, self.built])

    def watched(self, tensors, outputs, sizes):
        """One call that is looked at; what it returned."""
        call = self.bound(tensors, sizes)
        watch = Watch(marks_of(outputs))
        try:
            with watch:
                results = call()
            self.finish()
        except BaseException as error:
            raise failure_of(error, self.path, "run") from error
        watch.check()
        return self.flat(results)

    def flat(self, result):
        return plain_outputs(result, self.device)

    def check_alone(self):
        """What it may leave behind: no process that computes for it, no trap in torch's tensors."""
        if sandbox.has_children():
            raise WorkerError("refused", "it leaves a process running")
        known, now = self.tensor_class, vars(torch.Tensor)
        if len(now) != len(known) or any(now.get(name) is not known[name] for name in known):
            raise WorkerError("refused", "it replaces a part of torch's tensors")
        if torch._C._len_torch_dispatch_stack() > 0:
            raise WorkerError("refused", "it leaves a mode of torch switched on")

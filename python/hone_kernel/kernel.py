"""Builds and runs a kernel file: ModelNew with TileLang programs."""

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
    """One shape of the reference: builds models for it and holds their inputs and parameters."""

    def __init__(self, path, constants, seed):
        self.reference = Reference(path, constants)
        self.seed = seed
        self.parameters = list(self.reference.build_model(seed).state_dict().items())
        torch.manual_seed(seed)
        self.inputs = self.reference.inputs()
        sys.modules.pop("hone_reference")  # kernels must not call it

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

        def build_and_call(keys):
            """Imports and calls the models: many kernels compile on their first call."""
            module = import_file(self.path, "hone_kernel_source", "build")
            if not hasattr(module, "ModelNew"):
                raise WorkerError("build", f"{os.path.basename(self.path)}: no class ModelNew")
            self.models = {}
            for key in keys:
                self.models[key] = self._make(module.ModelNew, cases[key])
                self.watched(cases[key].tensors(), [], key)

        sandbox.keep_orphans()
        self.builder.record_cuda_facts(lambda: build_and_call([()]))
        with self.builder:
            self.tensor_class = dict(vars(torch.Tensor))  # also keeps the members alive
            build_and_call(cases)
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
        """Makes one call under a Watch and returns its results."""
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

    def check_left_behind(self):
        """Fails if the kernel left a process that computes for it, or patched torch's tensors."""
        if sandbox.has_children():
            raise WorkerError("refused", "leaves a process running")
        known, now = self.tensor_class, vars(torch.Tensor)
        if len(now) != len(known) or any(now.get(name) is not known[name] for name in known):
            raise WorkerError("refused", "replaces a method of torch.Tensor")
        if torch._C._len_torch_dispatch_stack() > 0:
            raise WorkerError("refused", "leaves a torch dispatch mode enabled")

"""A kernel file: ModelNew with TileLang inside, built and run."""

import os
import shutil
import sys
import tempfile

import torch

from . import sandbox, tilelang_build
from .failures import WorkerError, failure_of
from .models import Bound, Reference, flat_outputs, import_file
from .watch import Watch, marks_of


class KernelRun:
    def __init__(self, request, folder):
        self.path = request["source"]
        self._use_folder(folder)
        reference = Reference(request["reference"])
        seed = request.get("seed", 0)
        wanted = list(reference.build_model(seed).state_dict().items())
        torch.manual_seed(seed)
        inputs = reference.inputs()
        sys.modules.pop("hone_reference")  # not for kernels to call
        self.builder = tilelang_build.Builder(
            self.path, folder, request.get("device", "cpu"), request.get("threads", 1)
        )
        self.device = self.builder.device
        parameters = [value for _, value in wanted]
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)] + parameters

        def once():
            """Many kernels compile at their first call, so that is a part of building."""
            self.model = Bound(self._make(reference, seed), inputs, wanted)
            self.watched(tensors, [])

        self.builder.note_cuda(once)
        with self.builder:
            once()
        self.facts = self.builder.facts

    def _make(self, reference, seed):
        module = import_file(self.path, "hone_kernel_source", "build")
        if not hasattr(module, "ModelNew"):
            raise WorkerError("build", f"{os.path.basename(self.path)}: no class ModelNew")
        try:
            return reference.build(module.ModelNew, seed).to(self.device)
        except BaseException as error:
            raise failure_of(error, self.path, "build") from error

    def _use_folder(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        built = tilelang_build.built_folder(folder)
        os.makedirs(folder)
        os.makedirs(built, exist_ok=True)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        sandbox.only_write_below([folder, built])

    def bound(self, tensors):
        arguments = self.model.bind([tensor.to(self.device) for tensor in tensors])
        model, no_grad = self.model.model, torch.no_grad()

        def call():
            with no_grad:
                return model(*arguments)

        return call

    def finish(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def watched(self, tensors, outputs):
        """One call that is looked at; what it returned."""
        call = self.bound(tensors)
        watch = Watch(marks_of(outputs))
        try:
            with watch:
                results = call()
            self.finish()
        except BaseException as error:
            raise failure_of(error, self.path, "run") from error
        watch.check()
        return flat_outputs(results)

"""Lowers GPU programs to CUDA and compiles them with nvcc for its statistics, without a GPU."""

import json
import os
import re
import shutil
import subprocess
import sys
import traceback

import torch

from . import gpu_work
from .tilelang_build import replace_compiler, without_gpu

# Architectures by name, with the one that nvcc compiles for: tensor cores of sm_90 need its "a".
ARCHES = {"sm_80": "sm_80", "sm_90": "sm_90a"}
_TIMEOUT_S = 50


def find_nvcc():
    found = shutil.which("nvcc")
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if found is None and home and os.access(f"{home}/bin/nvcc", os.X_OK):
            found = f"{home}/bin/nvcc"
    return found


def _lower(func, pass_configs, arch):
    import tilelang

    target = tilelang.tvm.target.Target({"kind": "cuda", "arch": arch})
    with tilelang.tvm.transform.PassContext(opt_level=3, config=pass_configs or {}), target:
        return tilelang.lower(func, target=target)


def _max_of(pattern, text):
    """Returns the maximum over all functions that ptxas reports."""
    return max((int(number) for number in re.findall(pattern, text)), default=0)


class _Compilation:
    """nvcc in the background, for the registers and spills that ptxas reports."""

    def __init__(self, nvcc, source, arch, file):
        from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

        with open(file, "w") as out:
            out.write(source)
        command = [nvcc, "-std=c++20", "-w", "-cubin", f"-arch={ARCHES[arch]}", "-Xptxas", "-v"]
        command += ["-I" + CUTLASS_INCLUDE_DIR, "-I" + TILELANG_TEMPLATE_PATH]
        command += [file, "-o", file + "bin"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def facts(self):
        try:
            said = self.process.communicate(timeout=_TIMEOUT_S)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return {"error": f"nvcc: not finished after {_TIMEOUT_S} s"}
        if self.process.returncode != 0:
            lines = [line for line in said.splitlines() if "error" in line] or said.splitlines()
            return {"error": "nvcc: " + (lines[0] if lines else "failed")}
        return {
            "registers": _max_of(r"Used (\d+) registers", said),
            "spills": _max_of(r"(\d+) bytes spill stores", said),
            "spill_loads": _max_of(r"(\d+) bytes spill loads", said),
            "static_shared_memory": _max_of(r"(\d+) bytes smem", said),
        }


def _launch(function):
    """Returns threads, blocks and shared memory of a kernel."""
    facts = {"threads": 1, "blocks": 1}
    for name, extent in function.attrs["thread_extent"].items():
        known = type(extent).__name__ in ("int", "IntImm")
        # The number of blocks of a tensor with dynamic sizes is unknown.
        facts["threads" if str(name).startswith("thread") else "blocks"] *= int(extent) if known else 0
    facts["shared_memory"] = int(function.attrs.get("dyn_shared_memory_buf", 0))
    return facts


def _work(function, launch):
    """Returns the work of a kernel; {} if it cannot be counted."""
    try:
        return gpu_work.Work(function, launch["threads"], launch["blocks"]).facts()
    except Exception:
        traceback.print_exc()
        return {}


class _Stub:
    """Replaces a compiled kernel: returns outputs of the right shape, so that forward continues."""

    def __init__(self, artifact, out_idx):
        self.params = artifact.params
        self.outputs = [out_idx] if isinstance(out_idx, int) else list(out_idx or [])

    def __call__(self, *_, **__):
        made = []
        for index in self.outputs:
            parameter = self.params[index]
            dtype = getattr(torch, str(parameter.dtype).split(".")[-1])
            made.append(torch.empty([int(extent) for extent in parameter.shape], dtype=dtype))
        return made[0] if len(made) == 1 else made or None


class Recorder:
    """Lowers what a kernel compiles, for all architectures, and records the statistics."""

    def __init__(self, folder):
        self.folder = folder
        self.kernels = []  # one per kernel and architecture
        self.compilations = []
        self.failure = None  # of a program that no architecture accepts

    def build(self, func, out_idx=None, pass_configs=None, **_):
        artifacts = {}
        failures = {}
        for arch in ARCHES:
            try:
                artifacts[arch] = _lower(func, pass_configs, arch)
            except Exception as error:
                failures[arch] = error
        if not artifacts:
            self.failure = next(iter(failures.values()))
            raise self.failure
        name = str(func.attrs["global_symbol"])
        for arch in failures:
            traceback.print_exception(failures[arch])
            self.kernels.append({"name": name, "arch": arch, "error": "cannot be lowered"})
        works = self._works(next(iter(artifacts.values())))
        for arch, artifact in artifacts.items():
            self._record(name, arch, artifact, works)
        return _Stub(next(iter(artifacts.values())), out_idx)

    def _works(self, artifact):
        """Returns the work of each kernel; it is counted once, as it is the same everywhere."""
        functions = artifact.device_mod.functions.values()
        return [_work(function, _launch(function)) for function in functions]

    def _record(self, name, arch, artifact, works):
        first = len(self.kernels)
        for index, function in enumerate(artifact.device_mod.functions.values()):
            work = works[index] if index < len(works) else {}
            self.kernels.append({"name": name, "arch": arch, **_launch(function), **work})
        nvcc = find_nvcc()
        if nvcc is None:
            self.kernels[first]["note"] = "nvcc not found: registers and spills are unknown"
            return
        file = os.path.join(self.folder, f"kernel{first}.cu")
        compilation = _Compilation(nvcc, artifact.kernel_source, arch, file)
        self.compilations.append((compilation, self.kernels[first:]))

    def facts(self):
        """Returns the facts of each kernel, and the maxima for the first architecture that all
        kernels compile for."""
        for compilation, kernels in self.compilations:
            facts = compilation.facts()
            for kernel in kernels:
                kernel.update(facts)
        self.compilations = []
        failed = {kernel["arch"] for kernel in self.kernels if "error" in kernel}
        working = [arch for arch in ARCHES if arch not in failed]
        if self.kernels and not working:
            return {"kernels": self.kernels, "cuda_error": "compiles for no architecture"}
        most = {}
        for name in ("registers", "spills", "shared_memory", "threads", "blocks"):
            values = [
                kernel[name]
                for kernel in self.kernels
                if name in kernel and kernel["arch"] == working[0]
            ]
            if values:
                most[name] = max(values)
        return {**most, "kernels": self.kernels}


def collect_facts(folder, run):
    """Runs the kernel in a child with a Recorder as TileLang's compiler. Returns its facts, or the
    error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        answer = {}
        recorder = Recorder(folder)
        try:
            without_gpu()
            replace_compiler(recorder.build)
            run()
        except BaseException as error:
            traceback.print_exc()
            # Without results, a call may fail after it has compiled everything.
            if recorder.failure is not None or not recorder.kernels:
                text = [line for line in str(error).splitlines() if line.strip()] or [""]
                answer["cuda_error"] = f"{type(error).__name__}: {text[-1].strip()}"[:500]
        finally:
            answer = {**recorder.facts(), **answer}
            sys.stdout.flush()
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"cuda_error": "compilation ended without a result"}

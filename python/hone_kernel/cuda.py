"""Lowers GPU programs to CUDA and compiles them with nvcc for its statistics, without a GPU."""

import json
import os
import re
import shutil
import subprocess
import sys
import traceback

import torch

from .tilelang_build import replace_compiler, without_gpu

ARCH = "sm_80"
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


def _ptxas(source, arch, folder, index):
    """Returns registers and spills as reported by ptxas."""
    nvcc = find_nvcc()
    if nvcc is None:
        return {"note": "nvcc not found: registers and spills are unknown"}
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    file = os.path.join(folder, f"kernel{index}.cu")
    with open(file, "w") as out:
        out.write(source)
    command = [nvcc, "-std=c++20", "-w", "-cubin", f"-arch={arch}", "-Xptxas", "-v"]
    command += ["-I" + CUTLASS_INCLUDE_DIR, "-I" + TILELANG_TEMPLATE_PATH]
    command += [file, "-o", file + "bin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S)
    said = done.stdout + done.stderr
    if done.returncode != 0:
        lines = [line for line in said.splitlines() if "error" in line] or said.splitlines()[-1:]
        return {"error": "nvcc: " + (lines[0] if lines else "failed")}
    return {
        "registers": _max_of(r"Used (\d+) registers", said),
        "spills": _max_of(r"(\d+) bytes spill stores", said),
        "spill_loads": _max_of(r"(\d+) bytes spill loads", said),
        "static_shared_memory": _max_of(r"(\d+) bytes smem", said),
    }


def _launch(artifact):
    """Returns threads, blocks and shared memory of the last kernel."""
    facts = {}
    for function in artifact.device_mod.functions.values():
        extents = {str(key): int(value) for key, value in function.attrs["thread_extent"].items()}
        facts["threads"] = 1
        facts["blocks"] = 1
        for name, extent in extents.items():
            facts["threads" if name.startswith("thread") else "blocks"] *= extent
        facts["shared_memory"] = int(function.attrs.get("dyn_shared_memory_buf", 0))
    return facts


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
    """Lowers what a kernel compiles and records the statistics."""

    def __init__(self, folder, arch=ARCH):
        self.folder = folder
        self.arch = arch
        self.kernels = []

    def build(self, func, out_idx=None, pass_configs=None, **_):
        name = str(func.attrs["global_symbol"])
        artifact = _lower(func, pass_configs, self.arch)
        facts = {"name": name, "arch": self.arch, **_launch(artifact)}
        self.kernels.append(facts)
        facts.update(_ptxas(artifact.kernel_source, self.arch, self.folder, len(self.kernels)))
        return _Stub(artifact, out_idx)

    def facts(self):
        """Returns the maxima over all kernels, and the facts of each kernel."""
        most = {}
        for name in ("registers", "spills", "shared_memory", "threads"):
            values = [kernel[name] for kernel in self.kernels if name in kernel]
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
            text = [line for line in str(error).splitlines() if line.strip()] or [""]
            answer["cuda_error"] = f"{type(error).__name__}: {text[-1].strip()}"[:500]
        finally:
            answer.update(recorder.facts())
            sys.stdout.flush()
            os.write(writer, json.dumps(answer).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"cuda_error": "compilation ended without a result"}

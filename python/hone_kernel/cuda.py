"""GPU programs lowered to CUDA and put through nvcc: what the compiler says of them, without a GPU."""

import json
import os
import re
import shutil
import subprocess
import sys
import traceback

import torch

from .tilelang_build import stand_in, without_gpu

ARCH = "sm_80"
_PATIENCE_S = 50


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


def _most(pattern, text):
    """The largest that ptxas says of any function: each has registers and stack of its own."""
    return max((int(number) for number in re.findall(pattern, text)), default=0)


def _ptxas(source, arch, folder, index):
    """Registers and spills, as ptxas tells them."""
    nvcc = find_nvcc()
    if nvcc is None:
        return {"note": "nvcc is not here: registers and spills are not known"}
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    file = os.path.join(folder, f"kernel{index}.cu")
    with open(file, "w") as out:
        out.write(source)
    command = [nvcc, "-std=c++20", "-w", "-cubin", f"-arch={arch}", "-Xptxas", "-v"]
    command += ["-I" + CUTLASS_INCLUDE_DIR, "-I" + TILELANG_TEMPLATE_PATH]
    command += [file, "-o", file + "bin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S)
    said = done.stdout + done.stderr
    if done.returncode != 0:
        lines = [line for line in said.splitlines() if "error" in line] or said.splitlines()[-1:]
        return {"error": "nvcc: " + (lines[0] if lines else "failed")}
    return {
        "registers": _most(r"Used (\d+) registers", said),
        "spills": _most(r"(\d+) bytes spill stores", said),
        "spill_loads": _most(r"(\d+) bytes spill loads", said),
        "static_shared_memory": _most(r"(\d+) bytes smem", said),
    }


def _launch(artifact):
    """Threads of a block and shared memory of the (last) kernel."""
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
    """Stands for a compiled kernel: gives outputs of the right shape, so that forward goes on."""

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
    """Lowers what a kernel compiles, and keeps what the compiler says."""

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
        """Of all kernels together: the most of each number, and each of them."""
        most = {}
        for name in ("registers", "spills", "shared_memory", "threads"):
            values = [kernel[name] for kernel in self.kernels if name in kernel]
            if values:
                most[name] = max(values)
        return {**most, "kernels": self.kernels}


def facts_of(folder, run):
    """Runs the kernel in a child with a recorder in TileLang's place: its facts, or why there are
    none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        answer = {}
        recorder = Recorder(folder)
        try:
            without_gpu()
            stand_in(recorder.build)
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
    return json.loads(said) if said else {"cuda_error": "its compilation ended without an answer"}

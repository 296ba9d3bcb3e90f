"""Builds the TileLang programs of a kernel file for the CPU or for a GPU."""

import ast
import hashlib
import importlib.metadata
import os
import re
import shutil
import sys
import tempfile

from . import sandbox
from .compiler import Compiler
from .failures import WorkerError, failure_of

FLAGS = ["-O3", "-march=native"]
_GPU_NAMES = ("alloc_shared", "alloc_fragment", "use_swizzle", "annotate_layout", "get_thread_binding")
_CPU_TARGETS = ("c", "llvm")
_ALLOWED_FLAG = re.compile(
    r"-O(|[0-3sg]|fast)|--param=[a-z0-9-]+=\d+|-m(arch|tune)=[\w.-]+|-mprefer-vector-width=\d+"
    r"|-m(no-)?(sse|ssse|avx|fma|bmi|f16c|popcnt|lzcnt)[\w.]*|-ffp-contract=[a-z]+"
    r"|-fvect-cost-model=[a-z-]+|-fsimd-cost-model=[a-z-]+"
    r"|-f(no-)?(fast-math|associative-math|reciprocal-math|finite-math-only|math-errno"
    r"|trapping-math|signed-zeros|unsafe-math-optimizations|unroll-loops|unroll-all-loops"
    r"|peel-loops|split-loops|unswitch-loops|prefetch-loop-arrays|ivopts|strict-aliasing"
    r"|omit-frame-pointer|tree-[a-z-]+|loop-[a-z-]+|ipa-[a-z-]+|gcse[a-z-]*|inline[a-z-]*"
    r"|schedule-insns2?|openmp-simd)"
)


def version():
    try:
        return importlib.metadata.version("tilelang")
    except importlib.metadata.PackageNotFoundError:
        return None


def built_folder(folder, path):
    """Returns the build folder for a kernel file, shared by the workers of a judge that run it.

    There is one folder per source text, because a kernel may write to its folder while it loads."""
    with open(path, "rb") as file:
        key = hashlib.sha256(file.read()).hexdigest()
    return os.path.join(os.path.dirname(folder), "tilelang-built", key)


def explain_rejected_flag(flag):
    """Explains why a kernel may not use a compiler flag; "" if it may.

    Flags that change code generation are allowed, flags that add code or access files are not."""
    if _ALLOWED_FLAG.fullmatch(flag):
        return ""
    return (
        f"flag '{flag}' is not allowed; use -O…, -m…, --param=… and those -f… that optimize"
    )


def is_gpu_source(text):
    """Returns true if the programs are written for a GPU.

    They name no CPU target and use threads or memories of a GPU. A line "# hone: device cpu" or
    "# hone: device gpu" overrides this."""
    said = re.search(r"^#\s*hone:\s*device\s+(cpu|gpu)\s*$", text, re.MULTILINE)
    if said:
        return said.group(1) == "gpu"
    gpu = False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "target":
            if isinstance(node.value, ast.Constant) and node.value.value in _CPU_TARGETS:
                return False
        gpu = gpu or (isinstance(node, ast.keyword) and node.arg == "threads")
        gpu = gpu or (isinstance(node, ast.Attribute) and node.attr in _GPU_NAMES)
    return gpu


def replace_compiler(build):
    """Makes TileLang compile kernels with `build` from now on."""
    import tilelang  # noqa: F401

    sys.modules["tilelang.jit"].cached = build  # the attribute jit of tilelang is a function


def compile_by(compiler):
    """Makes TileLang compile libraries with `compiler`."""
    from tilelang.jit.adapter.libgen import LibraryGenerator

    def compile_lib(self, timeout=None):
        flags = [item for flag in (self.compile_flags or []) for item in flag.split()]
        library = compiler.compile(self.lib_code, flags)
        # Copy it: TileLang removes its library when it is done.
        self.libpath = tempfile.mktemp(suffix=".so")
        shutil.copyfile(library, self.libpath)

    LibraryGenerator.compile_lib = compile_lib


def without_gpu():
    """Keeps tensors that a kernel moves to a GPU on the CPU."""
    import torch
    from torch.overrides import TorchFunctionMode

    def here(value):
        device = str(value) if isinstance(value, (str, torch.device)) else ""
        return "cpu" if device.startswith("cuda") else value

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = {name: here(value) for name, value in (kwargs or {}).items()}
            return function(*map(here, args), **kwargs)

    torch.Tensor.cuda = lambda self, *_, **__: self
    torch.nn.Module.cuda = lambda self, *_, **__: self
    torch.cuda.synchronize = lambda *_: None
    OnCpu().__enter__()  # until the worker ends


class Builder:
    """Context manager that builds everything a kernel compiles."""

    def __init__(self, path, folder, built, device):
        if version() is None:
            raise WorkerError(
                "build", "TileLang is not installed; run scripts/setup --kernels"
            )
        self.path = path
        self.folder = folder
        self.built = built
        self.facts = {}
        try:
            with open(path) as file:
                self.for_gpu = is_gpu_source(file.read())
        except SyntaxError as error:
            place = f"{os.path.basename(path)} line {error.lineno}"
            raise WorkerError("build", f"{place}: SyntaxError: {error.msg}") from error
        self.device = "cuda" if self.for_gpu and device == "cuda" else "cpu"

    def __enter__(self):
        import tilelang

        os.environ["TILELANG_DISABLE_CACHE"] = "1"
        os.environ["TILELANG_PRINT_ON_COMPILATION"] = "0"
        tilelang.disable_cache()
        if self.device == "cpu":
            if self.for_gpu:
                from . import twin

                twin.install()
                without_gpu()
            self.compiler = Compiler(self.built)
            compile_by(self.compiler)
            replace_compiler(self._build)
            sandbox.refuse_processes()  # before the kernel is imported
        return self

    def __exit__(self, *_):
        if self.device == "cpu":
            replace_compiler(self._refuse)
            self.compiler.close()

    def record_cuda_facts(self, run):
        """Runs the kernel once to record facts from nvcc. Must be called before __enter__."""
        if self.for_gpu and self.device == "cpu":
            from . import cuda

            self.facts.update(device="cuda", timed=False, **cuda.collect_facts(self.folder, run))

    def _refuse(self, **_):
        raise WorkerError("run", "compiles again after its first call")

    def _build(self, func, out_idx=None, pass_configs=None, compile_flags=None, **_):
        """Replaces TileLang's function that compiles a kernel."""
        from tilelang.jit.kernel import JITKernel
        from tilelang.transform import PassConfigKey

        # g++ vectorizes plain loops better than TileLang's vectors of four, which lack operators.
        configs = {PassConfigKey.TIR_DISABLE_VECTORIZE: True}
        if not self.for_gpu:
            configs.update(pass_configs or {})
        given = [compile_flags] if isinstance(compile_flags, str) else list(compile_flags or [])
        given = [part for flag in given for part in str.split(flag)]  # as TileLang does
        for why in filter(None, map(explain_rejected_flag, given)):
            raise WorkerError("refused", why)
        flags = FLAGS + ([] if self.for_gpu else given)
        try:
            return JITKernel(
                func,
                out_idx=out_idx,
                execution_backend="cython",
                target="c",
                pass_configs=configs,
                compile_flags=flags,
            )
        except Exception as error:
            failure = failure_of(error, self.path, "build")
            if self.for_gpu:
                failure.error = f"cannot be built for the CPU: {failure.error}"
            raise failure from error

"""Compiles the C++ code that TileLang generates, in a process that was forked before the kernel was
imported. The kernel's process therefore never needs to start another one."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

from . import sandbox
from .failures import WorkerError

_STANDARD_DESCRIPTORS = 3


def _command(source, library, flags):
    from tilelang.contrib.cc import get_cplus_compiler
    from tilelang.env import TILELANG_TEMPLATE_PATH

    command = [get_cplus_compiler(), "-std=c++17", "-fPIC", "-shared", source]
    return command + ["-I" + TILELANG_TEMPLATE_PATH, *flags, "-o", library]


def _compile(folder, code, flags):
    """Returns the library for this code. Libraries are kept: many processes need the same one."""
    from .tilelang_build import explain_rejected_flag

    for why in filter(None, map(explain_rejected_flag, flags)):
        raise RuntimeError(why)
    text = "\0".join([*flags, code])
    library = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest() + ".so")
    if os.path.exists(library):
        return library
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=folder) as source:
        source.write(code)
        source.flush()
        made = f"{source.name}.so"
        command = _command(source.name, made, flags)
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
            raise RuntimeError(f"Compilation Failed! {' '.join(command)}\n {code}")
    os.replace(made, library)
    return library


def _serve(folder, requests, answers):
    with os.fdopen(requests, "rb") as stream:
        for line in stream:
            try:
                answer = {"library": _compile(folder, **json.loads(line))}
            except Exception as error:
                answer = {"error": str(error)}
            os.write(answers, json.dumps(answer).encode() + b"\n")


class Compiler:
    """The compiling process. Ends with close(), or with this process."""

    def __init__(self, folder):
        requests, self.requests = os.pipe()
        answers, writer = os.pipe()
        parent = os.getpid()
        self.process = os.fork()
        if self.process == 0:
            try:
                sandbox.die_with_parent(parent)
                kept = os.dup2(requests, 100), os.dup2(writer, 101)
                os.closerange(_STANDARD_DESCRIPTORS, 100)  # the channels of the judge
                _serve(folder, *kept)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(0)
        os.close(requests)
        os.close(writer)
        self.answers = os.fdopen(answers, "rb")

    def compile(self, code, flags):
        """Returns the path of the library."""
        os.write(self.requests, json.dumps({"code": code, "flags": flags}).encode() + b"\n")
        line = self.answers.readline()
        if not line:
            raise WorkerError("build", "the compiler ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["library"]

    def close(self):
        os.close(self.requests)
        self.answers.close()
        os.waitpid(self.process, 0)

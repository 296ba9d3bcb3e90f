"""Writes a plain kernel for a Python reference: one loop nest per operator, nothing optimized.

Usage: python hone_plain_kernel.py REFERENCE cpp|tilelang. Prints a JSON object on the last line:
{"code": the kernel} or {"missing": why there is none}. The sizes are those of get_inputs().
"""

import importlib.util
import json
import sys

from hone_plain.kernels import write_cpp, write_tilelang
from hone_plain.writer import Unsupported


def load_reference(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    path, language = sys.argv[1], sys.argv[2]
    title = "A plain kernel: one loop nest per operator of the reference."
    try:
        module = load_reference(path)
        code = write_cpp(module, title) if language == "cpp" else write_tilelang(module, title)
        answer = {"code": code}
    except Unsupported as error:
        answer = {"missing": f"no plain kernel for {error}"}
    except Exception as error:  # an invalid reference, or a model that cannot be exported
        first = (str(error).splitlines() or [""])[0]
        answer = {"missing": f"no plain kernel: {type(error).__name__}: {first}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()

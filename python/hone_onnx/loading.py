"""Reads an ONNX model with its weights."""

import os

from hone_onnx.errors import UserError, first_line
from hone_onnx.graph import list_tensors


def load(path):
    """Loads a model with its weights. Returns it with the other files that it was read from."""
    import onnx

    try:
        model = onnx.load(path, load_external_data=False)
    except Exception as error:
        raise UserError(explain_unreadable(path, error)) from error
    if not model.graph.node and not model.graph.output:
        raise UserError("not an ONNX model: it has no graph")
    folder = os.path.dirname(os.path.abspath(path))
    files = set()
    for tensor in list_tensors(model.graph):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        place = {entry.key: entry.value for entry in tensor.external_data}.get("location", "")
        file = os.path.join(folder, place)
        if not os.path.exists(file):
            raise UserError(f"weights of '{tensor.name}' are missing: put {place} next to the model")
        files.add(file)
    try:
        onnx.load_external_data_for_model(model, folder)
    except Exception as error:
        raise UserError(f"cannot read its weights: {first_line(error)}") from error
    weights = []
    for file in sorted(files):
        status = os.stat(file)
        weights.append({"path": file, "size": status.st_size, "time": int(status.st_mtime)})
    return model, weights


def explain_unreadable(path, error):
    """Returns the reason why a file is not an ONNX model."""
    if isinstance(error, OSError):
        return first_line(error)
    with open(path, "rb") as file:
        start = file.read(64)
    if start.startswith(b"version https://git-lfs"):
        return "not an ONNX model but a pointer of Git LFS; run git lfs pull"
    # Models start with their version (field 1, a number).
    if start.startswith(b"\x08"):
        return f"truncated or damaged ({first_line(error)}); download it again"
    return f"not an ONNX model ({first_line(error)})"


def drop_initialized_inputs(model):
    """Removes inputs that have a default value: importers treat them as constants."""
    graph = model.graph
    model.ir_version = max(model.ir_version, 4)  # earlier versions require weights to be inputs
    names = {tensor.name for tensor in graph.initializer}
    kept = [value for value in graph.input if value.name not in names]
    del graph.input[:]
    graph.input.extend(kept)

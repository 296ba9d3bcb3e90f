"""Loads models as ONNX Runtime does: folds constants and finds the types of its operators."""

import os

from hone_onnx.errors import UserError, first_line
from hone_onnx.graph import foreign_nodes

# Domain of ONNX Runtime's own operators; IREE knows some of them.
RUNTIME_DOMAIN = "com.microsoft"

# ONNX Runtime's names of element types, with ONNX's numbers.
RUNTIME_ELEMENTS = {
    "tensor(float)": 1, "tensor(uint8)": 2, "tensor(int8)": 3, "tensor(uint16)": 4, "tensor(int16)": 5,
    "tensor(int32)": 6, "tensor(int64)": 7, "tensor(bool)": 9, "tensor(float16)": 10, "tensor(double)": 11,
    "tensor(uint32)": 12, "tensor(uint64)": 13, "tensor(bfloat16)": 16,
}


def open_session(model, level, file=""):
    """Loads the model with ONNX Runtime, which also writes the optimized model to the file."""
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise UserError("ONNX Runtime is not installed, so the model cannot be simplified") from error
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    if file:
        options.optimized_model_filepath = file
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise UserError(f"ONNX Runtime cannot load it: {first_line(error)}") from error


def simplify(model, file):
    """Returns the model with folded constants and branches, in standard operators."""
    import onnx

    try:
        open_session(model, "ORT_ENABLE_BASIC", file)
        simple = onnx.load(file)
    finally:
        if os.path.exists(file):
            os.remove(file)
    used = {node.domain for node in foreign_nodes(simple)}
    kept = [one for one in simple.opset_import if one.domain in ("", "ai.onnx") or one.domain in used]
    del simple.opset_import[:]
    simple.opset_import.extend(kept)
    # It drops inputs without a use, but they are part of the signature.
    names = {value.name for value in simple.graph.input}
    if len(names) != len(model.graph.input):
        del simple.graph.input[:]
        simple.graph.input.extend(model.graph.input)
    return simple


def infer_runtime_types(model):
    """Adds the types of the results of ONNX Runtime's own operators, which ONNX cannot infer."""
    import onnx

    typed = {value.name for value in model.graph.value_info} | {value.name for value in model.graph.output}
    asked = type(model).FromString(model.SerializeToString())
    for node in model.graph.node:
        for name in node.output:
            if name and name not in typed and node.domain == RUNTIME_DOMAIN:
                asked.graph.output.append(onnx.ValueInfoProto(name=name))
    session = open_session(asked, "ORT_DISABLE_ALL")
    for value in session.get_outputs():
        element = RUNTIME_ELEMENTS.get(value.type)
        if value.name not in typed and element and all(isinstance(size, int) for size in value.shape):
            model.graph.value_info.append(onnx.helper.make_tensor_value_info(value.name, element, value.shape))

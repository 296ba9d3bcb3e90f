"""The description of a model that hone reads."""

from hone_onnx.dimensions import dimension_names
from hone_onnx.errors import UserError
from hone_onnx.graph import opset

ELEMENTS = {
    "FLOAT": "f32", "DOUBLE": "f64", "FLOAT16": "f16", "BFLOAT16": "bf16", "INT64": "i64", "INT32": "i32",
    "INT16": "i16", "INT8": "i8", "UINT8": "ui8", "UINT16": "ui16", "UINT32": "ui32", "UINT64": "ui64", "BOOL": "i1",
}


def check_elements(graph):
    """Rejects inputs and outputs with elements that hone cannot create or compare, such as strings."""
    for kind, values in (("input", graph.input), ("output", graph.output)):
        for value in values:
            known = value.type.tensor_type.elem_type != 0
            if known and element(value) not in ELEMENTS.values():
                raise UserError(
                    f"{kind} '{value.name}' has elements of type {element(value)}; expected numbers "
                    f"({', '.join(ELEMENTS.values())})"
                )


def element(value):
    """Returns the element type in the syntax of IREE's tools, or ONNX's name if there is none."""
    import onnx

    name = onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)
    return ELEMENTS.get(name, name.lower())


# Operators that copy indices from an operand to their result.
PASSING = {"Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Transpose", "Expand", "Slice", "Split",
           "Concat", "Clip"}


def index_limits(graph):
    """Returns the number of valid indices of the integer inputs that select rows of a table."""
    shapes = {}
    for tensor in graph.initializer:
        shapes[tensor.name] = list(tensor.dims)
    for value in list(graph.value_info) + list(graph.input) + list(graph.output):
        if value.type.HasField("tensor_type"):
            dims = value.type.tensor_type.shape.dim
            shapes[value.name] = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in dims]
    for node in graph.node:
        if node.op_type == "Constant":
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    shapes[node.output[0]] = list(attribute.t.dims)
    users = {}
    for node in graph.node:
        for position, name in enumerate(node.input):
            users.setdefault(name, []).append((node, position))
    limits = {}
    for value in graph.input:
        if value.type.tensor_type.elem_type not in (6, 7):
            continue
        found = []
        seen = set()
        pending = [value.name]
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            for node, position in users.get(name, []):
                if node.op_type in ("Gather", "GatherElements") and position == 1:
                    axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
                    rows = shapes.get(node.input[0], [])
                    if -len(rows) <= axis < len(rows) and rows[axis] > 0:
                        found.append(rows[axis])
                elif node.op_type in PASSING and position == 0:
                    pending.extend(node.output)
        if found:
            limits[value.name] = min(found)
    return limits


def describe(model, sizes, chosen, original):
    """Returns the description that hone reads."""
    limits = index_limits(model.graph)
    inputs = []
    for value, before in zip(model.graph.input, original):
        one = {"name": value.name, "element": element(value), "shape": dimension_names(value), "declared": before}
        if value.name in limits:
            one["limit"] = limits[value.name]
        inputs.append(one)
    outputs = []
    for value in model.graph.output:
        outputs.append({"name": value.name, "element": element(value)})
    return {
        "function": model.graph.name,
        "inputs": inputs,
        "outputs": outputs,
        "dims": sizes,
        "chosen": chosen,
        "opset": opset(model),
    }

"""Imports an ONNX model for hone: fixes its dimensions, describes it, and writes MLIR.

Reads a JSON request from the file given as the only argument:
  model           path of the .onnx file
  dims            sizes by name of dimension, or by INPUT.AXIS for dimensions without a name; also values
                  of integer scalar inputs by name
  shapes          pairs of name and shape, null if not given; names are empty if shapes are in order
  opset           version to convert to; 0 to keep the model's
  simplify        fold constants with ONNX Runtime
  expand          operators to replace by their definitions in other operators
  externalize     weights of at least this many bytes in all are written to a file
  mlir, fixed, parameters, reply
                  files to write: module, model with fixed dimensions, weights, description

Exits with 2 and prints one line if the model or the request is wrong, with 3 if a package is missing.
"""

import json
import os
import sys
import warnings


class UserError(Exception):
    """An error that the user can fix; its text is one line."""


def first_line(error):
    """Returns the first line with text of an exception."""
    for line in str(error).splitlines():
        if line.strip():
            return line.strip()
    return type(error).__name__


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


def list_graphs(graph):
    """Yields a graph and the graphs of its control flow."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from list_graphs(attribute.g)
            for inner in attribute.graphs:
                yield from list_graphs(inner)


def name_of(node):
    """Returns the name of a node, or that of its first output."""
    return node.name or next((output for output in node.output if output), "")


def list_nodes(graph):
    """Yields operator and name of each node, in the order of the imported module."""
    for node in graph.node:
        yield [node.op_type, name_of(node)]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from list_nodes(attribute.g)


def list_tensors(graph):
    """Yields all constants."""
    for one in list_graphs(graph):
        yield from one.initializer
        for node in one.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                yield from attribute.tensors


def drop_initialized_inputs(model):
    """Removes inputs that have a default value: importers treat them as constants."""
    graph = model.graph
    model.ir_version = max(model.ir_version, 4)  # earlier versions require weights to be inputs
    names = {tensor.name for tensor in graph.initializer}
    kept = [value for value in graph.input if value.name not in names]
    del graph.input[:]
    graph.input.extend(kept)


def is_fixed(dim):
    """Returns true if a dimension has a size; some exporters write -1 for one that has none."""
    return dim.HasField("dim_value") and dim.dim_value >= 0


def dimension_name(value, axis, dim):
    """Returns the name of a dynamic dimension: INPUT.AXIS if it has none, or a placeholder such as "?"."""
    named = dim.dim_param != "None" and any(one.isalpha() or one == "_" for one in dim.dim_param)
    return dim.dim_param if named else f"{value.name}.{axis}"


def dimension_names(value):
    """Returns a size or a name per dimension."""
    if not value.type.HasField("tensor_type"):
        raise UserError(f"input or output '{value.name}' is not a tensor, which IREE does not support")
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    names = []
    for axis, dim in enumerate(tensor.shape.dim):
        if is_fixed(dim):
            names.append(dim.dim_value)
        else:
            names.append(dimension_name(value, axis, dim))
    return names


def shape_text(names):
    """Returns "[batch, 3, 224]"."""
    return f"[{', '.join(str(name) for name in names)}]" if names else "of a scalar"


def pair_shapes(graph, shapes):
    """Returns inputs with the shapes that are given for them, by name or in their order."""
    if not shapes:
        return []
    values = {value.name: value for value in graph.input}
    if not any(name in values for name, _ in shapes):
        if len(shapes) != len(values):
            listed = ", ".join(values)
            raise UserError(f"it has {len(values)} inputs ({listed}), got {len(shapes)} --input")
        shapes = list(zip(values, (shape for _, shape in shapes)))
    for name, _ in shapes:
        if name not in values:
            raise UserError(f"no input named {name}; found {', '.join(values)}")
    return [(values[name], shape) for name, shape in shapes if shape is not None]


def set_missing_shapes(graph, shapes):
    """Sets the shapes of inputs of which the model knows only the type. Returns true if there are any."""
    changed = False
    for value, shape in pair_shapes(graph, shapes):
        if value.type.HasField("tensor_type") and not value.type.tensor_type.HasField("shape"):
            value.type.tensor_type.shape.SetInParent()
            for size in shape:
                value.type.tensor_type.shape.dim.add().dim_value = size
            changed = True
    return changed


def sizes_from_shapes(graph, shapes, sizes):
    """Adds the sizes of named dimensions that follow from the given shapes of inputs."""
    for value, shape in pair_shapes(graph, shapes):
        names = dimension_names(value)
        if len(shape) != len(names):
            raise UserError(f"input '{value.name}' has shape {shape_text(names)}, got {shape_text(shape)}")
        for name, size in zip(names, shape):
            if isinstance(name, str) and sizes.setdefault(name, size) != size:
                raise UserError(f"dimension {name} has two sizes: {sizes[name]} and {size}")
            if not isinstance(name, str) and name != size:
                raise UserError(
                    f"input '{value.name}' has shape {shape_text(names)}, got {shape_text(shape)}"
                )


def fix_scalars(graph, values):
    """Replaces the uses of integer scalar inputs by constants; the inputs stay, unused. Returns the fixed ones."""
    from onnx import numpy_helper

    fixed = {}
    for value in graph.input:
        tensor = value.type.tensor_type
        if value.name not in values or len(tensor.shape.dim) > 0 or tensor.elem_type not in (6, 7):
            continue
        fixed[value.name] = values[value.name]
        constant = numpy_helper.from_array(
            numpy_integer(tensor.elem_type, values[value.name]), value.name + "_fixed"
        )
        graph.initializer.append(constant)
        for one in list_graphs(graph):
            for node in one.node:
                for position, name in enumerate(node.input):
                    if name == value.name:
                        node.input[position] = constant.name
    return fixed


def numpy_integer(element, value):
    """Returns a scalar of ONNX type i32 or i64."""
    import numpy

    return numpy.array(value, dtype=numpy.int32 if element == 6 else numpy.int64)


def inline_constant_branches(model):
    """Replaces each If with a constant condition by the branch that it takes."""
    from onnx import helper

    import hone_onnx_rewrites

    graph = model.graph
    if all(node.op_type != "If" for node in graph.node):
        return
    constants = hone_onnx_rewrites.ConstantValues(infer_shapes(model))
    nodes = []
    changed = False
    for node in graph.node:
        condition = constants.find(node.input[0]) if node.op_type == "If" else None
        if condition is None or condition.size != 1:
            nodes.append(node)
            continue
        changed = True
        taken = bool(condition.item())
        wanted = "then_branch" if taken else "else_branch"
        branch = next(one.g for one in node.attribute if one.name == wanted)
        nodes.extend(branch.node)
        graph.initializer.extend(branch.initializer)
        for inner, outer in zip(branch.output, node.output):
            nodes.append(helper.make_node("Identity", [inner.name], [outer]))
    if changed:
        nodes = [type(node).FromString(node.SerializeToString()) for node in nodes]
        del graph.node[:]
        graph.node.extend(nodes)
        del graph.value_info[:]
        inline_constant_branches(model)


def choose_sizes(graph, request, fixed):
    """Returns the size of every dynamic dimension of the inputs, and those that hone chose."""
    sizes = {name: size for name, size in request["dims"].items() if name not in fixed}
    known = {}
    batch = []
    for value in graph.input:
        names = dimension_names(value)
        if names is None:
            raise UserError(f"input '{value.name}' has no shape; use --input '{value.name}=4x8xf32' to set it")
        for axis, name in enumerate(names):
            if isinstance(name, str):
                known.setdefault(name, f"input '{value.name}' has shape {shape_text(names)}")
                # The leading dimension of an image or a sequence is the batch.
                if axis == 0 and len(names) > 1 and name not in batch:
                    batch.append(name)
            if isinstance(name, str) and f"{value.name}.{axis}" in sizes:
                sizes[name] = sizes.pop(f"{value.name}.{axis}")
    for name in sizes:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise UserError(f"no dynamic dimension {name}; found {listed}")
    sizes_from_shapes(graph, request["shapes"], sizes)
    missing = [name for name in known if name not in sizes and name not in batch]
    if missing:
        example = ",".join(f"{name}=N" for name in missing)
        listed = "dimension " + missing[0] if len(missing) == 1 else "dimensions " + ", ".join(missing)
        raise UserError(f"no size for {listed} ({known[missing[0]]}); use --dim {example}")
    chosen = {name: 1 for name in known if name not in sizes}
    sizes.update(chosen)
    return sizes, chosen


def fix_dimensions(model, sizes):
    """Writes the sizes into the inputs, and into outputs that use the same names."""
    if not sizes:
        return
    graph = model.graph
    for value in list(graph.input) + list(graph.output):
        if not value.type.HasField("tensor_type"):
            continue
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            name = dimension_name(value, axis, dim)
            if not is_fixed(dim) and name in sizes:
                dim.dim_value = sizes[name]
    # Shapes of the dynamic model would contradict the new ones.
    del graph.value_info[:]
    for value in graph.output:
        for dim in value.type.tensor_type.shape.dim:
            if not is_fixed(dim):
                dim.Clear()


def infer_shapes(model):
    """Returns the model with inferred shapes, or as it is if inference fails."""
    import onnx

    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:
        return model


def complete_outputs(graph, inferred):
    """Sets the inferred types of outputs that have no shape: ONNX's checker requires one."""
    for value, known in zip(graph.output, inferred.output):
        if not value.type.tensor_type.HasField("shape") and known.type.tensor_type.HasField("shape"):
            value.type.CopyFrom(known.type)


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


def opset(model):
    """Returns the version of ONNX's own operators."""
    return next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)


def convert_opset(model, version):
    """Returns the model in a newer version of the operators."""
    from onnx import version_converter

    try:
        return version_converter.convert_version(model, version)
    except Exception as error:
        raise UserError(f"cannot convert opset {opset(model)} to {version}: {first_line(error)}") from error


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


# Domain of ONNX Runtime's own operators; IREE knows some of them.
RUNTIME_DOMAIN = "com.microsoft"

# ONNX Runtime's names of element types, with ONNX's numbers.
RUNTIME_ELEMENTS = {
    "tensor(float)": 1, "tensor(uint8)": 2, "tensor(int8)": 3, "tensor(uint16)": 4, "tensor(int16)": 5,
    "tensor(int32)": 6, "tensor(int64)": 7, "tensor(bool)": 9, "tensor(float16)": 10, "tensor(double)": 11,
    "tensor(uint32)": 12, "tensor(uint64)": 13, "tensor(bfloat16)": 16,
}


def foreign_nodes(model):
    """Yields the nodes whose operators are not ONNX's own."""
    for graph in list_graphs(model.graph):
        for node in graph.node:
            if node.domain not in ("", "ai.onnx"):
                yield node


def check_domains(model):
    """Rejects operators of domains that IREE does not know. Returns true if some are of ONNX Runtime."""
    found = False
    for node in foreign_nodes(model):
        if node.domain != RUNTIME_DOMAIN:
            raise UserError(
                f"IREE has no operator {node.op_type} of domain {node.domain} (node '{name_of(node)}'); "
                "export the model without it"
            )
        found = True
    return found


def check_operators(model):
    """Rejects operators that the model's version of ONNX does not have."""
    import onnx

    version = opset(model)
    for graph in list_graphs(model.graph):
        for node in graph.node:
            if node.domain not in ("", "ai.onnx") or onnx.defs.has(node.op_type, version):
                continue
            if onnx.defs.has(node.op_type):
                since = min(one.since_version for one in onnx.defs.get_all_schemas_with_history()
                            if one.name == node.op_type and one.domain == "")  # fmt: skip
                raise UserError(
                    f"operator {node.op_type} needs opset {since}, the model has {version} "
                    f"(node '{name_of(node)}'); export it with a newer opset"
                )
            raise UserError(
                f"ONNX has no operator {node.op_type} (node '{name_of(node)}'); export the model without it"
            )


def inline_functions(model):
    """Returns the model with the functions that it defines itself inlined."""
    from onnx import inliner

    if not model.functions:
        return model
    try:
        return inliner.inline_local_functions(model, convert_version=True)
    except Exception as error:
        raise UserError(f"cannot inline its functions: {first_line(error)}") from error


def definable_operators(model):
    """Returns the operators of the graph that ONNX defines by other operators."""
    import onnx

    version = opset(model)
    found = set()
    for graph in list_graphs(model.graph):
        for node in graph.node:
            if node.domain in ("", "ai.onnx") and onnx.defs.has(node.op_type, version):
                schema = onnx.defs.get_schema(node.op_type, version)
                if schema.has_function or schema.has_context_dependent_function:
                    found.add(node.op_type)
    return sorted(found)


def set_default_attributes(model, operators):
    """Writes out the attributes of operators that have their default value: the inliner drops them."""
    import onnx

    for graph in list_graphs(model.graph):
        for node in graph.node:
            if node.domain not in ("", "ai.onnx") or node.op_type not in operators:
                continue
            given = {attribute.name for attribute in node.attribute}
            schema = onnx.defs.get_schema(node.op_type, opset(model))
            for name, attribute in schema.attributes.items():
                if name not in given and attribute.default_value.name:
                    node.attribute.append(attribute.default_value)


def expand(model, operators):
    """Returns the model with operators replaced by their definitions."""
    from onnx import inliner

    typed = infer_shapes(model)
    set_default_attributes(typed, operators)
    try:
        return inliner.inline_selected_functions(
            typed, [("", name) for name in operators], inline_schema_functions=True
        )
    except Exception as error:
        raise UserError(f"cannot expand {', '.join(operators)}: {first_line(error)}") from error


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


def weight_bytes(model):
    """Returns the size of the weights."""
    return sum(len(tensor.raw_data) or 4 * len(tensor.float_data) for tensor in model.graph.initializer)


def explain_import(model, text):
    """Returns an error of the importer, with the name of the unknown type if that is the cause."""
    import onnx

    number = text.rpartition("element type: ")[2]
    if not number.isdigit():
        return text
    types = onnx.TensorProto.DataType
    name = types.Name(int(number)) if int(number) in types.values() else number
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    users = [one.name for one in values if one.type.tensor_type.elem_type == int(number)]
    users += [one.name for one in list_tensors(model.graph) if one.data_type == int(number)]
    where = f" ('{users[0]}')" if users else ""
    return f"no support for elements of type {name}{where}; export the model with another type"


def write_mlir(model, request, external):
    """Runs IREE's importer."""
    import onnx
    from iree.compiler.tools.import_onnx import __main__ as importer

    source = request["mlir"] + ".onnx"
    onnx.save(model, source)
    arguments = [source, "-o", request["mlir"]]
    if external:
        arguments += ["--externalize-params", "--save-params-to", request["parameters"]]
    try:
        importer.main(importer.parse_arguments(arguments))
    except Exception as error:
        raise UserError(f"iree-import-onnx: {explain_import(model, first_line(error))}") from error
    finally:
        os.remove(source)


def write_repaired(model, request, external, error):
    """Runs IREE's importer on the model as ONNX Runtime loads it, which accepts some that ONNX's checker rejects."""
    try:
        write_mlir(simplify(model, request["mlir"] + ".repaired.onnx"), request, external)
    except UserError:
        raise error from None


def run(request):
    """Performs a request."""
    import onnx

    import hone_onnx_rewrites

    model, weights = load(request["model"])
    drop_initialized_inputs(model)
    if not model.graph.name:
        model.graph.name = os.path.splitext(os.path.basename(request["model"]))[0]
    model = inline_functions(model)
    foreign = check_domains(model)
    check_operators(model)
    check_elements(model.graph)
    shaped = set_missing_shapes(model.graph, request["shapes"])
    original = [dimension_names(value) for value in model.graph.input]
    fixed = fix_scalars(model.graph, request["dims"])
    sizes, chosen = choose_sizes(model.graph, request, fixed)
    fix_dimensions(model, sizes)
    hone_onnx_rewrites.set_forgotten_defaults(model.graph)
    complete_outputs(model.graph, infer_shapes(model).graph)
    inline_constant_branches(model)
    fixes = bool(sizes or fixed or shaped)
    if fixes:
        onnx.save(model, request["fixed"])
    reply = describe(infer_shapes(model), {**sizes, **fixed}, chosen, original)
    reply["weights"] = weights
    reply["fixed"] = fixes
    reply["definable"] = definable_operators(model)
    reply["domains"] = {node.op_type: node.domain for node in foreign_nodes(model)}
    if request["expand"]:
        model = expand(model, request["expand"])
    if request["simplify"]:
        model = simplify(model, request["mlir"] + ".simple.onnx")
    inferred = infer_shapes(model)
    while hone_onnx_rewrites.rewrite(inferred):  # the new shapes may allow more
        model = inferred
        inferred = infer_shapes(model)
    if foreign:
        infer_runtime_types(model)
    if 0 < opset(model) < request["opset"]:
        model = convert_opset(model, request["opset"])
    reply["nodes"] = list(list_nodes(model.graph))  # those of the module
    reply["external"] = weight_bytes(model) >= request["externalize"]
    try:
        write_mlir(model, request, reply["external"])
    except UserError as error:
        write_repaired(model, request, reply["external"], error)
    with open(request["reply"], "w", encoding="utf-8") as file:
        json.dump(reply, file)


def remove_written(request):
    """Removes the files of a request that failed."""
    for member in ("mlir", "fixed", "parameters", "reply"):
        if os.path.exists(request[member]):
            os.remove(request[member])


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        run(request)
    except Exception as error:
        remove_written(request)
        return report(error)
    return 0


def report(error):
    """Prints an error in one line and returns the exit code."""
    if isinstance(error, UserError):
        print(f"error: {error}", file=sys.stderr)
        return 2
    if isinstance(error, ModuleNotFoundError):
        print(f"error: {first_line(error)}", file=sys.stderr)
        return 3
    raise error


if __name__ == "__main__":
    sys.exit(main())

"""Sizes of dynamic dimensions and values of scalar inputs: chosen, checked and written into a model."""

from hone_onnx.errors import UserError
from hone_onnx.graph import list_graphs


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


def complete_outputs(graph, inferred):
    """Sets the inferred types of outputs that have no shape: ONNX's checker requires one."""
    for value, known in zip(graph.output, inferred.output):
        if not value.type.tensor_type.HasField("shape") and known.type.tensor_type.HasField("shape"):
            value.type.CopyFrom(known.type)


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

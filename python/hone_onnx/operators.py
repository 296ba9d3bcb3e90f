"""Operators of a model: checks, and replacement by others that IREE knows."""

from hone_onnx.errors import UserError, first_line
from hone_onnx.graph import foreign_nodes, infer_shapes, list_graphs, name_of, opset
from hone_onnx.runtime import RUNTIME_DOMAIN


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


def inline_constant_branches(model):
    """Replaces each If with a constant condition by the branch that it takes."""
    from onnx import helper

    from hone_onnx.rewrites import ConstantValues

    graph = model.graph
    if all(node.op_type != "If" for node in graph.node):
        return
    constants = ConstantValues(infer_shapes(model))
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


def convert_opset(model, version):
    """Returns the model in a newer version of the operators."""
    from onnx import version_converter

    try:
        return version_converter.convert_version(model, version)
    except Exception as error:
        raise UserError(f"cannot convert opset {opset(model)} to {version}: {first_line(error)}") from error


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

"""Access to the nodes, constants and operator versions of an ONNX model."""


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


def foreign_nodes(model):
    """Yields the nodes whose operators are not ONNX's own."""
    for graph in list_graphs(model.graph):
        for node in graph.node:
            if node.domain not in ("", "ai.onnx"):
                yield node


def opset(model):
    """Returns the version of ONNX's own operators."""
    return next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)


def weight_bytes(model):
    """Returns the size of the weights."""
    return sum(len(tensor.raw_data) or 4 * len(tensor.float_data) for tensor in model.graph.initializer)


def infer_shapes(model):
    """Returns the model with inferred shapes, or as it is if inference fails."""
    import onnx

    try:
        return onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:
        return model

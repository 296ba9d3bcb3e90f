"""Replaces operators of an ONNX model that IREE does not compile by others with the same results.

Each rewrite is for one kind of node, and applies only if the values and shapes that it needs are known:
  Pad, Reshape, Slice, …      computed but constant pads, shapes and bounds become constants
  STFT                        the attribute onesided is written out: shape inference forgets its default
  Pad                         mirrored values are gathered, negative pads cut
  Slice                       backward slices are gathered
  Conv, MaxPool, AveragePool  input that no window reads is cut if a dimension of the result has size 1
  GRU, LSTM, RNN              backward layers read and write their sequence in reverse order
  DFT                         becomes a product with a constant matrix
"""

import numpy
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

# Operators whose result has a shape that depends on values, with the positions of these inputs.
SHAPE_OPERANDS = {
    "ConstantOfShape": [0], "Expand": [1], "Pad": [1, 3], "Reshape": [1], "Slice": [1, 2, 3, 4], "Squeeze": [1],
    "Tile": [1], "Unsqueeze": [1],
}  # fmt: skip

# Operators with more constant input than this are not evaluated.
MAX_ELEMENTS = 1 << 16


def attribute_of(node, name, default=None):
    """Returns the value of an attribute."""
    return next((helper.get_attribute_value(one) for one in node.attribute if one.name == name), default)


class ConstantValues:
    """Values of a graph that do not depend on its inputs."""

    def __init__(self, model):
        self.opsets = model.opset_import
        self.shapes = known_shapes(model.graph)
        self.values = {tensor.name: tensor for tensor in model.graph.initializer}
        self.producers = {output: node for node in model.graph.node for output in node.output}

    def find(self, name):
        """Returns the value, or None if it is not constant or too large to compute."""
        pending = [name]
        while pending:
            current = pending[-1]
            node = self.producers.get(current)
            if current in self.values or node is None:
                pending.pop()
                continue
            unknown = [one for one in node.input if one and one not in self.values and one in self.producers]
            if unknown:
                pending.extend(unknown)
                continue
            pending.pop()
            self.evaluate(node)
        value = self.values.get(name)
        return numpy_helper.to_array(value) if isinstance(value, TensorProto) else value

    def evaluate(self, node):
        """Sets the values of the node's outputs."""
        self.values.update((output, None) for output in node.output)
        if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            return
        if node.op_type == "Shape" and min(self.shapes.get(node.input[0], [-1]), default=0) >= 0:
            bounds = slice(attribute_of(node, "start", 0), attribute_of(node, "end"))
            self.values[node.output[0]] = numpy.array(self.shapes[node.input[0]][bounds], numpy.int64)
            return
        feeds = {one: self.find(one) for one in node.input if one}
        if any(value is None or value.size > MAX_ELEMENTS for value in feeds.values()):
            return
        graph = helper.make_graph(
            [node],
            "constant",
            [helper.make_tensor_value_info(name, 0, None) for name in feeds],
            [helper.make_tensor_value_info(name, 0, None) for name in node.output if name],
        )
        try:
            model = helper.make_model(graph, opset_imports=self.opsets)
            results = ReferenceEvaluator(model).run(None, feeds)
        except Exception:  # an operator that the evaluator does not know
            return
        self.values.update(zip([name for name in node.output if name], results))


def known_shapes(graph):
    """Returns the shapes of values by name, -1 for a dimension that is not known."""
    shapes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in [*graph.value_info, *graph.input, *graph.output]:
        tensor = value.type.tensor_type
        if tensor.HasField("shape"):
            shapes[value.name] = [one.dim_value if one.HasField("dim_value") else -1 for one in tensor.shape.dim]
    return shapes


class Rewriter:
    """Rewrites the nodes of a model with inferred shapes."""

    def __init__(self, model):
        self.graph = model.graph
        self.opset = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)
        self.constants = ConstantValues(model)
        self.shapes = self.constants.shapes
        self.names = {name for node in model.graph.node for name in [*node.input, *node.output]}
        self.nodes = []  # of the node in work

    def run(self):
        """Rewrites all nodes. Returns true if some changed."""
        rewrites = {
            "Pad": self.pad, "Slice": self.slice, "DFT": self.transform,
            "Conv": self.window, "MaxPool": self.window, "AveragePool": self.window,
            "GRU": self.recurrent, "LSTM": self.recurrent, "RNN": self.recurrent,
        }  # fmt: skip
        kept = []
        changed = False
        for node in self.graph.node:
            changed = self.fix_shape(node) or changed
            self.nodes = []
            rewrite = rewrites.get(node.op_type) if node.domain in ("", "ai.onnx") else None
            if rewrite is not None and rewrite(node):
                name = node.name or node.output[0]
                for number, one in enumerate(self.nodes):
                    one.name = f"{name}_{number}" if number else name  # messages name the original
                kept.extend(self.nodes)
                changed = True
            else:
                kept.append(node)
        if changed:
            kept = [type(node).FromString(node.SerializeToString()) for node in kept]
            del self.graph.node[:]
            self.graph.node.extend(kept)
        return changed

    def fix_shape(self, node):
        """Replaces computed but constant inputs that determine the shape of the result, so that it can be inferred."""
        changed = False
        for position in SHAPE_OPERANDS.get(node.op_type, []) if node.domain in ("", "ai.onnx") else []:
            producer = self.constants.producers.get(node.input[position]) if self.is_given(node, position) else None
            value = None
            if producer is not None and producer.op_type != "Constant":
                value = self.constants.find(node.input[position])
            if value is not None and value.dtype == numpy.int64:
                node.input[position] = self.constant(value, node.input[position])
                changed = True
        return changed

    def unique(self, name):
        """Returns a name that no value has."""
        number = 0
        while f"{name}_{number}" in self.names:
            number += 1
        self.names.add(f"{name}_{number}")
        return f"{name}_{number}"

    def constant(self, array, name):
        """Adds a constant and returns its name."""
        name = self.unique(name)
        self.graph.initializer.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
        return name

    def emit(self, operator, inputs, output, **attributes):
        """Adds a node and returns the name of its result."""
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def gather(self, data, indices, axis, output=None):
        """Selects elements of an axis."""
        chosen = self.constant(numpy.asarray(indices, numpy.int64), f"{data}_indices")
        return self.emit("Gather", [data, chosen], output or self.unique(data), axis=int(axis))

    def cut(self, data, bounds, output=None):
        """Keeps the elements of each axis of `bounds` from a first one to before a last one."""
        output = output or self.unique(data)
        columns = [[int(bounds[axis][0]) for axis in bounds], [int(bounds[axis][1]) for axis in bounds], list(bounds)]
        if self.opset < 10:
            return self.emit("Slice", [data], output, starts=columns[0], ends=columns[1], axes=columns[2])
        arrays = [self.constant(numpy.array(one, numpy.int64), f"{data}_cut") for one in columns]
        return self.emit("Slice", [data, *arrays], output)

    def finish(self, name, output):
        """Gives a value the name that its users know."""
        self.emit("Identity", [name], output)
        return True

    def operand(self, node, position, attribute=None):
        """Returns the constant value of an input, or of the attribute of older versions; None if not known."""
        if len(node.input) > position and node.input[position]:
            return self.constants.find(node.input[position])
        value = attribute_of(node, attribute) if attribute else None
        return None if value is None else numpy.asarray(value)

    def is_given(self, node, position):
        """Returns true if the node has an input at the position."""
        return len(node.input) > position and bool(node.input[position])

    # Padding and slicing

    def pad(self, node):
        """Gathers mirrored values, and cuts what negative pads remove."""
        shape = self.shapes.get(node.input[0])
        pads = self.operand(node, 1, "pads")
        if shape is None or pads is None:
            return False
        axes = self.operand(node, 3)
        if axes is None and self.is_given(node, 3):
            return False
        axes = range(len(shape)) if axes is None else [int(axis) % len(shape) for axis in axes]
        widths = {axis: (int(pads[i]), int(pads[i + len(pads) // 2])) for i, axis in enumerate(axes)}
        widths = {axis: width for axis, width in widths.items() if any(width)}
        if any(shape[axis] < 1 for axis in widths):
            return False
        mode = attribute_of(node, "mode", b"constant").decode()
        if mode == "constant":
            return self.pad_with_constant(node, shape, widths)
        cuts = any(size < 0 for width in widths.values() for size in width)
        if mode != "reflect" and (mode != "edge" or not cuts):
            return False
        data = node.input[0]
        for axis, (low, high) in widths.items():
            places = numpy.pad(numpy.arange(shape[axis]), (max(low, 0), max(high, 0)), mode=mode)
            data = self.gather(data, places[max(-low, 0) : len(places) - max(-high, 0)], axis)
        return self.finish(data, node.output[0])

    def pad_with_constant(self, node, shape, widths):
        """Replaces negative pads."""
        bounds = {
            axis: (max(-low, 0), shape[axis] - max(-high, 0))
            for axis, (low, high) in widths.items()
            if min(low, high) < 0
        }
        if not bounds or self.opset < 11:
            return False
        data = self.cut(node.input[0], bounds)
        rest = numpy.zeros((2, len(shape)), numpy.int64)
        for axis, (low, high) in widths.items():
            rest[:, axis] = max(low, 0), max(high, 0)
        pads = self.constant(rest.reshape(-1), f"{data}_pads")
        self.emit("Pad", [data, pads, *node.input[2:3]], node.output[0])
        return True

    def slice(self, node):
        """Gathers the elements of axes with a negative step."""
        shape = self.shapes.get(node.input[0])
        if len(node.input) < 5 or not node.input[4] or shape is None:
            return False
        if self.constants.find(node.input[0]) is not None:
            return False  # computed by the compiler, often a shape
        columns = [self.operand(node, position) for position in (1, 2, 4)]
        axes = self.operand(node, 3)
        if any(one is None for one in columns) or (axes is None and self.is_given(node, 3)):
            return False
        axes = range(len(columns[0])) if axes is None else [int(axis) % len(shape) for axis in axes]
        rows = {axis: [int(column[i]) for column in columns] for i, axis in enumerate(axes)}
        backward = {axis: row for axis, row in rows.items() if row[2] < 0}
        if not backward or any(shape[axis] < 0 for axis in backward):
            return False
        data = node.input[0]
        for axis, (start, end, step) in backward.items():
            size = shape[axis]
            start = min(max(start + size if start < 0 else start, 0), size - 1)
            end = min(max(end + size if end < 0 else end, -1), size - 1)
            data = self.gather(data, numpy.arange(start, end, step), axis)
        forward = {axis: row for axis, row in rows.items() if row[2] >= 0}
        if not forward:
            return self.finish(data, node.output[0])
        columns = [list(column) for column in zip(*forward.values())]
        columns.insert(2, list(forward))
        arrays = [self.constant(numpy.array(one, numpy.int64), f"{data}_slice") for one in columns]
        self.emit("Slice", [data, *arrays], node.output[0])
        return True

    # Windows

    def window(self, node):
        """Cuts the end of the input that no window reads, in dimensions with a single window."""
        shape = self.shapes.get(node.input[0])
        kernel = attribute_of(node, "kernel_shape")
        if kernel is None and node.op_type == "Conv":
            kernel = self.shapes.get(node.input[1], [])[2:]
        if not shape or not kernel or len(shape) != len(kernel) + 2:
            return False
        if attribute_of(node, "auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID", b""):
            return False
        if attribute_of(node, "ceil_mode", 0):
            return False  # a partial window at the end
        rank = len(kernel)
        strides = attribute_of(node, "strides", [1] * rank)
        dilations = attribute_of(node, "dilations", [1] * rank)
        pads = list(attribute_of(node, "pads", [0] * (2 * rank)))
        bounds = {}
        fewer = False
        for i in range(rank):
            size = shape[i + 2]
            rest = size + pads[i] + pads[i + rank] - ((kernel[i] - 1) * dilations[i] + 1)
            if size < 1 or not 0 < rest < strides[i]:
                continue
            outside = min(rest, max(pads[i + rank], 0))
            pads[i + rank] -= outside
            fewer = fewer or outside > 0
            if rest > outside:
                bounds[i + 2] = (0, size - (rest - outside))
        if not bounds and not fewer:
            return False
        data = self.cut(node.input[0], bounds) if bounds else node.input[0]
        self.nodes.append(type(node).FromString(node.SerializeToString()))
        copy = self.nodes[-1]
        copy.input[0] = data
        if fewer:
            kept = [one for one in copy.attribute if one.name != "pads"]
            del copy.attribute[:]
            copy.attribute.extend([*kept, helper.make_attribute("pads", pads)])
        return True

    # Recurrent layers

    def recurrent(self, node):
        """Replaces a layer with a backward direction by forward layers on the reversed sequence."""
        direction = attribute_of(node, "direction", b"forward").decode()
        if direction == "forward" or (direction == "bidirectional" and node.op_type == "LSTM"):
            return False
        steps = (self.shapes.get(node.input[0]) or [-1])[0]
        if steps < 1 or attribute_of(node, "layout", 0) != 0:
            return False
        lengths = self.operand(node, 4)
        if self.is_given(node, 4) and (lengths is None or not (lengths == steps).all()):
            return False
        if any(one.name in ("activation_alpha", "activation_beta") for one in node.attribute):
            return False
        directions = [False, True] if direction == "bidirectional" else [True]
        parts = [self.one_direction(node, i, len(directions), backward) for i, backward in enumerate(directions)]
        for position, output in enumerate(node.output):
            if output:
                self.emit("Concat", [part[position] for part in parts], output, axis=1 if position == 0 else 0)
        return True

    def one_direction(self, node, number, count, backward):
        """Emits the layer of one direction. Returns the names of its outputs, "" for those without a use."""
        order = numpy.arange(self.shapes[node.input[0]][0])[::-1]
        inputs = [self.gather(node.input[0], order, 0) if backward else node.input[0]]
        for position in range(1, len(node.input)):
            name = node.input[position] if position != 4 else ""
            inputs.append(self.select_direction(name, number) if name and count > 1 else name)
        outputs = [self.unique(f"{node.output[0] or node.name}_{number}") if one else "" for one in node.output]
        attributes = {
            one.name: helper.get_attribute_value(one)
            for one in node.attribute
            if one.name not in ("direction", "activations")
        }
        activations = attribute_of(node, "activations")
        if activations:
            each = len(activations) // count
            attributes["activations"] = activations[number * each : (number + 1) * each]
        self.nodes.append(helper.make_node(node.op_type, inputs, outputs, direction="forward", **attributes))
        if backward and outputs[0]:
            outputs[0] = self.gather(outputs[0], order, 0)
        return outputs

    def select_direction(self, name, number):
        """Returns the weights or the state of one direction."""
        value = next((one for one in self.graph.initializer if one.name == name), None)
        if value is None:
            return self.cut(name, {0: (number, number + 1)})
        return self.constant(numpy_helper.to_array(value)[number : number + 1], f"{name}_{number}")

    # Fourier transform

    def transform(self, node):
        """Replaces a transform of known length by a product with a constant matrix."""
        shape = self.shapes.get(node.input[0])
        if not shape or attribute_of(node, "inverse", 0) or shape[-1] not in (1, 2):
            return False
        if self.is_given(node, 2):  # since opset 20
            axis = self.operand(node, 2)
        else:
            axis = numpy.array(attribute_of(node, "axis", 1 if self.opset < 20 else -2))
        given = self.operand(node, 1)
        if axis is None or (given is None and self.is_given(node, 1)):
            return False
        axis = int(axis.item()) % len(shape)
        size = shape[axis]
        length = size if given is None else int(given.item())
        if size < 1 or length < 1 or axis == len(shape) - 1 or self.element_type(node.input[0]) != TensorProto.FLOAT:
            return False
        onesided = bool(attribute_of(node, "onesided", 0))
        matrix = fourier_matrix(min(size, length), length, shape[-1], onesided)
        data = node.input[0] if size <= length else self.cut(node.input[0], {axis: (0, length)})
        return self.multiply(node, data, axis, matrix)

    def multiply(self, node, data, axis, matrix):
        """Emits the product of an axis and the last axis with a matrix of both."""
        rank = len(self.shapes[node.input[0]])
        rows, columns = matrix.shape
        others = [i for i in range(rank) if i not in (axis, rank - 1)]
        order = [*others, axis, rank - 1]
        if order != sorted(order):
            data = self.emit("Transpose", [data], self.unique(data), perm=order)
        # Sizes of 0 are those of the input.
        flat = self.constant(numpy.array([0] * len(others) + [rows], numpy.int64), f"{data}_shape")
        pairs = self.constant(numpy.array([0] * len(others) + [columns // 2, 2], numpy.int64), f"{data}_shape")
        data = self.emit("Reshape", [data, flat], self.unique(data))
        data = self.emit("MatMul", [data, self.constant(matrix, f"{data}_matrix")], self.unique(data))
        data = self.emit("Reshape", [data, pairs], self.unique(data))
        back = [order.index(i) for i in range(rank)]
        if back != sorted(back):
            data = self.emit("Transpose", [data], self.unique(data), perm=back)
        return self.finish(data, node.output[0])

    def element_type(self, name):
        """Returns the element type of a value, or 0."""
        for value in [*self.graph.value_info, *self.graph.input, *self.graph.output]:
            if value.name == name:
                return value.type.tensor_type.elem_type
        return 0


def fourier_matrix(size, length, parts, onesided):
    """Returns the matrix from `size` numbers of `parts` parts to the pairs of the transform's results."""
    bins = length // 2 + 1 if onesided else length
    turns = numpy.outer(numpy.arange(size), numpy.arange(bins)) % length
    angles = 2 * numpy.pi * turns / length
    matrix = numpy.zeros((size, parts, bins, 2))
    matrix[:, 0, :, 0] = numpy.cos(angles)
    matrix[:, 0, :, 1] = -numpy.sin(angles)
    if parts == 2:
        matrix[:, 1, :, 0] = numpy.sin(angles)
        matrix[:, 1, :, 1] = numpy.cos(angles)
    return matrix.reshape(size * parts, bins * 2).astype(numpy.float32)


def set_forgotten_defaults(graph):
    """Writes out default values of attributes that shape inference ignores."""
    for node in graph.node:
        if node.op_type == "STFT" and attribute_of(node, "onesided") is None:
            node.attribute.append(helper.make_attribute("onesided", 1))


def rewrite(model):
    """Rewrites a model with inferred shapes in place. Returns true if it changed."""
    return Rewriter(model).run()

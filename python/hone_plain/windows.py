"""Convolutions and pooling: reductions over windows."""

import functools
import math

from hone_plain.syntax import quotient
from hone_plain.writer import Unsupported, Value


def convolution(translator, name, node):
    """Returns the value of a convolution, None for any other operator."""
    if name != "convolution":
        return None
    x, weight = translator.stored(node.args[0]), translator.stored(node.args[1])
    bias, stride, padding, dilation, transposed, _, groups = node.args[2:9]
    if transposed:
        raise Unsupported("a transposed convolution")
    channels, kernel, size = weight.shape[1], weight.shape[2:], x.shape[2:]
    per_group = weight.shape[0] // groups
    syntax = translator.out.syntax

    def term(index, loops):
        group = quotient(index[1], per_group, syntax) if groups > 1 else "0"
        channel = f"{group} * {channels} + {loops[0]}" if groups > 1 else loops[0]
        places, tests = [], []
        for at in range(len(kernel)):
            place = f"{index[2 + at]} * {stride[at]} + {loops[1 + at]} * {dilation[at]}"
            if padding[at] > 0:
                place += f" - {padding[at]}"
                tests += [f"({place} >= 0)", f"({place} < {size[at]})"]
                place = syntax.clamp(place, size[at] - 1)
            places.append(place)
        factor = weight.element([index[1], *loops])
        product = f"{x.element([index[0], channel, *places])} * {factor}"
        if not tests:
            return product
        condition = functools.reduce(syntax.both, tests)
        return translator.out.format("where", [condition, product, syntax.number(0)])

    if len(kernel) > 2:
        raise Unsupported("a convolution with more than two dimensions")
    both = Value((), None, x.tensors | weight.tensors)
    result = translator.out.reduce(both, node.meta["val"].shape, term, [channels, *kernel], 0, "+")
    if bias is None:
        return result
    offset = translator.value(bias)
    per_channel = (offset.shape[0], *([1] * len(kernel)))
    shaped = Value(per_channel, lambda index: offset.element(index[:1]), offset.tensors)
    return translator.out.call("+", result, shaped)


def pooling(translator, name, node):
    """Returns the value of a pooling, None for any other operator."""
    largest = name in ("max_pool2d_with_indices", "max_pool3d_with_indices")
    if not largest and name not in ("avg_pool1d", "avg_pool2d", "avg_pool3d"):
        return None
    x = translator.stored(node.args[0])
    kernel = node.args[1]
    rank, syntax = len(kernel), translator.out.syntax
    options = [*node.args[2:], *([None] * 5)]
    stride = options[0] or kernel
    padding, dilation = options[1] or [0] * rank, (options[2] if largest else None) or [1] * rank
    if not largest:
        ceil, include_padding, divisor = options[2:5]
        if ceil or divisor or (include_padding is False and any(padding)):
            raise Unsupported("this average pooling")
    kept, size = len(x.shape) - rank, x.shape[-rank:]
    neutral = -math.inf if largest else 0
    result = node.meta["val"]
    shape = (result[0] if largest else result).shape

    def term(index, loops):
        places, tests = [], []
        for at in range(rank):
            place = f"{index[kept + at]} * {stride[at]} + {loops[at]} * {dilation[at]}"
            last = (shape[kept + at] - 1) * stride[at] + (kernel[at] - 1) * dilation[at]
            if padding[at] > 0 or last >= size[at]:
                place += f" - {padding[at]}"
                tests += [f"({place} >= 0)", f"({place} < {size[at]})"]
                place = syntax.clamp(place, size[at] - 1)
            places.append(place)
        element = x.element([*index[:kept], *places])
        if not tests:
            return element
        condition = functools.reduce(syntax.both, tests)
        return translator.out.format("where", [condition, element, syntax.number(neutral)])

    count = syntax.number(math.prod(kernel))
    mean = None if largest else lambda total: f"{total} / {count}"
    operator = "maximum" if largest else "+"
    return translator.out.reduce(x, shape, term, kernel, neutral, operator, mean)

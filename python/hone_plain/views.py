"""Operators that only rename elements."""

import math

from hone_plain.syntax import flat, quotient
from hone_plain.writer import Value


def view(translator, name, node):
    """Returns the value of an operator that only renames elements, None for any other."""
    if name in ("clone", "alias", "detach", "_to_copy", "contiguous", "lift_fresh_copy"):
        return translator.value(node.args[0])
    if name not in ("permute", "t", "transpose", "expand", "view", "_unsafe_view", "reshape",
                    "unsqueeze", "squeeze"):
        return None
    shape = tuple(node.meta["val"].shape)
    if name == "permute":
        source = translator.value(node.args[0])
        order = [at % max(len(shape), 1) for at in node.args[1]]

        def permuted(index):
            return source.element([index[order.index(at)] for at in range(len(order))])

        return Value(shape, permuted, source.tensors)
    if name in ("t", "transpose"):
        source = translator.value(node.args[0])
        a, b = (0, 1) if name == "t" else (at % len(shape) for at in node.args[1:3])

        def swapped(index):
            index = list(index)
            index[a], index[b] = index[b], index[a]
            return source.element(index)

        return Value(shape, swapped if len(shape) > 1 else source.element, source.tensors)
    if name == "expand":
        source = translator.value(node.args[0])
        missing = len(shape) - len(source.shape)

        def expanded(index):
            own = zip(source.shape, index[missing:])
            return source.element(["0" if size == 1 else one for size, one in own])

        return Value(shape, expanded, source.tensors)
    source = translator.value(node.args[0])
    syntax = translator.out.syntax

    def reshaped(index):
        kept = [one for size, one in zip(shape, index) if size != 1]
        large = [size for size in shape if size != 1]
        if large == [size for size in source.shape if size != 1]:
            rest = iter(kept)  # only dimensions of size 1 come or go
            return source.element([next(rest) if size != 1 else "0" for size in source.shape])
        offset, own, below = flat(shape, index), [], math.prod(source.shape)
        for size in source.shape:
            below //= size
            own.append(f"(({quotient(offset, below, syntax)}) % {size})")
        return source.element(own)

    return Value(shape, reshaped, source.tensors)

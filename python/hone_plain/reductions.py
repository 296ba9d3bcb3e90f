"""Reductions, matrix products and normalizations."""

import math

from hone_plain.writer import Value


def reduction(translator, name, node):
    """Returns the value of a sum, a mean or an extremum, None for any other operator."""
    if name not in ("sum", "mean", "amax", "amin"):
        return None
    value = translator.stored(node.args[0])
    rank = len(value.shape)
    dims = node.args[1] if len(node.args) > 1 else None
    dims = [dims] if isinstance(dims, int) else dims or range(rank)
    dims = sorted(at % rank for at in dims)
    keep = bool(node.args[2]) if len(node.args) > 2 else node.kwargs.get("keepdim", False)
    sizes = [value.shape[at] for at in dims]
    count = math.prod(sizes)

    def term(index, loops):
        rest, inner = iter(index), iter(loops)
        own = []
        for at in range(rank):
            if at in dims:
                own.append(next(inner))
                if keep:
                    next(rest)
            else:
                own.append(next(rest))
        return value.element(own)

    start = {"amax": -math.inf, "amin": math.inf}.get(name, 0)
    operator = {"amax": "maximum", "amin": "minimum"}.get(name, "+")
    finish = None
    if name == "mean":
        finish = lambda total: f"{total} / {translator.out.syntax.number(count)}"
    return translator.out.reduce(value, node.meta["val"].shape, term, sizes, start, operator, finish)


def product(translator, name, node):
    """Returns the value of a matrix product, None for any other operator."""
    if name not in ("mm", "bmm", "addmm"):
        return None
    a, b = (translator.stored(node.args[at]) for at in ((1, 2) if name == "addmm" else (0, 1)))
    both = Value((), None, a.tensors | b.tensors)

    def term(index, loops):
        left = a.element([*index[:-1], loops[0]])
        right = b.element([*index[:-2], loops[0], index[-1]])
        return f"{left} * {right}"

    result = translator.out.reduce(both, node.meta["val"].shape, term, [a.shape[-1]], 0, "+")
    return translator.out.call("+", result, translator.value(node.args[0])) if name == "addmm" else result


def softmax(translator, name, node):
    """Returns the value of a softmax or its logarithm, None for any other operator."""
    if name not in ("_softmax", "_log_softmax"):
        return None
    x = translator.stored(node.args[0])
    rank, call = len(x.shape), translator.out.call
    dim = node.args[1] % rank
    shape = [1 if at == dim else size for at, size in enumerate(x.shape)]

    def along(value):
        return lambda index, loops: value.element([*index[:dim], loops[0], *index[dim + 1:]])

    largest = translator.out.reduce(x, shape, along(x), [x.shape[dim]], -math.inf, "maximum")
    shifted = call("-", x, largest)
    powers = translator.out.store(call("exp", shifted))
    total = translator.out.reduce(powers, shape, along(powers), [x.shape[dim]], 0, "+")
    if name == "_softmax":
        return call("/", powers, total)
    return call("-", shifted, call("log", total))


def layer_norm(translator, name, node):
    """Returns the value of a layer normalization, None for any other operator."""
    if name != "native_layer_norm":
        return None
    x, normalized = translator.stored(node.args[0]), len(node.args[1])
    kept = len(x.shape) - normalized
    shape = [*x.shape[:kept], *([1] * normalized)]
    sizes = x.shape[kept:]
    mean_of = lambda total: f"{total} / {translator.out.syntax.number(math.prod(sizes))}"
    own = lambda value: lambda index, loops: value.element([*index[:kept], *loops])
    call = translator.out.call
    mean = translator.out.reduce(x, shape, own(x), sizes, 0, "+", mean_of)
    centred = translator.out.store(call("-", x, mean))
    square = call("*", centred, centred)
    variance = translator.out.reduce(square, shape, own(square), sizes, 0, "+", mean_of)
    scale = call("rsqrt", call("+", variance, translator.out.constant(node.args[4])))
    result = call("*", centred, scale)
    for at, function in ((2, "*"), (3, "+")):
        if node.args[at] is not None:
            result = call(function, result, translator.value(node.args[at]))
    return result

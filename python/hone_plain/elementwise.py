"""Operators that compute each element from the elements at its place."""

import math


def elementwise(translator, name, node):
    """Returns the value of an element-wise operator, None for any other."""
    arguments = node.args
    call, number = translator.out.call, translator.out.constant
    value = lambda at: translator.value(arguments[at])
    simple = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
    simple |= {"gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "=="}
    scaled = node.kwargs.get("alpha", 1) != 1 or node.kwargs.get("rounding_mode")
    if name in simple and not scaled:
        return call(simple[name], value(0), value(1))
    if name in ("exp", "log", "sqrt", "rsqrt", "tanh", "erf", "sin", "cos", "abs"):
        return call(name, value(0))
    if name in ("maximum", "minimum"):
        return call(name, value(0), value(1))
    if name == "where":
        return call(name, value(0), value(1), value(2))
    if name == "relu":
        return call("maximum", value(0), number(0))
    if name == "neg":
        return call("-", number(0), value(0))
    if name == "reciprocal":
        return call("/", number(1), value(0))
    if name == "sigmoid":
        power = call("exp", call("-", number(0), value(0)))
        return call("/", number(1), call("+", number(1), power))
    if name == "pow" and isinstance(arguments[1], (int, float)):
        x = value(0)
        return call("*", x, x) if arguments[1] == 2 else call("pow", x, value(1))
    if name == "clamp" or name == "hardtanh":
        bounds = list(arguments[1:]) + [None, None]
        result = value(0)
        for bound, function in zip(bounds, ("maximum", "minimum")):
            if bound is not None:
                result = call(function, result, number(bound))
        return result
    if name == "gelu":
        x = value(0)
        if node.kwargs.get("approximate", "none") == "tanh":
            cube = call("*", call("*", x, x), x)
            sum_ = call("+", x, call("*", number(0.044715), cube))
            inner = call("*", number(math.sqrt(2 / math.pi)), sum_)
            factor = call("+", number(1), call("tanh", inner))
        else:
            factor = call("+", number(1), call("erf", call("*", x, number(math.sqrt(0.5)))))
        return call("*", call("*", number(0.5), x), factor)
    return None

"""Syntax of the languages that plain kernels are written in."""

import math


class Cpp:
    """Syntax of C++; tensors are flat arrays."""

    functions = {
        "exp": "std::exp({0})", "log": "std::log({0})", "sqrt": "std::sqrt({0})",
        "rsqrt": "(1.0f / std::sqrt({0}))", "tanh": "std::tanh({0})", "erf": "std::erf({0})",
        "sin": "std::sin({0})", "cos": "std::cos({0})", "abs": "std::fabs({0})",
        "maximum": "std::fmax({0}, {1})", "minimum": "std::fmin({0}, {1})",
        "pow": "std::pow({0}, {1})", "where": "({0} ? {1} : {2})",
    }

    @staticmethod
    def number(value):
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return repr(float(value)) + "f"

    @staticmethod
    def load(name, shape, index):
        return f"{name}[{flat(shape, index)}]"

    @staticmethod
    def loop(variable, size, indent):
        return f"{indent}for (std::int64_t {variable} = 0; {variable} < {size}; ++{variable}) {{\n"

    @staticmethod
    def close(indent):
        return f"{indent}}}\n"

    @staticmethod
    def assign(target, value, indent, operator="="):
        return f"{indent}{target} {operator} {value};\n"

    @staticmethod
    def clamp(place, top):
        return f"std::clamp<std::int64_t>({place}, 0, {top})"

    @staticmethod
    def both(a, b):
        return f"({a} && {b})"

    @staticmethod
    def accumulator(name, value, indent):
        return f"{indent}float {name} = {value};\n", name


class TileLang:
    """Syntax of TileLang; each step is one program."""

    functions = {
        "exp": "T.exp({0})", "log": "T.log({0})", "sqrt": "T.sqrt({0})",
        "rsqrt": "(1.0 / T.sqrt({0}))", "tanh": "T.tanh({0})", "erf": "T.erf({0})",
        "sin": "T.sin({0})", "cos": "T.cos({0})", "abs": "T.abs({0})",
        "maximum": "T.max({0}, {1})", "minimum": "T.min({0}, {1})",
        "pow": "T.pow({0}, {1})", "where": "T.if_then_else({0}, {1}, {2})",
    }

    @staticmethod
    def number(value):
        if math.isinf(value):
            return 'T.infinity("float32")' if value > 0 else '-T.infinity("float32")'
        return repr(float(value))

    @staticmethod
    def load(name, shape, index):
        return f"{name}[{', '.join(index) if index else '0'}]"

    @staticmethod
    def loop(variable, size, indent):
        return f"{indent}for {variable} in T.serial({size}):\n"

    @staticmethod
    def close(indent):
        return ""

    @staticmethod
    def assign(target, value, indent, operator="="):
        return f"{indent}{target} {operator} {value}\n"

    @staticmethod
    def clamp(place, top):
        return f"T.max(T.min({place}, {top}), 0)"

    @staticmethod
    def both(a, b):
        return f"T.And({a}, {b})"

    @staticmethod
    def accumulator(name, value, indent):
        text = f'{indent}{name} = T.alloc_local((1,), "float32")\n{indent}{name}[0] = {value}\n'
        return text, f"{name}[0]"


def flat(shape, index):
    """Returns the offset of an element in row-major order."""
    text = ""
    for size, one in zip(shape, index):
        text = one if not text else f"({text}) * {size} + {one}"
    return text or "0"


def quotient(text, divisor, syntax):
    operator = "/" if syntax is Cpp else "//"
    return text if divisor == 1 else f"(({text}) {operator} {divisor})"

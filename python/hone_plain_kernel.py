"""Writes a plain kernel for a Python reference: one loop nest per operator, nothing optimized.

Usage: python hone_plain_kernel.py REFERENCE cpp|tilelang. Prints a JSON object on the last line:
{"code": the kernel} or {"missing": why there is none}. The sizes are those of get_inputs().
"""

import functools
import importlib.util
import inspect
import json
import math
import re
import sys
import textwrap


class Unsupported(Exception):
    """The reference uses an operator or a form that is not supported."""


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


class Value:
    """A tensor: its shape, and its elements as expressions of an index."""

    def __init__(self, shape, element, tensors):
        self.shape = tuple(shape)
        self.element = element  # list of index expressions -> expression
        self.tensors = tensors  # names of the tensors that it reads


class Writer:
    """Collects the steps of a kernel, one loop nest each."""

    def __init__(self, syntax):
        self.syntax = syntax
        self.steps = []  # (output, its shape, tensors read, text)
        self.shapes = {}

    def tensor(self, name, shape):
        self.shapes[name] = tuple(shape)
        return Value(shape, lambda index: self.syntax.load(name, shape, index), {name})

    def constant(self, number):
        return Value((), lambda index: self.syntax.number(number), set())

    def call(self, function, *values):
        """Returns an element-wise operation with broadcasting."""
        rank = max((len(value.shape) for value in values), default=0)
        shape = [1] * rank
        for value in values:
            for at, size in enumerate(value.shape, start=rank - len(value.shape)):
                shape[at] = size if size != 1 else shape[at]

        def element(index):
            texts = []
            for value in values:
                own = index[rank - len(value.shape):]
                own = ["0" if size == 1 else one for size, one in zip(value.shape, own)]
                texts.append(value.element(own))
            return self.format(function, texts)

        return Value(shape, element, set().union(*(value.tensors for value in values)))

    def format(self, function, texts):
        if function in "+-*/<>" or function in ("<=", ">=", "=="):
            return f"({texts[0]} {function} {texts[1]})"
        return self.syntax.functions[function].format(*texts)

    def store(self, value, body=None):
        """Adds a step that computes a value; returns it as a tensor."""
        syntax = self.syntax
        name = f"step{len(self.steps)}"
        shape = value.shape
        start = "  " if syntax is Cpp else " " * 12
        indent = start
        index = [f"i{at}" for at in range(len(shape))]
        text = ""
        for variable, size in zip(index, shape):
            text += syntax.loop(variable, size, indent)
            indent += "  " if syntax is Cpp else "    "
        target = syntax.load(name, shape, index)
        if body:
            text += body(index, target, indent)
        else:
            text += syntax.assign(target, value.element(index), indent)
        while len(indent) > len(start):
            indent = indent[: -2 if syntax is Cpp else -4]
            text += syntax.close(indent)
        self.steps.append((name, shape, sorted(value.tensors), text))
        return self.tensor(name, shape)

    def reduce(self, value, shape, at, sizes, start, operator, finish=None):
        """Adds a reduction: `at` maps the index of the result and of the loops to that of value."""
        syntax = self.syntax

        def body(index, target, indent):
            text, total = syntax.accumulator("total", syntax.number(start), indent)
            loops = [f"k{number}" for number in range(len(sizes))]
            inner = indent
            for variable, size in zip(loops, sizes):
                text += syntax.loop(variable, size, inner)
                inner += "  " if syntax is Cpp else "    "
            term = at(index, loops)
            if operator == "+":
                text += syntax.assign(total, f"{total} + {term}", inner)
            else:
                text += syntax.assign(total, self.format(operator, [total, term]), inner)
            while len(inner) > len(indent):
                inner = inner[: -2 if syntax is Cpp else -4]
                text += syntax.close(inner)
            return text + syntax.assign(target, finish(total) if finish else total, indent)

        return self.store(Value(shape, None, value.tensors), body)


class Translator:
    """Translates the operators of an exported model."""

    def __init__(self, syntax):
        self.out = Writer(syntax)
        self.values = {}

    def value(self, argument):
        if isinstance(argument, (int, float, bool)):
            return self.out.constant(argument)
        if argument in self.values:
            return self.values[argument]
        raise Unsupported(f"an argument of type {type(argument).__name__}")

    def stored(self, argument):
        """Returns a value as a tensor, so that it is computed once."""
        value = self.value(argument)
        if getattr(value, "name", None) is None:
            stored = self.out.store(value)
            stored.name = True
            self.values[argument] = stored
            return stored
        return value

    def elementwise(self, name, node):
        arguments = node.args
        call, number = self.out.call, self.out.constant
        value = lambda at: self.value(arguments[at])
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

    def view(self, name, node):
        """Translates operators that only rename elements."""
        if name in ("clone", "alias", "detach", "_to_copy", "contiguous", "lift_fresh_copy"):
            return self.value(node.args[0])
        if name not in ("permute", "t", "transpose", "expand", "view", "_unsafe_view", "reshape",
                        "unsqueeze", "squeeze"):
            return None
        shape = tuple(node.meta["val"].shape)
        if name == "permute":
            source = self.value(node.args[0])
            order = [at % max(len(shape), 1) for at in node.args[1]]

            def permuted(index):
                return source.element([index[order.index(at)] for at in range(len(order))])

            return Value(shape, permuted, source.tensors)
        if name in ("t", "transpose"):
            source = self.value(node.args[0])
            a, b = (0, 1) if name == "t" else (at % len(shape) for at in node.args[1:3])

            def swapped(index):
                index = list(index)
                index[a], index[b] = index[b], index[a]
                return source.element(index)

            return Value(shape, swapped if len(shape) > 1 else source.element, source.tensors)
        if name == "expand":
            source = self.value(node.args[0])
            missing = len(shape) - len(source.shape)

            def expanded(index):
                own = zip(source.shape, index[missing:])
                return source.element(["0" if size == 1 else one for size, one in own])

            return Value(shape, expanded, source.tensors)
        source = self.value(node.args[0])
        syntax = self.out.syntax

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

    def reduction(self, name, node):
        if name not in ("sum", "mean", "amax", "amin"):
            return None
        value = self.stored(node.args[0])
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
            finish = lambda total: f"{total} / {self.out.syntax.number(count)}"
        return self.out.reduce(value, node.meta["val"].shape, term, sizes, start, operator, finish)

    def product(self, name, node):
        if name not in ("mm", "bmm", "addmm"):
            return None
        a, b = (self.stored(node.args[at]) for at in ((1, 2) if name == "addmm" else (0, 1)))
        both = Value((), None, a.tensors | b.tensors)

        def term(index, loops):
            left = a.element([*index[:-1], loops[0]])
            right = b.element([*index[:-2], loops[0], index[-1]])
            return f"{left} * {right}"

        result = self.out.reduce(both, node.meta["val"].shape, term, [a.shape[-1]], 0, "+")
        return self.out.call("+", result, self.value(node.args[0])) if name == "addmm" else result

    def softmax(self, name, node):
        if name not in ("_softmax", "_log_softmax"):
            return None
        x = self.stored(node.args[0])
        rank, call = len(x.shape), self.out.call
        dim = node.args[1] % rank
        shape = [1 if at == dim else size for at, size in enumerate(x.shape)]

        def along(value):
            return lambda index, loops: value.element([*index[:dim], loops[0], *index[dim + 1:]])

        largest = self.out.reduce(x, shape, along(x), [x.shape[dim]], -math.inf, "maximum")
        shifted = call("-", x, largest)
        powers = self.out.store(call("exp", shifted))
        total = self.out.reduce(powers, shape, along(powers), [x.shape[dim]], 0, "+")
        if name == "_softmax":
            return call("/", powers, total)
        return call("-", shifted, call("log", total))

    def layer_norm(self, name, node):
        if name != "native_layer_norm":
            return None
        x, normalized = self.stored(node.args[0]), len(node.args[1])
        kept = len(x.shape) - normalized
        shape = [*x.shape[:kept], *([1] * normalized)]
        sizes = x.shape[kept:]
        mean_of = lambda total: f"{total} / {self.out.syntax.number(math.prod(sizes))}"
        own = lambda value: lambda index, loops: value.element([*index[:kept], *loops])
        call = self.out.call
        mean = self.out.reduce(x, shape, own(x), sizes, 0, "+", mean_of)
        centred = self.out.store(call("-", x, mean))
        square = call("*", centred, centred)
        variance = self.out.reduce(square, shape, own(square), sizes, 0, "+", mean_of)
        scale = call("rsqrt", call("+", variance, self.out.constant(node.args[4])))
        result = call("*", centred, scale)
        for at, function in ((2, "*"), (3, "+")):
            if node.args[at] is not None:
                result = call(function, result, self.value(node.args[at]))
        return result

    def convolution(self, name, node):
        if name != "convolution":
            return None
        x, weight = self.stored(node.args[0]), self.stored(node.args[1])
        bias, stride, padding, dilation, transposed, _, groups = node.args[2:9]
        if transposed:
            raise Unsupported("a transposed convolution")
        channels, kernel, size = weight.shape[1], weight.shape[2:], x.shape[2:]
        per_group = weight.shape[0] // groups
        syntax = self.out.syntax

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
            return self.out.format("where", [condition, product, syntax.number(0)])

        if len(kernel) > 2:
            raise Unsupported("a convolution with more than two dimensions")
        both = Value((), None, x.tensors | weight.tensors)
        result = self.out.reduce(both, node.meta["val"].shape, term, [channels, *kernel], 0, "+")
        if bias is None:
            return result
        offset = self.value(bias)
        per_channel = (offset.shape[0], *([1] * len(kernel)))
        shaped = Value(per_channel, lambda index: offset.element(index[:1]), offset.tensors)
        return self.out.call("+", result, shaped)

    def pooling(self, name, node):
        largest = name in ("max_pool2d_with_indices", "max_pool3d_with_indices")
        if not largest and name not in ("avg_pool1d", "avg_pool2d", "avg_pool3d"):
            return None
        x = self.stored(node.args[0])
        kernel = node.args[1]
        rank, syntax = len(kernel), self.out.syntax
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
            return self.out.format("where", [condition, element, syntax.number(neutral)])

        count = syntax.number(math.prod(kernel))
        mean = None if largest else lambda total: f"{total} / {count}"
        operator = "maximum" if largest else "+"
        return self.out.reduce(x, shape, term, kernel, neutral, operator, mean)

    def node(self, node):
        name = getattr(node.target, "__name__", str(node.target)).split(".")[0]
        if name == "getitem":
            if node.args[1] != 0:
                raise Unsupported("an operator with several results")
            return self.value(node.args[0])
        if name in ("full", "scalar_tensor"):
            return self.out.constant(node.args[1] if name == "full" else node.args[0])
        value = self.elementwise(name, node)
        if value is not None:
            # An expression that is used twice, or is long, is computed once.
            is_bool = str(getattr(node.meta["val"], "dtype", "")) == "torch.bool"
            sample = value.element([f"i{at}" for at in range(len(value.shape))])
            if not is_bool and (len(node.users) > 1 or len(sample) > 400):
                value = self.out.store(value)
                value.name = True
            return value
        for translate in (self.view, self.reduction, self.product, self.softmax, self.layer_norm,
                          self.convolution, self.pooling):
            value = translate(name, node)
            if value is not None:
                return value
        raise Unsupported(f"the operator {name}")


def load_reference(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def translate(module, syntax):
    """Returns the writer, the tensors of the signature, and the names of the outputs."""
    import torch

    model = module.Model(*module.get_init_inputs()).eval()
    inputs = module.get_inputs()
    if any(not isinstance(one, torch.Tensor) or one.dtype != torch.float32 for one in inputs):
        raise Unsupported("inputs that are not f32 tensors")
    with torch.no_grad():
        program = torch.export.export(model, tuple(inputs)).run_decompositions()
    signature = program.graph_signature
    places = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    translator = Translator(syntax)
    tensors, outputs = [], []
    for node in program.graph.nodes:
        if node.op == "placeholder":
            value = node.meta["val"]
            if value.dtype != torch.float32:
                raise Unsupported(f"a tensor of type {value.dtype}")
            name = f"p_{len(tensors)}" if node.name in places else f"x_{len(tensors)}"
            tensors.append((name, tuple(value.shape), places.get(node.name)))
            translator.values[node] = translator.out.tensor(name, value.shape)
            translator.values[node].name = True
        elif node.op == "call_function":
            translator.values[node] = translator.node(node)
        elif node.op == "output":
            for one in node.args[0]:
                stored = translator.out.store(translator.value(one))
                outputs.append(next(iter(stored.tensors)))
    order = {name: at for at, (name, _) in enumerate(model.named_parameters())}
    given = [one for one in tensors if one[2] is None]
    parameters = [one for one in tensors if one[2] is not None]
    parameters.sort(key=lambda one: order.get(one[2], len(order)))
    return translator.out, given, parameters, outputs


def write_cpp(module, title):
    out, given, parameters, outputs = translate(module, Cpp)
    known = dict(module.Model(*module.get_init_inputs()).named_parameters())
    if any(place not in known for _, _, place in parameters) or len(known) != len(parameters):
        raise Unsupported("a model with buffers or unused parameters")
    arguments = [f"const float* {name}" for name, _, _ in given + parameters]
    arguments += [f"float* {name}" for name in outputs]
    text = f"// {title}\n"
    for header in ("algorithm", "cmath", "cstdint", "vector"):
        text += f"#include <{header}>\n"
    text += "\n"
    text += f'extern "C" void kernel({", ".join(arguments)}) {{\n'
    for name, shape, _, step in out.steps:
        if name not in outputs:
            text += f"  std::vector<float> {name}({math.prod(shape)});\n"
        text += step
    return text + "}\n"


def write_tilelang(module, title):
    out, given, parameters, outputs = translate(module, TileLang)
    notes = "# hone: fixed sizes\n" if "hone: other" in inspect.getsource(module) else ""
    text = f'"""{title}"""\n\n{notes}import tilelang\nimport tilelang.language as T\n'
    text += "import torch\nimport torch.nn as nn\n"
    for name, shape, tensors, step in out.steps:
        text += f'\n\n@tilelang.jit(target="c", out_idx=[-1])\ndef compute_{name}():\n'
        text += "    @T.prim_func\n    def main(\n"
        for one, size in [*((one, out.shapes[one]) for one in tensors), (name, shape)]:
            sizes = ", ".join(map(str, size)) if len(size) > 1 else f"{math.prod(size)},"
            text += f'        {one}: T.Tensor(({sizes}), "float32"),\n'
        text += f"    ):\n        with T.Kernel(1) as block:\n{step}\n    return main\n"
    text += "\n\nclass ModelNew(nn.Module):\n"
    if "__init__" in vars(module.Model):
        source = textwrap.dedent(inspect.getsource(module.Model.__init__))
        source = re.sub(r"\bsuper\(\s*Model\s*,\s*self\s*\)", "super()", source)
        text += textwrap.indent(source, "    ") + "\n"
    text += f"    def forward(self, {', '.join(name for name, _, _ in given)}):\n"
    places = {name: f"self.{place}" for name, _, place in parameters}
    for name, _, tensors, _ in out.steps:
        arguments = ", ".join(places.get(one, one) for one in tensors)
        text += f"        {name} = compute_{name}()({arguments})\n"
    return text + f"        return {', '.join(outputs)}\n"


def main():
    path, language = sys.argv[1], sys.argv[2]
    title = "A plain kernel: one loop nest per operator of the reference."
    try:
        module = load_reference(path)
        code = write_cpp(module, title) if language == "cpp" else write_tilelang(module, title)
        answer = {"code": code}
    except Unsupported as error:
        answer = {"missing": f"no plain kernel for {error}"}
    except Exception as error:  # an invalid reference, or a model that cannot be exported
        first = (str(error).splitlines() or [""])[0]
        answer = {"missing": f"no plain kernel: {type(error).__name__}: {first}"}
    print(json.dumps(answer))


main()

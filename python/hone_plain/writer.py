"""Writes the loop nests of a plain kernel."""

from hone_plain.syntax import Cpp


class Unsupported(Exception):
    """The reference uses an operator or a form that is not supported."""


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

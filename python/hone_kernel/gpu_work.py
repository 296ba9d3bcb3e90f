"""Counts the work of a lowered CUDA program: memory traffic, FLOPs and barriers of one launch."""

import re

WARP = 32
SECTOR_BYTES = 32
# Math functions take several instructions.
_MATH_FLOPS = {"exp": 4, "exp2": 4, "log": 4, "log2": 4, "rsqrt": 4, "sqrt": 6, "tanh": 10,
               "sigmoid": 8, "erf": 20, "sin": 10, "cos": 10, "pow": 12}
_ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Max", "Min")
_MMA = re.compile(r"m(\d+)n(\d+)k(\d+)")
_BITS = re.compile(r"(\d+)(?:x(\d+))?$")


def _bytes_of(dtype):
    found = _BITS.search(str(dtype))
    if found is None:
        return 4
    return int(found.group(1)) * int(found.group(2) or 1) / 8


def _lanes_of(dtype):
    found = _BITS.search(str(dtype))
    return int(found.group(2) or 1) if found else 1


class _Unknown(Exception):
    """The value of an expression depends on data."""


def _value(expr, env):
    """Evaluates an integer expression; variables without a value are 0."""
    kind = type(expr).__name__
    if kind == "IntImm":
        return int(expr.value)
    if kind == "Var":
        return env.get(expr.name, 0)
    if kind == "Ramp":
        return _value(expr.base, env)
    if kind in ("Cast", "Broadcast"):
        return _value(expr.value, env)
    operation = {
        "Add": lambda a, b: a + b,
        "Sub": lambda a, b: a - b,
        "Mul": lambda a, b: a * b,
        "FloorDiv": lambda a, b: a // b,
        "FloorMod": lambda a, b: a % b,
        "Min": min,
        "Max": max,
    }.get(kind)
    if operation is None:
        raise _Unknown
    return operation(_value(expr.a, env), _value(expr.b, env))


class Work:
    """Totals over all threads of a launch."""

    NAMES = ("global_bytes", "global_requests", "shared_bytes", "tensor_flops", "flops", "barriers")

    def __init__(self, function, threads, blocks):
        self.threads = threads
        self.blocks = blocks
        self.totals = dict.fromkeys(self.NAMES, 0.0)
        self.stages = 1
        self.complete = True  # false if an extent depends on data
        self.thread_variable = None
        self.scopes = {}
        for parameter in function.params:
            self.scopes[parameter.name] = "global"
        self._statement(function.body, 1.0)

    def facts(self):
        if not self.complete:
            return {}
        return {**self.totals, "stages": self.stages}

    # Statements, executed `times` per thread.

    def _statement(self, node, times):
        kind = type(node).__name__
        if kind == "SeqStmt":
            for each in node.seq:
                self._statement(each, times)
        elif kind == "For":
            self._loop(node, times)
        elif kind == "AttrStmt":
            if str(node.attr_key) == "thread_extent" and "threadIdx.x" in str(node.node):
                self.thread_variable = node.node.var.name
            self._statement(node.body, times)
        elif kind == "IfThenElse":
            self._expression(node.condition, times)
            self._statement(node.then_case, times)
            if node.else_case is not None:
                self._statement(node.else_case, times)
        elif kind == "BufferStore":
            self._access(node.buffer.data.name, node.buffer.scope(), node.value.dtype,
                         node.indices[-1], times)
            self._expression(node.value, times)
        elif kind in ("Evaluate", "LetStmt", "Bind"):
            self._expression(node.value, times)
            if kind == "LetStmt":
                self._statement(node.body, times)
        elif kind == "While":
            self.complete = False
        elif hasattr(node, "body"):
            self._statement(node.body, times)

    def _loop(self, node, times):
        for key, value in (node.annotations or {}).items():
            if "num_stages" in str(key):
                self.stages = max(self.stages, int(value))
        if type(node.extent).__name__ != "IntImm":
            self.complete = False
            return
        self._statement(node.body, times * int(node.extent))

    # Expressions.

    def _expression(self, node, times):
        kind = type(node).__name__
        if kind == "BufferLoad":
            self._access(node.buffer.data.name, node.buffer.scope(), node.dtype,
                         node.indices[-1], times)
            return
        if kind == "Call":
            self._call(node, times)
            return
        if kind in _ARITHMETIC and "float" in str(node.dtype):
            self._add("flops", times * _lanes_of(node.dtype))
        for name in ("a", "b", "value", "condition", "true_value", "false_value"):
            child = getattr(node, name, None)
            if child is not None and hasattr(child, "dtype"):
                self._expression(child, times)

    def _call(self, node, times):
        name = getattr(node.op, "name", "").split(".")[-1]
        if name == "ptx_mma":
            m, n, k = map(int, _MMA.search(str(node.args)).groups())
            self._add("tensor_flops", times * 2 * m * n * k / WARP)
            return
        if name == "ptx_cp_async":
            target, source = node.args[0], node.args[1]
            dtype = str(source.args[0].dtype)
            count = int(node.args[2].value) if len(node.args) > 2 else 1
            self._access(source.args[1].name, "global", dtype, source.args[2], times, count)
            self._access(target.args[1].name, "shared", dtype, target.args[2], times, count)
            return
        if name == "ptx_ldmatrix":
            self._add("shared_bytes", times * 4 * int(node.args[1].value))
            return
        if name == "tvm_storage_sync":
            self._add("barriers", times)
            return
        if name == "call_extern" and "AllReduce" in str(node.args[0]):
            self._add("barriers", 2 * times)
            self._add("shared_bytes", 40 * times)
            self._add("flops", 5 * times)
        elif name in _MATH_FLOPS:
            self._add("flops", times * _MATH_FLOPS[name] * _lanes_of(node.dtype))
        if name != "tvm_access_ptr":
            for each in node.args:
                if hasattr(each, "dtype"):
                    self._expression(each, times)

    def _add(self, name, per_thread):
        self.totals[name] += per_thread * self.threads * self.blocks

    def _access(self, name, scope, dtype, index, times, count=1):
        size = _bytes_of(dtype) * count
        if "shared" in scope:
            self._add("shared_bytes", times * size)
        elif scope in ("global", ""):
            self._add("global_requests", times / WARP)
            self._add("global_bytes", times / WARP * self._sectors(dtype, index, size) * SECTOR_BYTES)

    def _sectors(self, dtype, index, size):
        """Returns the sectors that one access of a warp touches."""
        element = _bytes_of(dtype) / _lanes_of(dtype)
        lanes = min(WARP, self.threads)
        touched = set()
        try:
            for thread in range(lanes):
                begin = _value(index, {self.thread_variable: thread}) * element
                first = int(begin // SECTOR_BYTES)
                last = int((begin + size - 1) // SECTOR_BYTES)
                touched.update(range(first, last + 1))
        except (_Unknown, ZeroDivisionError):
            return lanes  # the index depends on data
        return len(touched)

"""Translates the operators of an exported model to loop nests."""

from hone_plain.elementwise import elementwise
from hone_plain.reductions import layer_norm, product, reduction, softmax
from hone_plain.views import view
from hone_plain.windows import convolution, pooling
from hone_plain.writer import Unsupported, Writer


class Translator:
    """Translates the operators of an exported model."""

    def __init__(self, syntax):
        self.out = Writer(syntax)
        self.values = {}

    def value(self, argument):
        """Returns the value of an argument: a number, or the result of an earlier node."""
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

    def node(self, node):
        """Returns the value of a node; adds the steps that compute it."""
        name = getattr(node.target, "__name__", str(node.target)).split(".")[0]
        if name == "getitem":
            if node.args[1] != 0:
                raise Unsupported("an operator with several results")
            return self.value(node.args[0])
        if name in ("full", "scalar_tensor"):
            return self.out.constant(node.args[1] if name == "full" else node.args[0])
        value = elementwise(self, name, node)
        if value is not None:
            # An expression that is used twice, or is long, is computed once.
            is_bool = str(getattr(node.meta["val"], "dtype", "")) == "torch.bool"
            sample = value.element([f"i{at}" for at in range(len(value.shape))])
            if not is_bool and (len(node.users) > 1 or len(sample) > 400):
                value = self.out.store(value)
                value.name = True
            return value
        for translate in (view, reduction, product, softmax, layer_norm, convolution, pooling):
            value = translate(self, name, node)
            if value is not None:
                return value
        raise Unsupported(f"the operator {name}")

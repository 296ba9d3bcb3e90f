"""Complete kernels in C++ and TileLang."""

import inspect
import math
import re
import textwrap

from hone_plain.syntax import Cpp, TileLang
from hone_plain.translator import Translator
from hone_plain.writer import Unsupported


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

"""Imports an ONNX model for hone: fixes its dimensions, describes it, and writes MLIR.

Reads a JSON request from the file given as the only argument:
  model           path of the .onnx file
  dims            sizes by name of dimension, or by INPUT.AXIS for dimensions without a name; also values
                  of integer scalar inputs by name
  shapes          pairs of name and shape, null if not given; names are empty if shapes are in order
  opset           version to convert to; 0 to keep the model's
  simplify        fold constants with ONNX Runtime
  expand          operators to replace by their definitions in other operators
  externalize     weights of at least this many bytes in all are written to a file
  mlir, fixed, parameters, reply
                  files to write: module, model with fixed dimensions, weights, description

Exits with 2 and prints one line if the model or the request is wrong, with 3 if a package is missing.
"""

import json
import os
import sys
import warnings

from hone_onnx.description import check_elements, describe
from hone_onnx.dimensions import (
    choose_sizes,
    complete_outputs,
    dimension_names,
    fix_dimensions,
    fix_scalars,
    set_missing_shapes,
)
from hone_onnx.errors import UserError, first_line
from hone_onnx.graph import foreign_nodes, infer_shapes, list_nodes, opset, weight_bytes
from hone_onnx.loading import drop_initialized_inputs, load
from hone_onnx.mlir import write_mlir, write_repaired
from hone_onnx.operators import (
    check_domains,
    check_operators,
    convert_opset,
    definable_operators,
    expand,
    inline_constant_branches,
    inline_functions,
)
from hone_onnx.runtime import infer_runtime_types, simplify


def run(request):
    """Performs a request."""
    import onnx

    from hone_onnx.rewrites import rewrite, set_forgotten_defaults

    model, weights = load(request["model"])
    drop_initialized_inputs(model)
    if not model.graph.name:
        model.graph.name = os.path.splitext(os.path.basename(request["model"]))[0]
    model = inline_functions(model)
    foreign = check_domains(model)
    check_operators(model)
    check_elements(model.graph)
    shaped = set_missing_shapes(model.graph, request["shapes"])
    original = [dimension_names(value) for value in model.graph.input]
    fixed = fix_scalars(model.graph, request["dims"])
    sizes, chosen = choose_sizes(model.graph, request, fixed)
    fix_dimensions(model, sizes)
    set_forgotten_defaults(model.graph)
    complete_outputs(model.graph, infer_shapes(model).graph)
    inline_constant_branches(model)
    fixes = bool(sizes or fixed or shaped)
    if fixes:
        onnx.save(model, request["fixed"])
    reply = describe(infer_shapes(model), {**sizes, **fixed}, chosen, original)
    reply["weights"] = weights
    reply["fixed"] = fixes
    reply["definable"] = definable_operators(model)
    reply["domains"] = {node.op_type: node.domain for node in foreign_nodes(model)}
    if request["expand"]:
        model = expand(model, request["expand"])
    if request["simplify"]:
        model = simplify(model, request["mlir"] + ".simple.onnx")
    inferred = infer_shapes(model)
    while rewrite(inferred):  # the new shapes may allow more
        model = inferred
        inferred = infer_shapes(model)
    if foreign:
        infer_runtime_types(model)
    if 0 < opset(model) < request["opset"]:
        model = convert_opset(model, request["opset"])
    reply["nodes"] = list(list_nodes(model.graph))  # those of the module
    reply["external"] = weight_bytes(model) >= request["externalize"]
    try:
        write_mlir(model, request, reply["external"])
    except UserError as error:
        write_repaired(model, request, reply["external"], error)
    with open(request["reply"], "w", encoding="utf-8") as file:
        json.dump(reply, file)


def remove_written(request):
    """Removes the files of a request that failed."""
    for member in ("mlir", "fixed", "parameters", "reply"):
        if os.path.exists(request[member]):
            os.remove(request[member])


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    try:
        run(request)
    except Exception as error:
        remove_written(request)
        return report(error)
    return 0


def report(error):
    """Prints an error in one line and returns the exit code."""
    if isinstance(error, UserError):
        print(f"error: {error}", file=sys.stderr)
        return 2
    if isinstance(error, ModuleNotFoundError):
        print(f"error: {first_line(error)}", file=sys.stderr)
        return 3
    raise error


if __name__ == "__main__":
    sys.exit(main())

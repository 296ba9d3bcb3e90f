"""Runs IREE's importer."""

import os

from hone_onnx.errors import UserError, first_line
from hone_onnx.graph import list_tensors
from hone_onnx.runtime import simplify


def write_mlir(model, request, external):
    """Runs IREE's importer."""
    import onnx
    from iree.compiler.tools.import_onnx import __main__ as importer

    source = request["mlir"] + ".onnx"
    onnx.save(model, source)
    arguments = [source, "-o", request["mlir"]]
    if external:
        arguments += ["--externalize-params", "--save-params-to", request["parameters"]]
    try:
        importer.main(importer.parse_arguments(arguments))
    except Exception as error:
        raise UserError(f"iree-import-onnx: {explain_import(model, first_line(error))}") from error
    finally:
        os.remove(source)


def write_repaired(model, request, external, error):
    """Runs IREE's importer on the model as ONNX Runtime loads it, which accepts some that ONNX's checker rejects."""
    try:
        write_mlir(simplify(model, request["mlir"] + ".repaired.onnx"), request, external)
    except UserError:
        raise error from None


def explain_import(model, text):
    """Returns an error of the importer, with the name of the unknown type if that is the cause."""
    import onnx

    number = text.rpartition("element type: ")[2]
    if not number.isdigit():
        return text
    types = onnx.TensorProto.DataType
    name = types.Name(int(number)) if int(number) in types.values() else number
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    users = [one.name for one in values if one.type.tensor_type.elem_type == int(number)]
    users += [one.name for one in list_tensors(model.graph) if one.data_type == int(number)]
    where = f" ('{users[0]}')" if users else ""
    return f"no support for elements of type {name}{where}; export the model with another type"

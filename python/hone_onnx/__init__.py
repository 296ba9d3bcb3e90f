"""Import of ONNX models: the modules of hone_import_onnx.py."""

#include "kernel/source/python_names.h"

namespace hone::kernel {

const Names& pythonModules() {
  static const Names kModules = {"torch",      "tilelang",  "math",       "functools",
                                 "typing",     "itertools", "enum",       "dataclasses",
                                 "__future__", "operator",  "collections"};
  return kModules;
}

const Names& torchModules() {
  static const Names kModules = {"torch", "torch.nn", "torch.nn.functional", "torch.nn.init",
                                 "torch.nn.parameter"};
  return kModules;
}

const Names& waysOut() {
  static const Names kWays = {"sys",        "_sys",     "os",         "_os",
                              "builtins",   "bltns",    "_builtins",  "importlib",
                              "_importlib", "inspect",  "subprocess", "ctypes",
                              "shutil",     "gc",       "numpy",      "torch",
                              "pathlib",    "tempfile", "threading",  "multiprocessing",
                              "pickle",     "mmap",     "socket"};
  return kWays;
}

const Names& honestTorch() {
  static const Names kHonest = {"empty",
                                "empty_like",
                                "empty_strided",
                                "zeros",
                                "zeros_like",
                                "ones",
                                "ones_like",
                                "full",
                                "full_like",
                                "tensor",
                                "as_tensor",
                                "randn",
                                "rand",
                                "Tensor",
                                "FloatTensor",
                                "nn",
                                "Size",
                                "device",
                                "dtype",
                                "float",
                                "float16",
                                "float32",
                                "float64",
                                "half",
                                "double",
                                "bfloat16",
                                "int",
                                "int8",
                                "int16",
                                "int32",
                                "int64",
                                "long",
                                "short",
                                "uint8",
                                "bool",
                                "no_grad",
                                "inference_mode",
                                "contiguous_format",
                                "preserve_format",
                                "channels_last",
                                "strided",
                                "cuda",
                                "get_default_dtype",
                                "float8_e4m3fn",
                                "float8_e5m2",
                                "view_as_real",
                                "init",
                                "Generator"};
  return kHonest;
}

const Names& honestCuda() {
  static const Names kHonest = {"is_available", "current_device", "get_device_capability",
                                "get_device_properties", "device_count"};
  return kHonest;
}

const Names& workingMethods() {
  static const Names kMethods = {
      "matmul",  "mm",      "bmm",         "mv",      "dot",         "addmm",        "baddbmm",
      "einsum",  "softmax", "log_softmax", "sum",     "mean",        "var",          "std",
      "norm",    "prod",    "cumsum",      "cumprod", "logsumexp",   "amax",         "amin",
      "argmax",  "argmin",  "exp",         "exp_",    "exp2",        "log",          "log2",
      "log1p",   "sqrt",    "rsqrt",       "tanh",    "tanh_",       "sigmoid",      "sigmoid_",
      "relu",    "relu_",   "gelu",        "silu",    "erf",         "sin",          "cos",
      "pow",     "square",  "abs",         "abs_",    "clamp",       "clamp_",       "add",
      "add_",    "sub",     "sub_",        "mul",     "mul_",        "div",          "div_",
      "addcmul", "addcdiv", "lerp",        "where",   "masked_fill", "masked_fill_", "topk",
      "sort",    "conv1d",  "conv2d",      "conv3d",  "reciprocal",  "neg",          "maximum",
      "minimum", "outer",   "kron"};
  return kMethods;
}

const std::map<std::string, std::string_view, std::less<>>& pythonFunctions() {
  static const std::map<std::string, std::string_view, std::less<>> kFunctions = {
      {"eval", "runs text as code"},
      {"exec", "runs text as code"},
      {"compile", "runs text as code"},
      {"__import__", "imports in a hidden way"},
      {"globals", "reaches for what is not its own"},
      {"locals", "reaches for what is not its own"},
      {"vars", "reaches for what is not its own"},
      {"getattr", "reaches for what is not its own"},
      {"setattr", "changes what is not its own"},
      {"delattr", "changes what is not its own"},
      {"open", "reads or writes files"},
      {"id", "tells objects apart by their identity, as caches of results do"},
      {"hash", "tells objects apart by their hash, as caches of results do"},
      {"breakpoint", "starts a debugger"},
      {"input", "waits for input"},
      {"exit", "ends the process"},
      {"quit", "ends the process"},
  };
  return kFunctions;
}

}  // namespace hone::kernel

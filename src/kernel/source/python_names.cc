#include "kernel/source/python_names.h"

namespace hone::kernel {

const Names& pythonModules() {
  static const Names kModules = {"torch",      "tilelang",   "math", "functools",
                                 "typing",     "itertools",  "enum", "dataclasses",
                                 "__future__", "collections"};
  return kModules;
}

const std::map<std::string, Names, std::less<>>& allowedMembers() {
  static const std::map<std::string, Names, std::less<>> kMembers = {
      {"tilelang",
       {"jit", "compile", "language", "layout", "intrinsics", "transform", "math", "PassConfigKey",
        "cdiv", "next_power_of_2", "Layout", "Fragment", "DataType", "dtypes", "disable_cache",
        "enable_cache", "set_log_level", "JITKernel"}},
      {"functools", {"partial", "reduce", "lru_cache", "cache", "cached_property"}},
      {"typing",
       {"Any",           "Callable",  "ClassVar", "Dict",    "Final",      "Generic",  "Iterable",
        "Iterator",      "List",      "Literal",  "Mapping", "NamedTuple", "Optional", "Sequence",
        "Set",           "Tuple",     "Type",     "TypeVar", "TypedDict",  "Union",    "cast",
        "TYPE_CHECKING", "Annotated", "Protocol", "Self"}},
      {"enum", {"Enum", "IntEnum", "Flag", "IntFlag", "auto", "unique"}},
      {"dataclasses", {"dataclass", "field", "asdict", "astuple", "replace", "fields"}},
      {"collections", {"OrderedDict", "defaultdict", "namedtuple", "deque", "Counter"}},
  };
  return kMembers;
}

const Names& torchModules() {
  static const Names kModules = {"torch", "torch.nn", "torch.nn.functional", "torch.nn.init",
                                 "torch.nn.parameter"};
  return kModules;
}

const Names& dangerousMembers() {
  static const Names kWays = {
      "sys", "_sys", "os", "_os", "builtins", "bltns", "_builtins", "importlib", "_importlib",
      "inspect", "subprocess", "ctypes", "shutil", "gc", "numpy", "torch", "pathlib", "tempfile",
      "threading", "multiprocessing", "pickle", "mmap", "socket", "operator", "_operator",
      "attrgetter", "methodcaller", "get_type_hints", "ForwardRef", "_evaluate", "make_dataclass",
      "_create_fn", "types", "contextlib", "copyreg", "update_wrapper", "wraps", "tvm", "_ffi_api",
      "libinfo",
      // Insert foreign code, or strings as code.
      "call_extern", "call_pure_extern", "call_packed", "call_packed_lowered", "call_cpacked",
      "call_cpacked_lowered", "tvm_call_packed", "tvm_call_packed_lowered", "tvm_call_cpacked",
      "tvm_call_cpacked_lowered", "import_source", "CUDASourceCodeKernel", "register_c_postproc",
      "register_cuda_postproc", "register_hip_postproc"};
  return kWays;
}

const Names& allowedTorch() {
  static const Names kAllowed = {"empty",
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
  return kAllowed;
}

const Names& allowedCuda() {
  static const Names kAllowed = {"is_available", "current_device", "get_device_capability",
                                 "get_device_properties", "device_count"};
  return kAllowed;
}

const Names& computingMethods() {
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

const Names& commonNames() {
  static const Names kNames = {"id", "hash", "input", "exit", "quit", "open", "compile"};
  return kNames;
}

const std::map<std::string, std::string_view, std::less<>>& forbiddenFunctions() {
  static const std::map<std::string, std::string_view, std::less<>> kFunctions = {
      {"eval", "executes a string as code"},
      {"exec", "executes a string as code"},
      {"compile", "executes a string as code"},
      {"__import__", "imports a module indirectly"},
      {"globals", "accesses names indirectly"},
      {"locals", "accesses names indirectly"},
      {"vars", "accesses names indirectly"},
      {"getattr", "accesses names indirectly"},
      {"setattr", "changes names indirectly"},
      {"delattr", "changes names indirectly"},
      {"open", "reads or writes files"},
      {"id", "compares objects by identity, as result caches do"},
      {"hash", "compares objects by hash, as result caches do"},
      {"breakpoint", "starts a debugger"},
      {"input", "waits for input"},
      {"exit", "ends the process"},
      {"quit", "ends the process"},
  };
  return kFunctions;
}

}  // namespace hone::kernel

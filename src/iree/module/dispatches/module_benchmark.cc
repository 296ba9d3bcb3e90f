#include "iree/module/dispatches/module_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/text/text.h"
#include "iree/mlir/mlir_text.h"
#include "iree/module/module_walk.h"
#include "model/problem/tensor_type.h"

namespace hone::iree {
namespace {

/// A buffer of a dispatch.
struct Binding {
  std::string element;
  std::vector<std::int64_t> shape;  ///< of its tensor, if it has only one
  std::int64_t bytes = 0;           ///< the part that the dispatch accesses
  std::size_t tensors = 0;
  bool readOnly = true;
  bool overwritten = false;  ///< completely, and never read

  /// Returns the type of its tensor if there is only one; otherwise a 1-D tensor of its elements.
  [[nodiscard]] model::TensorType type() const {
    model::TensorType type = model::tensorTypeFrom(element).value();
    type.shape = shape;
    if (tensors != 1 || std::cmp_not_equal(type.bytes(), bytes)) {
      type.shape.clear();  // bytes() now returns the size of one element
      type.shape = {bytes / static_cast<std::int64_t>(type.bytes())};
    }
    return type;
  }
};

/// Returns "4xf32" for "memref<4xf32, …>" or "!…dispatch.tensor<readonly:tensor<4xf32>>".
std::string tensorInside(const std::string& type) {
  for (const std::string_view begin : {"memref<", ":tensor<"}) {
    if (const auto at = type.find(begin); at != std::string::npos) {
      const auto from = at + begin.size();
      return type.substr(from, type.find_first_of(",>", from) - from);
    }
  }
  return "";
}

std::optional<std::int64_t> readConstant(const CompilerApi& api, MlirValue value) {
  if (api.valueIsArgument(value)) {
    return std::nullopt;
  }
  const MlirOperation owner = api.resultOwner(value);
  const std::string text =
      api.opName(owner) == "arith.constant" ? api.attributeText(owner, "value") : "";
  return parseInt(text.substr(0, text.find(' ')));
}

/// Returns true if the only use of the value is to store a whole tensor in it.
bool isOverwritten(const CompilerApi& api, MlirOperation executable, MlirValue value) {
  std::size_t stores = 0;
  std::size_t others = 0;
  walk(api, executable, [&](MlirOperation operation) {
    for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
      if (api.operationOperand(operation, i).ptr == value.ptr) {
        ++(api.opName(operation) == "iree_codegen.store_to_buffer" && i == 1 ? stores : others);
      }
    }
    return MlirWalkResult::advance;
  });
  return stores == 1 && others == 0;
}

/// Reads the arguments of a benchmark's dispatch and writes a program around it.
class BenchmarkReader {
 public:
  BenchmarkReader(const CompilerApi& api, MlirOperation module, MlirOperation executable)
      : api_(api), module_(module), executable_(executable) {}

  [[nodiscard]] DispatchDescription read();

 private:
  bool reject(std::string why) {
    skipReason_ = std::move(why);
    return false;
  }
  bool readNames();
  bool readBindings();
  bool readBinding(MlirOperation subspan);
  bool readWorkload();
  void removeConfiguration();
  [[nodiscard]] std::string functionText() const;
  [[nodiscard]] std::string programText() const;

  const CompilerApi& api_;
  MlirOperation module_;
  MlirOperation executable_;
  std::string skipReason_;
  std::string device_;
  std::string variant_;
  std::vector<std::string> entries_;
  std::map<std::int64_t, Binding> bindings_;
  std::vector<std::int64_t> workload_;
};

bool BenchmarkReader::readNames() {
  for (const MlirOperation top : childOperations(api_, module_)) {
    if (api_.opName(top) == "util.global" && api_.attributeText(top, "type") == "!hal.device") {
      device_ = symbolName(api_, top);
    }
  }
  walk(api_, executable_, [&](MlirOperation operation) {
    const std::string name = api_.opName(operation);
    if (name == "hal.executable.variant") {
      variant_ = symbolName(api_, operation);
    } else if (name == "hal.executable.export") {
      entries_.push_back(symbolName(api_, operation));
    }
    return MlirWalkResult::advance;
  });
  return (!device_.empty() && !variant_.empty() && entries_.size() == 1) ||
         reject("expected one dispatch for one device");
}

bool BenchmarkReader::readBinding(MlirOperation subspan) {
  const MlirValue value = api_.operationResult(subspan, 0);
  const auto type = model::tensorTypeFrom(tensorInside(api_.typeText(api_.valueType(value))));
  const auto offset = readConstant(api_, api_.operationOperand(subspan, 0));
  const auto number = numbersIn(api_.attributeText(subspan, "binding"));
  if (!type) {
    return reject(type.error().message);
  }
  if (!offset || number.size() != 1) {
    return reject("the offsets of its tensors are dynamic");
  }
  Binding& binding = bindings_[number.front()];
  const std::string element = model::TensorType{{}, type->element}.text();
  if (binding.tensors > 0 && binding.element != element) {
    return reject("one of its buffers has elements of several types");
  }
  const auto flags = numbersIn(api_.attributeText(subspan, "descriptor_flags"));
  const bool written = flags.empty() || flags.front() % 2 == 0;  // bit 0: read-only
  binding.element = element;
  binding.shape = type->shape;
  binding.overwritten =
      binding.tensors == 0 && *offset == 0 && written && isOverwritten(api_, executable_, value);
  binding.readOnly = binding.readOnly && !written;
  binding.bytes = std::max(binding.bytes, *offset + static_cast<std::int64_t>(type->bytes()));
  ++binding.tensors;
  return true;
}

bool BenchmarkReader::readBindings() {
  bool fits = true;
  walk(api_, executable_, [&](MlirOperation operation) {
    const std::string name = api_.opName(operation);
    if (fits && name == "hal.interface.constant.load") {
      fits = reject("it takes values that only its program knows");
    } else if (fits && name == "hal.interface.binding.subspan") {
      fits = readBinding(operation);
    }
    return fits ? MlirWalkResult::advance : MlirWalkResult::interrupt;
  });
  return fits && (!bindings_.empty() || reject("it has no buffers"));
}

/// Reads the sizes that the grid is computed from in the function of the file.
bool BenchmarkReader::readWorkload() {
  bool fits = true;
  walk(api_, module_, [&](MlirOperation operation) {
    if (api_.opName(operation) == "hal.executable.calculate_workgroups" && workload_.empty()) {
      for (std::intptr_t i = 1; i < api_.operationOperands(operation); ++i) {
        const auto size = readConstant(api_, api_.operationOperand(operation, i));
        fits = fits && (size || reject("its grid is dynamic"));
        workload_.push_back(size.value_or(0));
      }
    }
    return MlirWalkResult::advance;
  });
  return fits;
}

/// Removes the compiler's configuration: a configured dispatch accepts no other.
void BenchmarkReader::removeConfiguration() {
  std::vector<MlirOperation> gone;
  walk(api_, executable_, [&](MlirOperation operation) {
    for (const std::string_view name : {"lowering_config", "translation_info", "root_op"}) {
      (void)api_.operationRemoveAttribute(operation, MlirStringRef::of(name));
    }
    if (api_.opName(operation) == "iree_codegen.dispatch_config") {
      gone.push_back(operation);
      return MlirWalkResult::skip;
    }
    return MlirWalkResult::advance;
  });
  for (const MlirOperation operation : gone) {
    api_.operationErase(operation);
  }
}

std::string BenchmarkReader::functionText() const {
  const std::string on = fmt::format("on(#hal.device.affinity<@{}>)", device_);
  const auto resource = [](std::int64_t number) {
    return fmt::format("!stream.resource<external>{{%size{}}}", number);
  };
  std::string before = "    %zero = arith.constant 0 : index\n";
  std::string copies;
  std::string after;
  std::vector<std::string> parameters;
  std::vector<std::string> captured;
  std::vector<std::string> ready;
  std::vector<std::string> used;
  std::vector<std::string> views;
  for (const auto& [number, binding] : bindings_) {
    const std::string type = fmt::format("tensor<{}>", binding.type().text());
    before += fmt::format("    %size{} = arith.constant {} : index\n", number, binding.bytes);
    if (!binding.overwritten) {
      parameters.push_back(fmt::format("%input{}: !hal.buffer_view", number));
      before += fmt::format(
          "    %given{0} = stream.tensor.import {1} %input{0} : !hal.buffer_view -> {2} in {3}\n",
          number, on, type, resource(number));
      captured.push_back(fmt::format("%given{0} as %read{0}: {1}", number, resource(number)));
    }
    if (binding.readOnly) {
      used.push_back(
          fmt::format("        ro %read{0}[%zero for %size{0}] : {1}", number, resource(number)));
      continue;
    }
    before += fmt::format(
        "    %made{0}, %ready{0} = stream.resource.alloca uninitialized {1} : {2} => "
        "!stream.timepoint\n",
        number, on, resource(number));
    captured.push_back(fmt::format("%made{0} as %write{0}: {1}", number, resource(number)));
    ready.push_back(fmt::format("%ready{}", number));
    if (!binding.overwritten) {
      copies += fmt::format(
          "      stream.cmd.copy %read{0}[%zero], %write{0}[%zero], %size{0} : {1} -> {1}\n",
          number, resource(number));
    }
    used.push_back(fmt::format("        {2} %write{0}[%zero for %size{0}] : {1}", number,
                               resource(number), binding.overwritten ? "wo" : "rw"));
    after += fmt::format(
        "    %done{0} = stream.timepoint.await %done => %made{0} : {1}\n"
        "    %view{0} = stream.tensor.export {2} %done{0} : {3} in {1} -> !hal.buffer_view\n",
        number, resource(number), on, type);
    views.push_back(fmt::format("%view{}", number));
  }
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < workload_.size(); ++i) {
    before += fmt::format("    %work{} = arith.constant {} : index\n", i, workload_[i]);
    sizes.push_back(fmt::format("%work{}", i));
  }
  std::string joined = ready.front();
  if (ready.size() > 1) {
    joined = "%ready";
    before += fmt::format("    %ready = stream.timepoint.join max({}) => !stream.timepoint\n",
                          join(ready, ", "));
  }
  const std::string types = join(std::vector<std::string>(views.size(), "!hal.buffer_view"), ", ");
  return fmt::format(
      "  util.func public @{}_call({}) -> ({}) attributes {{iree.abi.stub}} {{\n"
      "{}"
      "    %done = stream.cmd.execute {} await({}) => with({}) {{\n"
      "{}"
      "      stream.cmd.dispatch @{}::@{}::@{}{} {{\n"
      "{}\n"
      "      }}\n"
      "    }} => !stream.timepoint\n"
      "{}"
      "    util.return {} : {}\n"
      "  }}\n",
      entries_.front(), join(parameters, ", "), types, before, on, joined, join(captured, ", "),
      copies, symbolName(api_, executable_), variant_, entries_.front(),
      sizes.empty() ? "" : fmt::format("[{}]", join(sizes, ", ")), join(used, ",\n"), after,
      join(views, ", "), types);
}

std::string BenchmarkReader::programText() const {
  for (const MlirOperation top : childOperations(api_, module_)) {
    if (top.ptr != executable_.ptr && symbolName(api_, top) != device_) {
      api_.operationErase(top);
    }
  }
  return withFunction(api_.text(module_), functionText());
}

DispatchDescription BenchmarkReader::read() {
  const bool fits = readNames() && readBindings() && readWorkload();
  const bool writes = std::any_of(bindings_.begin(), bindings_.end(),
                                  [](const auto& one) { return !one.second.readOnly; });
  if (fits && !writes) {
    reject("it writes nothing");
  }
  DispatchDescription found;
  found.dispatch = symbolName(api_, executable_);
  found.entries = entries_;
  found.calls = 1;
  found.fingerprint = hashBytes(found.dispatch);
  found.skipReason = skipReason_;
  if (!skipReason_.empty()) {
    return found;
  }
  removeConfiguration();
  found.function = entries_.front() + "_call";
  found.text = programText();
  for (const auto& [number, binding] : bindings_) {
    const std::string type = fmt::format("tensor<{}>", binding.type().text());
    if (!binding.overwritten) {
      found.inputs.push_back(type);
    }
    if (!binding.readOnly) {
      found.results.push_back(type);
    }
  }
  return found;
}

}  // namespace

std::vector<DispatchDescription> benchmarkDispatchesIn(const CompilerApi& api,
                                                       MlirOperation module) {
  std::vector<DispatchDescription> dispatches;
  const auto executables = executablesIn(api, module);
  if (executables.size() == 1) {
    dispatches.push_back(BenchmarkReader(api, module, executables.front()).read());
  }
  return dispatches;
}

}  // namespace hone::iree

#include "iree/module/dispatches/module_dispatches.h"

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

/// The call sites of a dispatch.
struct Calls {
  std::vector<MlirOperation> sites;  ///< in functions
  bool atLoad = false;               ///< called by an initializer, once per load
};

/// Returns "a" for "[@a::@b]".
std::string parseExecutable(const std::string& entryPoints) {
  const auto at = entryPoints.find('@') + 1;
  return entryPoints.substr(at, entryPoints.find_first_of(":]", at) - at);
}

/// Returns the calls of each executable.
std::map<std::string, Calls> callsIn(const CompilerApi& api, MlirOperation module) {
  std::map<std::string, Calls> calls;
  for (const MlirOperation top : childOperations(api, module)) {
    const bool atLoad = api.opName(top) == "util.initializer";
    walk(api, top, [&](MlirOperation operation) {
      if (api.opName(operation) == "flow.dispatch") {
        Calls& known = calls[parseExecutable(api.attributeText(operation, "entry_points"))];
        known.atLoad = known.atLoad || atLoad;
        if (!atLoad) {
          known.sites.push_back(operation);
        }
      }
      return MlirWalkResult::advance;
    });
  }
  return calls;
}

/// Returns the symbols of an executable and of the operations in it.
std::vector<std::string> namesIn(const CompilerApi& api, MlirOperation executable) {
  std::vector<std::string> names;
  walk(api, executable, [&](MlirOperation operation) {
    if (std::string name = symbolName(api, operation); !name.empty()) {
      names.push_back(std::move(name));
    }
    return MlirWalkResult::advance;
  });
  return names;
}

std::string computeFingerprint(const CompilerApi& api, MlirOperation executable) {
  std::string text = api.fullText(executable);
  std::vector<std::string> names = namesIn(api, executable);
  // Longest first, because a dispatch's name is a prefix of its entry point's.
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (const std::string& name : names) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.erase(at, name.size());
    }
  }
  return hashBytes(text);
}

/// Returns the reason why a standalone program cannot take or return a tensor of this type; ""
/// if it can.
std::string rejectTensor(const std::string& type) {
  if (type.contains("#iree_encoding")) {
    return "its tensors have a data tiling layout, which is internal to the compiler";
  }
  if (type.contains('?')) {
    return "it has dynamic shapes";
  }
  const auto read = model::tensorTypeFromMlir(type);
  return read ? "" : fmt::format("unsupported type {}", type);
}

/// Writes the function around one call.
class CallWriter {
 public:
  CallWriter(const CompilerApi& api, MlirOperation call) : api_(api), call_(call) {}

  /// Returns false if the function cannot be written; skipReason() then has the reason.
  bool write(const std::string& name);
  [[nodiscard]] const std::string& skipReason() const { return skipReason_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<std::string>& results() const { return results_; }

 private:
  bool reject(std::string why) {
    skipReason_ = std::move(why);
    return false;
  }
  bool addOperands();
  /// Adds a scalar that is the same in every call.
  bool addConstant(MlirValue value, const std::string& name);
  bool addResults();
  [[nodiscard]] std::string resultTypes() const;

  const CompilerApi& api_;
  MlirOperation call_;
  std::string skipReason_;
  std::string text_;
  std::string before_;                 ///< the operations that create the operands
  std::vector<std::string> workload_;  ///< SSA names
  std::vector<std::string> arguments_;
  std::vector<std::string> argumentTypes_;
  std::vector<std::string> inputs_;
  std::vector<std::string> results_;
};

bool CallWriter::addConstant(MlirValue value, const std::string& name) {
  if (api_.valueIsArgument(value)) {
    return reject("it takes a dynamic value");
  }
  const MlirOperation owner = api_.resultOwner(value);
  if (api_.opName(owner) != "arith.constant") {
    return reject("it takes a value that is computed at run time");
  }
  before_ += fmt::format("    {} = arith.constant {}\n", name, api_.attributeText(owner, "value"));
  return true;
}

bool CallWriter::addOperands() {
  const auto segments = numbersIn(api_.attributeText(call_, "operandSegmentSizes"));
  if (segments.size() != 4 || segments[2] != 0 || segments[3] != 0) {
    return reject("it has dynamic shapes");
  }
  for (std::int64_t i = 0; i < segments[0] + segments[1]; ++i) {
    const MlirValue value = api_.operationOperand(call_, i);
    const std::string type = api_.typeText(api_.valueType(value));
    const std::string name = fmt::format("%value{}", i);
    if (!type.starts_with("tensor<")) {
      if (!addConstant(value, name)) {
        return false;
      }
    } else if (std::string why = rejectTensor(type); !why.empty()) {
      return reject(std::move(why));
    } else {
      before_ +=
          fmt::format("    {} = hal.tensor.import %input{} \"input{}\" : !hal.buffer_view -> {}\n",
                      name, inputs_.size(), inputs_.size(), type);
      inputs_.push_back(type);
    }
    (i < segments[0] ? workload_ : arguments_).push_back(name);
    if (i >= segments[0]) {
      argumentTypes_.push_back(type);
    }
  }
  return true;
}

bool CallWriter::addResults() {
  for (std::intptr_t i = 0; i < api_.operationResults(call_); ++i) {
    const std::string type = api_.typeText(api_.valueType(api_.operationResult(call_, i)));
    if (std::string why = rejectTensor(type); !why.empty()) {
      return reject(std::move(why));
    }
    results_.push_back(type);
  }
  return true;
}

/// Returns the result types; a result tied to an operand is written as the operand's name.
std::string CallWriter::resultTypes() const {
  const auto tied = numbersIn(api_.attributeText(call_, "tied_operands"));
  std::vector<std::string> types;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (i >= tied.size() || tied[i] < 0) {
      types.push_back(results_[i]);
      continue;
    }
    const auto operand = static_cast<std::size_t>(tied[i]);
    const bool same = argumentTypes_[operand] == results_[i];
    types.push_back(same ? arguments_[operand]
                         : fmt::format("{} as {}", arguments_[operand], results_[i]));
  }
  return types.size() == 1 ? types.front() : fmt::format("({})", join(types, ", "));
}

bool CallWriter::write(const std::string& name) {
  if (!addOperands() || !addResults()) {
    return false;
  }
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    parameters.push_back(fmt::format("%input{}: !hal.buffer_view", i));
  }
  std::vector<std::string> resultNames;
  std::vector<std::string> exported;
  std::string after;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    resultNames.push_back(fmt::format("%result{}", i));
    exported.push_back(fmt::format("%output{}", i));
    after += fmt::format("    {} = hal.tensor.export {} \"output{}\" : {} -> !hal.buffer_view\n",
                         exported.back(), resultNames.back(), i, results_[i]);
  }
  const std::string views =
      join(std::vector<std::string>(results_.size(), "!hal.buffer_view"), ", ");
  const std::string entry = api_.attributeText(call_, "entry_points");
  text_ = fmt::format(
      "  util.func public @{}({}) -> ({}) attributes {{iree.abi.stub}} {{\n"
      "{}"
      "    {} = flow.dispatch {}{}({}) : ({}) -> {}\n"
      "{}"
      "    util.return {} : {}\n"
      "  }}\n",
      name, join(parameters, ", "), views, before_, join(resultNames, ", "),
      entry.substr(1, entry.size() - 2),
      workload_.empty() ? "" : fmt::format("[{}]", join(workload_, ", ")), join(arguments_, ", "),
      join(argumentTypes_, ", "), resultTypes(), after, join(exported, ", "), views);
  return true;
}

/// Returns a module with only the executable, the devices and the function.
std::string programText(const CompilerApi& api, MlirOperation module, const std::string& executable,
                        const std::string& function) {
  const MlirOperation copy = api.operationClone(module);
  for (const MlirOperation top : childOperations(api, copy)) {
    const std::string kind = api.opName(top);
    const bool device = kind == "util.global" && api.attributeText(top, "type") == "!hal.device";
    if (!device && (kind != "flow.executable" || symbolName(api, top) != executable)) {
      api.operationErase(top);
    }
  }
  std::string text = api.text(copy);
  api.operationErase(copy);
  return withFunction(std::move(text), function);
}

/// Returns a function name that does not clash with the executable's.
std::string functionName(const std::string& entry, const std::string& executable) {
  return entry == executable ? entry + "_call" : entry;
}

DispatchDescription describeDispatch(const CompilerApi& api, MlirOperation module,
                                     MlirOperation executable, const Calls& calls) {
  DispatchDescription found;
  found.dispatch = symbolName(api, executable);
  found.calls = static_cast<std::int64_t>(calls.sites.size());
  found.fingerprint = computeFingerprint(api, executable);
  for (const MlirOperation child : childOperations(api, executable)) {
    if (api.opName(child) == "flow.executable.export") {
      found.entries.push_back(symbolName(api, child));
    }
  }
  if (calls.sites.empty()) {
    found.skipReason =
        calls.atLoad ? "it runs only once, when the program is loaded" : "it is never called";
    return found;
  }
  CallWriter writer(api, calls.sites.front());
  const std::string& entry = found.entries.empty() ? found.dispatch : found.entries.front();
  const std::string function = functionName(entry, found.dispatch);
  if (!writer.write(function)) {
    found.skipReason = writer.skipReason();
    return found;
  }
  found.function = function;
  found.text = programText(api, module, found.dispatch, writer.text());
  found.inputs = writer.inputs();
  found.results = writer.results();
  return found;
}

}  // namespace

std::vector<DispatchDescription> dispatchesIn(const CompilerApi& api, MlirOperation module) {
  std::vector<DispatchDescription> dispatches;
  const std::map<std::string, Calls> calls = callsIn(api, module);
  for (const MlirOperation top : childOperations(api, module)) {
    if (api.opName(top) != "flow.executable") {
      continue;
    }
    const auto known = calls.find(symbolName(api, top));
    dispatches.push_back(
        describeDispatch(api, module, top, known == calls.end() ? Calls{} : known->second));
  }
  return dispatches;
}

}  // namespace hone::iree

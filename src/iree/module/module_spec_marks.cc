#include "iree/module/module_spec_marks.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text/text.h"
#include "iree/module/module_spec.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

constexpr std::string_view kEntryMark = "hone_entry";
constexpr std::string_view kFunctionMark = "hone_applied_";

constexpr std::string_view kAnyOperation = "!transform.any_op";
constexpr std::string_view kOperation = "!transform.op<";

std::string markName(std::size_t entry) { return fmt::format("hone_mark_{}", entry); }

/// Returns the argument types of a named sequence.
std::vector<std::string> argumentTypes(const CompilerApi& api, MlirOperation sequence) {
  std::vector<std::string> types;
  const MlirType type =
      api.attributeType(api.operationAttribute(sequence, MlirStringRef::of("function_type")));
  for (std::intptr_t i = 0; i < api.functionInputs(type); ++i) {
    types.push_back(api.typeText(api.functionInput(type, i)));
  }
  return types;
}

/// Returns a sequence that sets the marks and then runs the action; "" if the action takes no
/// operation to mark.
std::string markingAction(const CompilerApi& api, MlirOperation action, std::size_t entry) {
  const auto types =
      action.ptr == nullptr ? std::vector<std::string>() : argumentTypes(api, action);
  if (types.empty() || (types.front() != kAnyOperation && !types.front().starts_with(kOperation))) {
    return "";
  }
  std::vector<std::string> declared;
  std::vector<std::string> given;
  for (std::size_t i = 0; i < types.size(); ++i) {
    declared.push_back(fmt::format("%arg{}: {} {{transform.readonly}}", i, types[i]));
    given.push_back(fmt::format("%arg{}", i));
  }
  return fmt::format(
      R"(  transform.named_sequence @{mark}({declared}) {{
    %entry = transform.param.constant {number} : i64 -> !transform.any_param
    transform.annotate %arg0 "{onOperation}" = %entry : {op}, !transform.any_param
    %function = "transform.get_parent_op"(%arg0) <{{op_name = "func.func"}}> : ({op}) -> !transform.any_op
    transform.annotate %function "{onFunction}{number}" : !transform.any_op
    transform.include @"{action}" failures(propagate) ({given}) : ({types}) -> ()
    transform.yield
  }}
)",
      fmt::arg("mark", markName(entry)), fmt::arg("declared", join(declared, ", ")),
      fmt::arg("number", entry), fmt::arg("onOperation", kEntryMark), fmt::arg("op", types.front()),
      fmt::arg("onFunction", kFunctionMark),
      fmt::arg("action", api.stringAttribute(action, "sym_name")),
      fmt::arg("given", join(given, ", ")), fmt::arg("types", join(types, ", ")));
}

/// Replaces the actions of each foreach_match operation and returns the module as text.
std::string withActions(const CompilerApi& api, MlirOperation module,
                        const std::vector<std::vector<std::string>>& actions) {
  const MlirContext context = api.operationContext(module);
  std::size_t at = 0;
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == "transform.foreach_match") {
      std::vector<std::string> symbols;
      for (const std::string& action : actions[at++]) {
        symbols.push_back(fmt::format("@\"{}\"", action));
      }
      const std::string list = fmt::format("[{}]", join(symbols, ", "));
      api.operationSetAttribute(operation, MlirStringRef::of("actions"),
                                api.attributeParse(context, MlirStringRef::of(list)));
    }
    return MlirWalkResult::advance;
  });
  return api.localText(module);
}

/// Returns the number in "hone_entry = 3 : i64"; -1 if there is none.
std::int64_t readMark(const CompilerApi& api, MlirOperation operation) {
  const std::string text = api.attributeText(operation, kEntryMark);
  return parseInt(trim(text.substr(0, text.find(':')))).value_or(-1);
}

std::vector<std::int64_t> functionMarks(const CompilerApi& api, MlirOperation function) {
  std::set<std::int64_t> entries;
  for (std::intptr_t i = 0; i < api.operationAttributes(function); ++i) {
    const auto name = api.identifierText(api.operationAttributeAt(function, i).name).view();
    if (name.starts_with(kFunctionMark)) {
      entries.insert(parseInt(name.substr(kFunctionMark.size())).value_or(-1));
    }
  }
  return {entries.begin(), entries.end()};
}

ConfiguredFunction readFunction(const CompilerApi& api, MlirOperation function) {
  ConfiguredFunction configured{.dispatch = dispatchAround(api, function),
                                .function = api.stringAttribute(function, "sym_name"),
                                .translationInfo = api.attributeText(function, "translation_info"),
                                .entries = functionMarks(api, function),
                                .operations = {}};
  std::map<std::string, std::size_t> seen;
  walk(api, function, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    const ConfiguredOperation found{
        .op = name,
        .ordinal = seen[name]++,
        .root = !api.attributeText(operation, "root_op").empty(),
        .entry = readMark(api, operation),
        .loweringConfig = api.attributeText(operation, "lowering_config")};
    if (found.root || found.entry >= 0 || !found.loweringConfig.empty()) {
      configured.operations.push_back(found);
    }
    return MlirWalkResult::advance;
  });
  return configured;
}

/// Returns "llvm-cpu" for "#hal.executable.target<"llvm-cpu", …>".
std::string parseBackend(const std::string& target) {
  const auto open = target.find('"');
  const auto close = target.find('"', open + 1);
  return open == std::string::npos || close == std::string::npos
             ? target
             : target.substr(open + 1, close - open - 1);
}

}  // namespace

std::string markedSpec(const CompilerApi& api, MlirOperation module) {
  std::string marks;
  std::vector<std::vector<std::string>> actions;  // of each foreach_match
  std::size_t number = 0;
  walk(api, module, [&](MlirOperation operation) {
    if (api.opName(operation) == "transform.foreach_match") {
      actions.emplace_back();
      for (const SpecPair& pair : pairsIn(api, operation)) {
        const std::string mark = markingAction(api, findSequence(api, module, pair.action), number);
        actions.back().push_back(mark.empty() ? pair.action : markName(number));
        marks += mark;
        ++number;
      }
    }
    return MlirWalkResult::advance;
  });
  std::string text = api.localText(module);
  text.insert(text.rfind('}'), marks);
  const MlirContext context = api.operationContext(module);
  const MlirOperation marked =
      api.operationParse(context, MlirStringRef::of(text), MlirStringRef::of("marked spec"));
  return marked.ptr == nullptr ? "" : withActions(api, marked, actions);
}

SpecMarks specMarks(const CompilerApi& api, MlirOperation module) {
  std::set<std::string> backends;
  SpecMarks marks;
  walk(api, module, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    if (name == "hal.executable.variant") {
      backends.insert(parseBackend(api.attributeText(operation, "target")));
    }
    if (name == "func.func" && !dispatchAround(api, operation).empty()) {
      marks.functions.push_back(readFunction(api, operation));
      return MlirWalkResult::skip;
    }
    return MlirWalkResult::advance;
  });
  marks.backends.assign(backends.begin(), backends.end());
  return marks;
}

}  // namespace hone::iree

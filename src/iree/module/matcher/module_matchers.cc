#include "iree/module/matcher/module_matchers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "iree/module/matcher/describe_form.h"
#include "iree/module/matcher/structure_matcher.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

constexpr std::string_view kProbe =
    R"(module attributes {transform.with_named_sequence} {
  transform.named_sequence @__kernel_config(%function: !transform.any_op {transform.readonly}) {
    "transform.print"(%function) <{name = "hone", use_local_scope}> : (!transform.any_op) -> ()
    transform.yield
  }
}
)";
/// The heading that the probe prints before each function.
constexpr std::string_view kHeading = "[[[ IR printer: hone ]]]\n";

std::filesystem::path jobFile(std::string_view name) {
  const char* folder = std::getenv("TMPDIR");
  return std::filesystem::path(folder == nullptr ? "." : folder) / name;
}

/// Returns the functions that the probe printed, by name.
std::map<std::string, MlirOperation> printedFunctions(const CompilerApi& api, MlirContext context) {
  std::map<std::string, MlirOperation> functions;
  const auto printed = readFile(jobFile("probed"));
  if (!printed) {
    return functions;
  }
  for (auto at = printed->find(kHeading); at != std::string::npos;) {
    const auto begin = at + kHeading.size();
    at = printed->find(kHeading, begin);
    const std::string text = printed->substr(begin, at == std::string::npos ? at : at - begin);
    const MlirOperation function =
        api.operationParse(context, MlirStringRef::of(text), MlirStringRef::of("probed"));
    if (function.ptr != nullptr) {
      functions[api.stringAttribute(function, "sym_name")] = function;
    }
  }
  return functions;
}

/// Returns a text that identifies an operation before and after configuration.
std::string computeSignature(const CompilerApi& api, MlirOperation operation) {
  std::string signature = printMaps(api, operation);
  for (std::intptr_t i = 0; i < api.operationOperands(operation); ++i) {
    signature += ' ';
    signature += api.typeText(api.valueType(api.operationOperand(operation, i)));
  }
  return signature;
}

bool isAttention(const std::string& name) {
  return name == "iree_linalg_ext.attention" || name == "iree_linalg_ext.online_attention";
}

/// Returns the operation that corresponds to the root when specs are applied; null if there is
/// none.
MlirOperation findProbedRoot(const CompilerApi& api, MlirOperation function, MlirOperation root) {
  const std::string rootName = api.opName(root);
  const std::string signature = computeSignature(api, root);
  std::vector<MlirOperation> same;
  std::vector<MlirOperation> alike;
  std::vector<MlirOperation> named;
  walk(api, function, [&](MlirOperation operation) {
    const std::string name = api.opName(operation);
    const bool equal =
        computeSignature(api, operation) == signature && !printMaps(api, operation).empty();
    if (name == rootName || (isAttention(name) && isAttention(rootName))) {
      named.push_back(operation);
      if (computeSignature(api, operation) == signature) {
        same.push_back(operation);
      }
    } else if (equal) {
      alike.push_back(operation);
    }
    return MlirWalkResult::advance;
  });
  if (!same.empty()) {
    return same.front();
  }
  if (!alike.empty()) {
    return alike.front();
  }
  return named.size() == 1 ? named.front() : MlirOperation{nullptr};
}

MlirOperation enclosingFunction(const CompilerApi& api, MlirOperation operation) {
  MlirOperation at = operation;
  while (at.ptr != nullptr && api.opName(at) != "func.func") {
    at = api.operationParent(at);
  }
  return at;
}

/// Hashes the function without its name: equal for identical dispatches.
std::string bodyHash(const CompilerApi& api, MlirOperation function) {
  std::string text = api.fullText(function);
  const std::string name = api.stringAttribute(function, "sym_name");
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.erase(at, name.size());
  }
  return hashBytes(text);
}

RootMatcher matchRoot(const CompilerApi& api, MlirOperation root,
                      const std::map<std::string, MlirOperation>& functions) {
  RootMatcher entry;
  entry.dispatch = dispatchAround(api, root);
  entry.root.matched.op = api.opName(root);
  const MlirOperation function = enclosingFunction(api, root);
  const auto printed = function.ptr == nullptr
                           ? functions.end()
                           : functions.find(api.stringAttribute(function, "sym_name"));
  if (printed == functions.end()) {
    entry.root.failureReason = "the compiler does not apply specs to it";
    return entry;
  }
  entry.body = bodyHash(api, printed->second);
  const MlirOperation seen = findProbedRoot(api, printed->second, root);
  if (seen.ptr == nullptr) {
    entry.root.failureReason =
        fmt::format("the compiler creates its {} only after it applies specs", api.opName(root));
    return entry;
  }
  entry.root = makeMatcher(api, seen);
  return entry;
}

}  // namespace

std::optional<std::string> setUpProbe() {
  const std::filesystem::path probe = jobFile("probe.mlir");
  const auto wrote = writeScratchFile(probe, kProbe);
  const int printed = ::open(jobFile("probed").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!wrote || printed < 0) {
    fmt::print(stderr, "error: cannot write {}\n", probe.string());
    return std::nullopt;
  }
  ::dup2(printed, STDOUT_FILENO);
  ::close(printed);
  return "--iree-codegen-transform-dialect-library=" + probe.string();
}

std::vector<RootMatcher> matchersIn(const CompilerApi& api, MlirOperation module) {
  const auto functions = printedFunctions(api, api.operationContext(module));
  std::vector<RootMatcher> matchers;
  walk(api, module, [&](MlirOperation operation) {
    if (!api.attributeText(operation, "root_op").empty()) {
      matchers.push_back(matchRoot(api, operation, functions));
    }
    return MlirWalkResult::advance;
  });
  return matchers;
}

std::vector<ProgramOperation> operationsIn(const CompilerApi& api, MlirOperation module) {
  const auto functions = printedFunctions(api, api.operationContext(module));
  std::vector<ProgramOperation> operations;
  walk(api, module, [&](MlirOperation function) {
    const auto printed = api.opName(function) == "func.func"
                             ? functions.find(api.stringAttribute(function, "sym_name"))
                             : functions.end();
    if (printed == functions.end()) {
      return MlirWalkResult::advance;
    }
    walk(api, printed->second, [&](MlirOperation operation) {
      const std::string name = api.opName(operation);
      const bool computes = name.starts_with("linalg.") || name.starts_with("iree_linalg_ext.");
      if (computes && api.operationResults(operation) > 0 && name != "linalg.index") {
        operations.push_back({.dispatch = dispatchAround(api, function),
                              .form = describeForm(api, operation),
                              .matcher = makeMatcher(api, operation)});
      }
      return MlirWalkResult::advance;
    });
    return MlirWalkResult::skip;
  });
  return operations;
}

}  // namespace hone::iree

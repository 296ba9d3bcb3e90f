#include "iree/compile/resolve_roots.h"

#include <regex>

namespace hone::iree {
namespace {

/// Compiles the pattern of a config's dispatches; returns a user error if it is not a valid regex.
Result<std::regex> dispatchPattern(const std::string& text) {
  try {
    return std::regex(text, std::regex::nosubs);
  } catch (const std::regex_error& error) {
    return userError("'dispatch' is not a regular expression: {} ({})", text, error.what());
  }
}

}  // namespace

std::string literalPattern(const std::string& name) {
  static const std::regex kSpecial(R"([.^$|()\[\]{}*+?\\])");
  return "^" + std::regex_replace(name, kSpecial, R"(\$&)") + "$";
}

Result<std::vector<model::OpAttribute>> resolveRoots(JobCache& jobs,
                                                     const CompileRequest& request) {
  std::vector<model::OpAttribute> resolved;
  for (const model::OpAttribute& attribute : request.attributes) {
    const std::regex dispatch = HONE_TRY(dispatchPattern(attribute.dispatch));
    if (!attribute.op.empty()) {
      resolved.push_back(attribute);
      continue;
    }
    const auto found = HONE_TRY(jobs.ask(jobSource(request), ListRootsJob{}));
    bool any = false;
    for (const model::RootOperation& root : found) {
      if (root.op.empty() || !std::regex_search(root.dispatch, dispatch)) {
        continue;
      }
      if (!root.attachable) {
        return userError(
            "no configuration reaches the root operation of {}: the compiler makes the {} itself",
            root.dispatch, root.op);
      }
      resolved.push_back({literalPattern(root.dispatch),
                          fmt::format("{}#{}", root.op, root.ordinal), attribute.name,
                          attribute.value});
      any = true;
    }
    if (!any) {
      return userError("no dispatch with a root operation matches '{}'", attribute.dispatch);
    }
  }
  return resolved;
}

}  // namespace hone::iree

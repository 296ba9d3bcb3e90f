#include "iree/compile/resolve_roots.h"

#include <fmt/format.h>

#include "base/text/regex.h"

namespace hone::iree {
namespace {

/// Compiles the pattern of a config's dispatches; returns a user error if it is not a valid regex.
Result<Regex> dispatchPattern(const std::string& text) {
  auto compiled = Regex::compile(text);
  return compiled ? std::move(compiled) : within("dispatch", std::move(compiled).error());
}

}  // namespace

std::string literalPattern(const std::string& name) {
  constexpr std::string_view kSpecial = R"(.^$|()[]{}*+?\)";
  std::string pattern = "^";
  for (const char c : name) {
    pattern += kSpecial.contains(c) ? fmt::format("\\{}", c) : std::string(1, c);
  }
  return pattern + "$";
}

Result<std::vector<model::OpAttribute>> resolveRoots(JobCache& jobs,
                                                     const CompileRequest& request) {
  std::vector<model::OpAttribute> resolved;
  for (const model::OpAttribute& attribute : request.attributes) {
    const Regex dispatch = HONE_TRY(dispatchPattern(attribute.dispatch));
    if (!attribute.op.empty()) {
      resolved.push_back(attribute);
      continue;
    }
    const auto found = HONE_TRY(jobs.ask(jobSource(request), ListRootsJob{}));
    bool any = false;
    for (const model::RootOperation& root : found) {
      if (root.op.empty() || !dispatch.matchesAnywhere(root.dispatch)) {
        continue;
      }
      if (!root.attachable) {
        return userError(
            "cannot configure the root operation of {}: the compiler creates the {} itself",
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

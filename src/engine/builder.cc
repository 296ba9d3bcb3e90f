#include "engine/builder.h"

#include <utility>

#include "engine/machine_lock.h"

namespace hone::engine {

Result<std::vector<iree::Compiled>> Builder::build(std::vector<iree::CompileRequest> requests) {
  for (iree::CompileRequest& request : requests) {
    request.wallLimit = timeout_.limit();
  }
  const std::int64_t waitedBeforeNs = MachineLock::waitedNs();
  const auto lock = HONE_TRY(MachineLock::forCompiling());
  for (iree::CompileRequest& request : requests) {
    if (request.deadlineNs > 0) {  // waiting does not use up a budget
      request.deadlineNs += MachineLock::waitedNs() - waitedBeforeNs;
    }
  }
  auto compiled = HONE_TRY(compiler_.compileAll(requests, {}));
  for (const iree::Compiled& one : compiled) {
    if (!one.module.empty() && !one.cached) {
      timeout_.record(one.report.ending.wallNs);
    }
  }
  return compiled;
}

Result<iree::Compiled> Builder::buildOne(const iree::CompileRequest& request) {
  auto compiled = std::move(HONE_TRY(build({request})).front());
  if (compiled.module.empty()) {
    return userError("{} does not compile: {}", request.displayName(), compiled.report.message);
  }
  return compiled;
}

}  // namespace hone::engine

#pragma once

#include <vector>

#include "base/error.h"
#include "engine/compile_timeout.h"
#include "iree/compile/compiler.h"

namespace hone::engine {

/// Compiles candidates. Shares the machine lock while it compiles, and limits each compile by the
/// times of those before it.
class Builder {
 public:
  /// The compiler must outlive the builder.
  explicit Builder(iree::Compiler& compiler) : compiler_(compiler) {}

  /// Compiles all requests in parallel. A candidate that does not compile is not an error.
  [[nodiscard]] Result<std::vector<iree::Compiled>> build(
      std::vector<iree::CompileRequest> requests);
  /// Compiles one request; fails with a user error if it does not compile.
  [[nodiscard]] Result<iree::Compiled> buildOne(const iree::CompileRequest& request);
  [[nodiscard]] CompileTimeout& timeout() { return timeout_; }

 private:
  iree::Compiler& compiler_;
  CompileTimeout timeout_;
};

}  // namespace hone::engine

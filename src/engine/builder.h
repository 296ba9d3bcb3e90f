#pragma once

#include <vector>

#include "base/error.h"
#include "engine/compile_patience.h"
#include "iree/compile/compiler.h"

namespace hone::engine {

/// Compiles candidates. Shares the machine lock while it compiles, and limits each compile by the
/// times of those before it.
class Builder {
 public:
  /// The compiler must outlive the builder.
  explicit Builder(iree::Compiler& compiler) : compiler_(compiler) {}

  /// Compiles all, several at a time. A candidate that does not compile is a value.
  [[nodiscard]] Result<std::vector<iree::Compiled>> build(
      std::vector<iree::CompileRequest> requests);
  /// Compiles one; returns a user error if it does not compile.
  [[nodiscard]] Result<iree::Compiled> buildOne(const iree::CompileRequest& request);
  [[nodiscard]] CompilePatience& patience() { return patience_; }

 private:
  iree::Compiler& compiler_;
  CompilePatience patience_;
};

}  // namespace hone::engine

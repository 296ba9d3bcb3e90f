#pragma once

#include <string>
#include <vector>

#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Prints the whole file, without the comments inside the kernel.
[[nodiscard]] std::string print(const Function& function);
[[nodiscard]] std::string print(const Expr& expression);
/// Returns the lines of a statement, indented by `indent` blanks.
[[nodiscard]] std::vector<std::string> printLines(const Stmt& statement, int indent);

}  // namespace hone::kernel::nest

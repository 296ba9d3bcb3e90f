#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/cache/job_cache.h"
#include "iree/compile/compile_request.h"
#include "model/result/config.h"

namespace hone::iree {

/// Returns the regular expression for OpAttribute that matches exactly this name.
[[nodiscard]] std::string literalPattern(const std::string& name);

/// Returns the attributes of a request with every "" operation replaced by the root operations of
/// the matching dispatches. Fails with a user error if there is no root, or if it cannot be
/// configured.
[[nodiscard]] Result<std::vector<model::OpAttribute>> resolveRoots(JobCache& jobs,
                                                                   const CompileRequest& request);

}  // namespace hone::iree

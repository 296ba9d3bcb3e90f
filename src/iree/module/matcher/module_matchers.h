#pragma once

#include <optional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matcher_text.h"

namespace hone::iree {

// Matchers for the root operations of dispatches, in a compile child. The compiler applies specs in
// the middle of its configuration: named operations may have been generalized by then, and some
// roots (linalg.mmt4d) are not there yet. So the functions are printed from within a spec, at that
// very point, and matchers are made of what is seen there.

/// The matcher of one dispatch's root operation.
struct RootMatcher {
  std::string dispatch;
  OperationMatcher root;
  std::string body;  ///< a hash of the dispatch without its name
};

/// Sends standard output, where the probe prints, to a file of the job. Returns the flag that makes
/// the compiler run the probe; nothing, and prints the reason on stderr, if the files cannot be
/// written.
[[nodiscard]] std::optional<std::string> setUpProbe();

/// Makes a matcher for each dispatch with a root operation, from IR with tuner attributes that was
/// configured with the probe.
[[nodiscard]] std::vector<RootMatcher> matchersIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "iree/module/compiler_api.h"

namespace hone::iree {

// What matches the root operation of a dispatch, in a compile child. The compiler applies specs in
// the middle of its configuration: named operations may have been generalized by then, and some
// roots (linalg.mmt4d) are not there yet. So the functions are printed from within a spec, at that
// very point, and matchers are made of what is seen there.

/// Sends standard output, where the probe prints, to a file of the job's; the flag that makes the
/// compiler run the probe. Nothing when the files cannot be written, which is said on stderr.
[[nodiscard]] std::optional<std::string> setUpProbe();

/// A matcher for each dispatch with a root operation, from IR with tuner attributes that was
/// configured with the probe: [{"dispatch", "op", "kind", "types", "sizes": as specEntries has
/// them, "matcher": the matcher's body on %op, "exact": false where the matcher cannot tell
/// operations of equal types apart, "body": a hash of the dispatch without its name,
/// "why_not": instead of a matcher}].
[[nodiscard]] nlohmann::json matchersIn(const CompilerApi& api, MlirOperation module);

}  // namespace hone::iree

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/matcher/matcher_text.h"
#include "iree/module/matcher/operation_form.h"

namespace hone::iree {

// Builds matchers for the root operations of dispatches, in a compile child. The compiler applies
// specs in the middle of its configuration. At that point named operations may have been
// generalized, and some roots (linalg.mmt4d) do not exist yet. So a probe, itself a spec, prints
// the functions at exactly that point, and the matchers are built from its output.

/// The matcher of one dispatch's root operation.
struct RootMatcher {
  std::string dispatch;
  OperationMatcher root;
  std::string body;  ///< a hash of the dispatch without its name
};

/// An operation that specs can match.
struct ProgramOperation {
  std::string dispatch;
  OperationForm form;
  OperationMatcher matcher;
};

/// Redirects stdout, where the probe prints, to a file of the job. Returns the compiler flag that
/// runs the probe, or nothing, with an error on stderr, if the files cannot be written.
[[nodiscard]] std::optional<std::string> setUpProbe();

/// Builds a matcher for each dispatch with a root operation, from IR with tuner attributes that was
/// configured with the probe.
[[nodiscard]] std::vector<RootMatcher> matchersIn(const CompilerApi& api, MlirOperation module);

/// Lists the operations of the dispatches as they are when the compiler applies specs, from IR that
/// was configured with the probe.
[[nodiscard]] std::vector<ProgramOperation> operationsIn(const CompilerApi& api,
                                                         MlirOperation module);

}  // namespace hone::iree

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/subject.h"

namespace hone::tune {

/// How many candidates are drawn for a dispatch.
struct DrawOptions {
  std::size_t count = 0;  ///< those that are the same code as another do not count
  std::uint64_t seed = 1;
  DispatchCandidates known;      ///< drawn and compiled before
  std::function<bool()> enough;  ///< asked before each few: there is no time for more
  std::function<void()> onDone;  ///< called after each
  /// Called after each few, with all that there are.
  std::function<Result<void>(const DispatchCandidates&)> onSome;
};

/// Draws candidates for a dispatch, makes them attributes and compiles them. A dispatch that does
/// not compile has none, and a note that says why.
[[nodiscard]] Result<DispatchCandidates> compileCandidates(iree::Compiler& compiler,
                                                           const Subject& subject,
                                                           const std::vector<std::string>& flags,
                                                           DrawOptions options);

}  // namespace hone::tune

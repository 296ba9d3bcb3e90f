#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "tune/candidates/candidate_folder.h"
#include "tune/program/tunable_dispatch.h"

namespace hone::tune {

/// Options of drawing candidates for a dispatch.
struct DrawOptions {
  std::size_t count = 0;  ///< candidates to draw; those with identical code do not count
  std::uint64_t seed = 1;
  std::string target;            ///< hone's name of the target, to read its code
  DispatchCandidates known;      ///< candidates drawn and compiled earlier
  std::function<bool()> enough;  ///< checked before each batch; true: the time is used up
  std::function<void()> onDone;  ///< called after each candidate
  /// Called after each batch, with all candidates so far.
  std::function<Result<void>(const DispatchCandidates&)> onBatch;
};

/// Draws candidates for a dispatch and compiles them. Returns the most promising first, see
/// candidate_order.h. If the dispatch does not compile, returns no candidates and a note with the
/// reason.
[[nodiscard]] Result<DispatchCandidates> compileCandidates(iree::Compiler& compiler,
                                                           const TunableDispatch& tunable,
                                                           const std::vector<std::string>& flags,
                                                           const DrawOptions& options);

}  // namespace hone::tune

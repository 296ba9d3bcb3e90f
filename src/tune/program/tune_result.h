#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/finding.h"
#include "iree/run/dispatch_times.h"
#include "tune/program/program_flags.h"
#include "tune/program/subject.h"
#include "tune/proof/proof.h"

namespace hone::tune {

/// A dispatch and what came of tuning it.
struct TunedDispatch {
  Subject subject;
  std::size_t tried = 0;
  std::size_t failed = 0;
  std::optional<engine::Finding> winner;  ///< proven on the dispatch
  double defaultNs = 0;
  bool inSpec = false;  ///< and shown to help the program
  std::string note;     ///< why a winner is not in the spec
};

/// The dispatches as they are under some flags of the whole program.
struct Variant {
  FlagSet flags;  ///< beside the target's and the user's own; none: an empty name
  std::vector<TunedDispatch> dispatches;
};

struct TuneResult {
  std::vector<engine::Finding> flagFindings;
  std::vector<Variant> variants;
  std::optional<Proof> proof;     ///< its recipe is the number of the variant; nothing: no gain
  std::vector<std::string> lost;  ///< what was tried on the whole program and is no gain, and why
  std::string spec;               ///< the text; "" where flags alone, or nothing, make the gain
  /// Where the compiler does not do with the spec what it says, a sentence each.
  std::vector<std::string> specFaults;
  /// What the dispatches cost in the program as it was and as it is proven; for people to see.
  std::vector<iree::DispatchTime> before, after;
  std::int64_t referenceCpuNs = 0;
};

}  // namespace hone::tune

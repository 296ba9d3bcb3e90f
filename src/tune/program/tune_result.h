#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/finding.h"
#include "iree/run/dispatch_times.h"
#include "model/result/summary/tune_result.h"
#include "tune/program/program_flags.h"
#include "tune/program/tunable_dispatch.h"
#include "tune/proof/proof.h"

namespace hone::tune {

/// A dispatch and its tuning result.
struct TunedDispatch {
  TunableDispatch tunable;
  std::size_t tried = 0;
  std::size_t failed = 0;
  std::optional<engine::Finding> winner;  ///< proven on the dispatch
  double defaultNs = 0;
  bool inSpec = false;  ///< also proven to help the program
  std::string note;     ///< reason for a winner not being in the spec
  std::optional<model::SearchEnd> searchEnd;
  std::size_t finalists = 0;                    ///< candidates compared in the final
  std::optional<engine::Finding> bestFinalist;  ///< the fastest of them, if none is proven
};

/// The dispatches as compiled with some program-wide flags.
struct Variant {
  FlagSet flags;  ///< in addition to the target's and the user's; an empty name if none
  std::vector<TunedDispatch> dispatches;
};

struct TuneResult {
  std::vector<model::TunedLayer> layers;  ///< layers whose ways were measured
  std::vector<engine::Finding> flagFindings;
  std::vector<Variant> variants;
  std::optional<Proof> proof;     ///< its recipe is the index of the variant; nothing: no gain
  std::vector<std::string> lost;  ///< attempts on the whole program without gain, with the reason
  std::string spec;  ///< text of the spec; "" if the gain comes from flags alone or there is none
  /// Deviations of the compiler from the spec, one message per fault.
  std::vector<std::string> specFaults;
  std::optional<engine::Finding> alternative;  ///< ONNX Runtime, for a model
  /// Dispatch times of the original and of the proven program, for display only.
  std::vector<iree::DispatchTime> before, after;
  std::int64_t referenceCpuNs = 0;
};

}  // namespace hone::tune

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/program.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::tune {

/// A dispatch to tune, or a group of identical dispatches.
struct TunableDispatch {
  std::string name;
  std::vector<std::string> dispatches;  ///< names in the program
  model::RootOperation root;
  std::int64_t calls = 0;  ///< per invocation of the program
  double share = 0;        ///< fraction of the program's time
  bool estimated = false;  ///< `share` was not measured
  /// Program in which it is compiled, verified and timed: extracted, or the whole program.
  engine::Program program;
  bool standalone = false;
  std::optional<hone::knobs::KnobModel> knobs;
  std::string skipReason;  ///< reason for not tuning it; "" if it is tuned

  /// Returns the pattern that selects it in its program.
  [[nodiscard]] std::string pattern() const;
};

}  // namespace hone::tune

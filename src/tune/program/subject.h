#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/program.h"
#include "knobs/knob_model.h"
#include "model/problem/root_operation.h"

namespace hone::tune {

/// A dispatch of a program, or several that are equal, as something to tune.
struct Subject {
  std::string name;
  std::vector<std::string> dispatches;  ///< the names that it has in the program
  model::RootOperation root;
  std::int64_t calls = 0;  ///< in one invocation of the program
  double share = 0;        ///< of the program's time
  bool estimated = false;  ///< the share was not measured
  /// Where it is compiled, checked and timed: cut out of the program, or the program as a whole.
  engine::Program program;
  bool cutOut = false;
  std::optional<hone::knobs::KnobModel> knobs;
  std::string whyNot;  ///< why it is not tuned; "" where it is

  /// The pattern that finds it in its program.
  [[nodiscard]] std::string pattern() const;
};

}  // namespace hone::tune

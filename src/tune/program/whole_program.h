#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/experiment.h"

namespace hone::tune {

/// The user's program with all that is needed to try it in other ways.
struct WholeProgram {
  engine::Program program;
  engine::Inputs inputs;
  std::optional<engine::Inputs> otherInputs;
  std::vector<std::string> inputSpecs;  ///< the user's
  std::vector<std::string> flags;       ///< the target's and the user's own
  std::string scope;                    ///< tells it apart from other programs of the run
  std::uint64_t seed = 1;
};

/// Two sets of inputs with different values.
struct InputSets {
  engine::Inputs first;
  engine::Inputs other;
};
/// As engine::makeInputs, with files in the folder.
[[nodiscard]] Result<InputSets> makeInputSets(const engine::Program& program,
                                              const std::vector<std::string>& specs,
                                              std::uint64_t seed,
                                              const std::filesystem::path& folder);

/// What the compiler is asked for the program under these flags.
[[nodiscard]] iree::CompileRequest requestFor(const WholeProgram& whole,
                                              const std::vector<std::string>& flags);

/// An experiment with the whole program; its first candidate is the program as it is.
[[nodiscard]] engine::Plan planFor(const WholeProgram& whole, const std::string& scope);

}  // namespace hone::tune

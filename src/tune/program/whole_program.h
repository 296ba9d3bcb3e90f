#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/experiment.h"

namespace hone::tune {

/// The user's program, with everything needed to compile and run variants of it.
struct WholeProgram {
  engine::Program program;
  engine::Inputs inputs;
  std::optional<engine::Inputs> otherInputs;
  std::vector<std::string> inputSpecs;  ///< the user's
  std::vector<std::string> flags;       ///< the target's and the user's
  std::string scope;                    ///< identifies the program within the run
  std::uint64_t seed = 1;
};

/// Two sets of inputs with different values.
struct InputSets {
  engine::Inputs first;
  engine::Inputs other;
};
/// Like engine::makeInputs, with files in `folder`.
[[nodiscard]] Result<InputSets> makeInputSets(const engine::Program& program,
                                              const std::vector<std::string>& specs,
                                              std::uint64_t seed,
                                              const std::filesystem::path& folder);

/// Returns the compile request for the program with these flags.
[[nodiscard]] iree::CompileRequest requestFor(const WholeProgram& whole,
                                              const std::vector<std::string>& flags);

/// Returns a plan for the whole program; its first candidate is the unmodified program.
[[nodiscard]] engine::Plan planFor(const WholeProgram& whole, const std::string& scope);

}  // namespace hone::tune

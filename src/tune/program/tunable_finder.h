#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/text/regex.h"
#include "engine/plan/trial_context.h"
#include "iree/compile/constraints.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/dispatch_costs.h"
#include "iree/spec/spec.h"
#include "tune/program/tunable_dispatch.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// Compiles the pattern of --dispatches; returns a user error if it is not a valid regex.
[[nodiscard]] Result<Regex> dispatchRegex(const std::string& pattern);

/// Converts the dispatch to a standalone program; it must not depend on others.
[[nodiscard]] Result<engine::Program> loadDispatch(const iree::DispatchProgram& dispatch);

/// Selects the dispatches to tune.
struct DispatchSelection {
  std::string dispatches;  ///< regex of the names to tune; "": all
  std::size_t top = 0;     ///< tune only the N most expensive; 0: all
  /// Tune only these, which already have candidates; their knobs are not needed.
  std::optional<std::set<std::string>> planned{};
};

/// Source of the tunables' time shares.
enum class Costs : std::uint8_t { measured, estimated };

/// Estimates the cost of each dispatch from its loop sizes and calls.
[[nodiscard]] std::vector<iree::DispatchCost> estimatedCosts(
    std::span<const iree::DispatchProgram> programs);

/// Sorts the tunables by cost; those that are not tuned come last, with the reason. Tunables with a
/// negligible share are excluded only if costs were measured.
[[nodiscard]] Result<void> chooseTunables(std::vector<TunableDispatch>& tunables,
                                          const DispatchSelection& options, Costs costs);

/// Keeps only the most expensive of the dispatches that a spec cannot distinguish. Its result is
/// applied to, and proven on, all of them.
void dropIndistinguishable(std::vector<TunableDispatch>& tunables,
                           std::span<const iree::DispatchMatcher> matchers);

/// Finds the dispatches of a program and their knobs, and chooses which to tune. Sorted by cost;
/// those that are not tuned come last, with the reason.
class TunableFinder {
 public:
  TunableFinder(iree::Compiler& compiler, iree::Target target, DispatchSelection options)
      : compiler_(compiler), target_(std::move(target)), options_(std::move(options)) {}

  /// Finds the tunables under these flags. Writes sources of standalone dispatches to `folder`.
  /// With a runner, runs the program (on the executor, if any) to measure each dispatch. Estimates
  /// the costs without a runner, or if the device cannot measure them.
  [[nodiscard]] Result<std::vector<TunableDispatch>> find(const WholeProgram& whole,
                                                          const std::vector<std::string>& flags,
                                                          const iree::ModuleRunner* runner,
                                                          const std::filesystem::path& folder,
                                                          engine::Executor* executor = nullptr);

 private:
  [[nodiscard]] Result<knobs::KnobModel> makeKnobModel(const TunableDispatch& tunable,
                                                       const std::vector<std::string>& flags,
                                                       bool parallel);
  /// Returns the compiler's constraints for the tunable. The compiler can crash on one dispatch;
  /// that must not affect the others.
  [[nodiscard]] Result<std::vector<iree::PipelineConstraints>> constraintsFor(
      const TunableDispatch& tunable, const iree::CompileRequest& request);
  /// Sets the tunable's knobs, or the reason for having none.
  [[nodiscard]] Result<void> addKnobs(TunableDispatch& tunable,
                                      const std::vector<std::string>& flags, bool parallel);

  iree::Compiler& compiler_;
  iree::Target target_;
  DispatchSelection options_;
  /// Constraints of the whole program.
  std::optional<Result<std::vector<iree::PipelineConstraints>>> constraints_;
};

}  // namespace hone::tune

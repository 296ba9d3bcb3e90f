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
#include "iree/compile/target.h"
#include "iree/run/dispatch_costs.h"
#include "iree/spec/spec.h"
#include "tune/program/subject.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// Compiles the pattern of --dispatches; returns a user error if it is not a valid regex.
[[nodiscard]] Result<Regex> dispatchRegex(const std::string& pattern);

/// The dispatch as a program of its own; it must be one that can stand alone.
[[nodiscard]] Result<engine::Program> programOf(const iree::DispatchProgram& dispatch);

/// Which dispatches of a program are tuned.
struct SubjectOptions {
  std::string dispatches;  ///< a pattern of the names to tune; "": all
  std::size_t top = 0;     ///< only so many that cost the most; 0: all
  /// Only these, whose candidates are there already: nobody asks for their knobs.
  std::optional<std::set<std::string>> planned{};  // NOLINT(readability-redundant-member-init)
};

/// Where the subjects' shares of the time come from.
enum class Costs : std::uint8_t { measured, estimated };

/// What each costs by the sizes of its loops and its calls, where nothing was measured.
[[nodiscard]] std::vector<iree::DispatchCost> estimatedCosts(
    std::span<const iree::DispatchProgram> programs);

/// Sorts the subjects by their cost, those that are not tuned last, each with the reason. Only
/// where costs were measured is one left out for costing next to nothing.
[[nodiscard]] Result<void> chooseSubjects(std::vector<Subject>& subjects,
                                          const SubjectOptions& options, Costs costs);

/// Of dispatches that a spec cannot tell apart only the one that costs the most is tuned: what is
/// found for it is put on all of them, and proven so.
void leaveOutAlike(std::vector<Subject>& subjects, std::span<const iree::DispatchMatcher> matchers);

/// What a program's dispatches are made of, what can be chosen for each, and which of them are
/// worth it: in the order of their cost, those that are not tuned last, each with the reason.
class SubjectFinder {
 public:
  SubjectFinder(iree::Compiler& compiler, iree::Target target, SubjectOptions options)
      : compiler_(compiler), target_(std::move(target)), options_(std::move(options)) {}

  /// Finds the subjects under these flags. Sources of dispatches that can stand alone go to the
  /// folder. With a runner the program is run, by the executor if there is one, to see what each
  /// dispatch costs; without one, and where the device cannot tell, that is estimated.
  [[nodiscard]] Result<std::vector<Subject>> find(const WholeProgram& whole,
                                                  const std::vector<std::string>& flags,
                                                  const iree::ModuleRunner* runner,
                                                  const std::filesystem::path& folder,
                                                  engine::Executor* executor = nullptr);

 private:
  [[nodiscard]] Result<knobs::KnobModel> knobsOf(const Subject& subject,
                                                 const std::vector<std::string>& flags,
                                                 bool parallel);
  /// What the compiler asks of the knobs where the subject is compiled. The compiler can crash on
  /// one dispatch, which must not cost the others theirs.
  [[nodiscard]] Result<std::vector<iree::PipelineConstraints>> constraintsFor(
      const Subject& subject, const iree::CompileRequest& request);
  /// What can be chosen for it, or why nothing is.
  [[nodiscard]] Result<void> addKnobs(Subject& subject, const std::vector<std::string>& flags,
                                      bool parallel);

  iree::Compiler& compiler_;
  iree::Target target_;
  SubjectOptions options_;
  /// Of the program at hand as a whole.
  std::optional<Result<std::vector<iree::PipelineConstraints>>> constraints_;
};

}  // namespace hone::tune

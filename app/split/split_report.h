#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "base/error.h"
#include "split/fit/analysis.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validation/validation.h"
#include "split/sweep/validation/validator.h"

namespace hone::app {

// Names of the validated ways to split.
inline constexpr const char* kOneD = "1-D";
inline constexpr const char* kTwoD = "2-D";
inline constexpr const char* kOracle = "oracle";
inline constexpr const char* kBuilt = "built";  ///< a compiler built with the recommended code

/// Results of a `hone split` subcommand.
struct SplitOutcome {
  std::int64_t run = 0;  ///< 0: nothing was measured
  double sweepSeconds = 0, validateSeconds = 0;
  std::filesystem::path folder;
  std::string stem;
  std::vector<split::ShapeRecord> records;
  split::Analysis analysis;
  std::vector<split::ValidationRecord> validation;
  /// The recommended code that was built to validate it; empty: validated by attribute.
  std::vector<split::Heuristic> built;
  split::Validation filed;  ///< read from files if nothing was measured
};

/// Switches a recommendation to the other ladder if that one regresses fewer shapes.
void preferFewerRegressions(SplitOutcome& outcome);

/// Adds the verdicts of the validation to the recommendations.
void addVerdicts(SplitOutcome& outcome);

/// Writes comprehensive_analysis.txt, recommendation.json and optimized_config_<stem>.csv.
[[nodiscard]] Result<void> writeReports(const SplitOutcome& outcome);
/// Returns the given results folder, or the only *_results folder in the working folder.
[[nodiscard]] Result<std::filesystem::path> resultsFolder(const std::string& given);

/// Prints the outcome as text or JSON. Returns the exit code: 1 if the recommended code regresses a
/// shape or a trial computed a wrong result.
[[nodiscard]] int report(const Context& context, const SplitOutcome& outcome);

/// Prints the outcomes of several groups of devices: text at once, JSON as one array at the end.
class GroupReports {
 public:
  explicit GroupReports(const Context& context) : context_(context) {}
  /// Returns the exit code of the outcome.
  [[nodiscard]] int add(const std::string& devices, const SplitOutcome& outcome);
  /// Prints the array with --json.
  void finish() const;

 private:
  const Context& context_;
  bool first_ = true;
  nlohmann::json documents_ = nlohmann::json::array();
};

}  // namespace hone::app

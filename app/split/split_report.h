#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "base/error.h"
#include "split/fit/analysis.h"
#include "split/sweep/sweeper.h"
#include "split/sweep/validation.h"
#include "split/sweep/validator.h"

namespace hone::app {

// The ways to split that are validated, by name.
inline constexpr const char* kOneD = "1-D";
inline constexpr const char* kTwoD = "2-D";
inline constexpr const char* kOracle = "oracle";

/// All that a mode of `hone split` found.
struct SplitOutcome {
  std::int64_t run = 0;  ///< 0: nothing was measured
  double sweepSeconds = 0, validateSeconds = 0;
  std::filesystem::path folder;
  std::string stem;
  std::vector<split::ShapeRecord> records;
  split::Analysis analysis;
  std::vector<split::ValidationRecord> validation;
  split::Validation filed;  ///< of files, where nothing was measured
};

/// Takes the other ladder where the one that was predicted to be better is proven to slow more
/// shapes down.
void preferProven(SplitOutcome& outcome);

/// comprehensive_analysis.txt, recommendation.json and optimized_config_<stem>.csv, in the folder.
[[nodiscard]] Result<void> writeReports(const SplitOutcome& outcome);
/// The results folder that is meant: the one given, or the only one here.
[[nodiscard]] Result<std::filesystem::path> resultsFolder(const std::string& given);

/// Prints it for people, or as JSON; the exit code: 1 when the recommended code is proven to slow a
/// shape down, a trial computed something wrong, or no limit could be measured at all.
[[nodiscard]] int report(const Context& context, const SplitOutcome& outcome);

}  // namespace hone::app

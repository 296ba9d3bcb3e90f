#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/pages/run_result.h"
#include "store/records.h"

namespace hone::report {

/// Formats the list of runs, one line per run, cut to `width`.
[[nodiscard]] std::string runListText(std::span<const store::RunLine> runs,
                                      const RunResults& results, std::size_t width);
[[nodiscard]] nlohmann::json runListJson(std::span<const store::RunLine> runs,
                                         const RunResults& results);

/// A trial with its representative time: the median over the last stage it reached.
struct TimedTrial {
  const store::TrialLine* trial = nullptr;
  std::size_t samples = 0;  ///< of that stage
  double medianNs = 0;      ///< CPU time if the device is ranked by it, otherwise wall time
};

/// Output of `hone runs show`. References the run and the trials, which must outlive it.
class RunView {
 public:
  RunView(const store::Run& run, std::span<const store::TrialLine> trials,
          std::span<const store::TrialSample> samples);
  [[nodiscard]] std::string text(std::size_t width) const;
  [[nodiscard]] nlohmann::json json() const;
  [[nodiscard]] const std::vector<TimedTrial>& lines() const { return lines_; }

 private:
  [[nodiscard]] std::string outcomes() const;
  [[nodiscard]] std::string clock() const { return cpuTime_ ? "cpu" : "wall"; }

  const store::Run& run_;
  bool cpuTime_;
  std::vector<TimedTrial> lines_;
  std::map<model::Outcome, std::size_t> counts_;
};

}  // namespace hone::report

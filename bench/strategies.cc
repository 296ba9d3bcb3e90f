// Measures the trials that each strategy needs until within 5 % of the best, on recorded spaces:
// the given files, those in bench/recordings, or synthetic spaces if there are none. Prints the
// median over seeds for each strategy with batches of one and eight points, and the improvement
// over random.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "base/clock.h"
#include "report/render/table.h"
#include "search/space/recording.h"
#include "search/space/test_spaces.h"
#include "search/strategy/replay.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::int64_t kSeeds = 50;
constexpr std::int64_t kQuickSeeds = 5;
constexpr std::uint64_t kSyntheticSpaces = 6;
constexpr double kTolerance = 0.05;
constexpr std::array kStrategies = {"random", "model", "evolve"};
constexpr std::array<std::size_t, 2> kBatches = {1, 8};

Result<std::vector<search::Recording>> recordings(std::vector<std::filesystem::path> files) {
  if (files.empty() && std::filesystem::exists(HONE_RECORDINGS)) {
    for (const auto& entry : std::filesystem::directory_iterator(HONE_RECORDINGS)) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  }
  std::vector<search::Recording> all;
  for (const auto& file : files) {
    all.push_back(HONE_TRY(search::readRecording(file)));
  }
  for (std::uint64_t seed = 1; files.empty() && seed <= kSyntheticSpaces; ++seed) {
    all.push_back(search::SyntheticSpace(seed).record());
    all.back().name = fmt::format("synthetic {}", seed);
  }
  return all;
}

struct Figures {
  double trials = 0;  ///< median over seeds
  double askMs = 0;   ///< CPU time of the strategy per trial
};

Result<Figures> computeFigures(const search::Recording& recording, const char* strategy,
                               std::size_t batch, std::int64_t seeds) {
  std::vector<double> needed;
  double cpuNs = 0;
  double trials = 0;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    std::size_t enough = 64;  // most runs need far fewer than all points
    std::optional<std::size_t> until;
    while (!until) {
      const std::int64_t start = ownCpuNs();
      const auto best = HONE_TRY(search::replay(
          recording, strategy,
          {.seed = static_cast<std::uint64_t>(seed), .batch = batch, .trials = enough}));
      cpuNs += static_cast<double>(ownCpuNs() - start);
      trials += static_cast<double>(best.size());
      until = search::trialsUntil(recording, best, kTolerance);
      if (!until && best.size() < enough) {
        return userError("{}: all points failed", recording.name);
      }
      enough *= 4;
    }
    needed.push_back(static_cast<double>(*until));
  }
  return Figures{stats::median(needed), cpuNs / trials / 1e6};
}

Result<void> measure(const Options& options, const std::vector<std::filesystem::path>& files) {
  using report::Align;
  const std::int64_t seeds = options.repeats > 0 ? options.repeats
                             : options.quick     ? kQuickSeeds
                                                 : kSeeds;
  report::Table table({{"space"},
                       {"points", Align::right},
                       {"within 5 %", Align::right},
                       {"batch", Align::right},
                       {"strategy"},
                       {"trials", Align::right},
                       {"fewer than random", Align::right},
                       {"CPU ms/trial", Align::right}});
  const auto all = HONE_TRY(recordings(files));
  std::map<std::string, std::vector<double>> ratios;
  for (const search::Recording& recording : all) {
    const double enough = recording.best().value_or(0) * (1 + kTolerance);
    const auto good = std::count_if(recording.points.begin(), recording.points.end(),
                                    [&](const search::RecordedPoint& point) {
                                      return point.timeNs && *point.timeNs <= enough;
                                    });
    for (const std::size_t batch : kBatches) {
      double random = 0;
      for (const char* strategy : kStrategies) {
        const Figures figures = HONE_TRY(computeFigures(recording, strategy, batch, seeds));
        random = random == 0 ? figures.trials : random;
        ratios[fmt::format("{} by {}", strategy, batch)].push_back(random / figures.trials);
        table.add({recording.name, fmt::to_string(recording.points.size()), fmt::to_string(good),
                   fmt::to_string(batch), strategy, fmt::format("{:.0f}", figures.trials),
                   fmt::format("{:.1f}x", random / figures.trials),
                   fmt::format("{:.2f}", figures.askMs)});
      }
    }
  }
  fmt::print("{}", table.text());
  for (const auto& [name, one] : ratios) {
    fmt::print("{}: {:.1f}x fewer trials than random (geometric mean)\n", name,
               stats::geometricMean(one));
  }
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  std::vector<char*> options = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--")) {
      options.push_back(argv[i]);
    } else {
      files.emplace_back(argv[i]);
    }
  }
  return hone::bench::runMain(
      "strategies", static_cast<int>(options.size()), options.data(),
      [&](const hone::bench::Options& read) { return hone::bench::measure(read, files); });
}

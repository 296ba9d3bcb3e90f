// Measures hone's share of the CPU time of a run: `hone bench` with 60 configs, an empty cache and
// an empty store. Excludes the compiler, IREE's runtime tools and the reference.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "iree/mlir/problem_mlir.h"
#include "report/render/table.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 0.03;

struct Shares {
  double totalSeconds = 0;
  double ownSeconds = 0;
  std::size_t trials = 0;

  [[nodiscard]] double share() const { return ownSeconds / totalSeconds; }
};

/// Runs the hone binary once, in a separate folder.
Result<Shares> runOnce(const std::filesystem::path& folder, std::size_t count) {
  nlohmann::json configs = nlohmann::json::array();
  for (const model::Config& config : tileConfigs(count)) {
    configs.push_back(model::toJson(config));
  }
  HONE_CHECK(makeFolder(folder));
  HONE_CHECK(writeFile(folder / "program.mlir", iree::emitMlir(tiledProblem())));
  HONE_CHECK(writeFile(folder / "configs.json", configs.dump()));
  Command command;
  command.argv = {HONE_TRY(honeProgram()).string(),   "bench",
                  (folder / "program.mlir").string(), "--configs",
                  (folder / "configs.json").string(), "--json"};
  command.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()},
                         {"XDG_DATA_HOME", (folder / "data").string()}};
  const Finished finished = HONE_TRY(runCommand(command));
  const auto summary = nlohmann::json::parse(finished.out, nullptr, false);
  if (!summary.is_object() || !summary.contains("own_cpu_ns")) {
    return machineError("hone bench ended with {}: {}", finished.ending.describe(), finished.err);
  }
  return Shares{static_cast<double>(finished.ending.cpuNs) / 1e9,
                summary["own_cpu_ns"].get<double>() / 1e9, count};
}

Result<void> measure(const Options& options) {
  const std::size_t trials = options.quick ? 12 : 60;
  const std::int64_t repeats = options.repeats > 0 ? options.repeats : options.quick ? 1 : 3;
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-own-share"));
  using report::Align;
  report::Table table({{"run", Align::right},
                       {"trials", Align::right},
                       {"total CPU s", Align::right},
                       {"hone CPU s", Align::right},
                       {"share", Align::right}});
  double lowest = 1;
  double highest = 0;
  for (std::int64_t i = 0; i < repeats; ++i) {
    const Shares shares = HONE_TRY(runOnce(scratch.path() / std::to_string(i), trials));
    table.add({std::to_string(i + 1), std::to_string(shares.trials),
               fmt::format("{:.1f}", shares.totalSeconds), fmt::format("{:.3f}", shares.ownSeconds),
               fmt::format("{:.2f} %", shares.share() * 100)});
    lowest = std::min(lowest, shares.share());
    highest = std::max(highest, shares.share());
  }
  fmt::print("{}", table.text());
  fmt::print("hone's share is {:.2f} - {:.2f} %; aim below {:.0f} %: {}\n", lowest * 100,
             highest * 100, kAim * 100, highest < kAim ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("own_share", argc, argv, hone::bench::measure);
}

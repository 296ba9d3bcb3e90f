#include "support.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/clock.h"
#include "base/machine.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/device.h"

namespace hone::bench {
namespace {

constexpr Limits kCompileLimits{std::chrono::seconds(120), std::uint64_t{8} << 30U};
constexpr Limits kRunLimits{std::chrono::seconds(60), 0};

Result<Options> parseOptions(int argc, char** argv) {
  constexpr std::string_view kRepeats = "--repeats=";
  const char* quick = std::getenv("QUICK");  // set by `make bench QUICK=1`
  Options options;
  options.quick = quick != nullptr && *quick != '\0';
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number =
        argument.starts_with(kRepeats) ? parseInt(argument.substr(kRepeats.size())) : std::nullopt;
    if (argument == "--quick") {
      options.quick = true;
    } else if (number && *number > 0) {
      options.repeats = *number;
    } else {
      return userError("unknown argument '{}'; expected --quick or --repeats=N", argument);
    }
  }
  return options;
}

model::Config tiles(int rows, int columns, int vectorRows, int vectorColumns, int reduction) {
  const std::string outer = fmt::format("[{}, {}, 0]", rows, columns);
  return {fmt::format("{}x{} {}x{} {}", rows, columns, vectorRows, vectorColumns, reduction),
          {},
          {{"", "linalg.matmul", "compilation_info",
            fmt::format("#iree_codegen.compilation_info<lowering_config = "
                        "#iree_cpu.lowering_config<distribution = {0}, cache_parallel = {0}, "
                        "vector_common_parallel = [{1}, {2}, 0], vector_reduction = [0, 0, {3}]>, "
                        "translation_info = #iree_codegen.translation_info<pipeline = "
                        "#iree_cpu.pipeline<DoubleTilingExpert>>>",
                        outer, vectorRows, vectorColumns, reduction)}}};
}

/// Returns the probability of at most `hits` out of `count`, each with probability `p`.
double binomialCdf(std::int64_t hits, std::int64_t count, double p) {
  double sum = 0;
  for (std::int64_t i = 0; i <= hits; ++i) {
    const auto k = static_cast<double>(i);
    const auto n = static_cast<double>(count);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

/// Returns the point where a decreasing function crosses the level.
double findCrossing(const std::function<double(double)>& falling, double level) {
  double low = 1e-12;
  double high = 1 - 1e-12;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (falling(middle) > level ? low : high) = middle;
  }
  return low;
}

}  // namespace

Result<std::filesystem::path> honeProgram() {
  if (const char* given = std::getenv("HONE"); given != nullptr) {
    return given;
  }
  const auto self = HONE_TRY(ownProgram());
  auto program = self.parent_path() / "hone";
  if (!std::filesystem::exists(program)) {
    return machineError("no hone binary found next to {}", self.string());
  }
  return program;
}

int runMain(std::string_view name, int argc, char** argv,
            const std::function<Result<void>(const Options&)>& measure) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto options = parseOptions(argc, argv);
  const Result<void> measured =
      options ? measure(*options) : Result<void>(std::unexpected(options.error()));
  if (!measured) {
    fmt::print(stderr, "{}: {}\n", name, measured.error().message);
    return measured.error().fault == Fault::user ? 2 : 3;
  }
  return 0;
}

Result<iree::Compiler> startCompiler(const iree::Installation& installation,
                                     const std::filesystem::path& cache) {
  auto pool = HONE_TRY(iree::CompilePool::start({installation.compilerLibrary(), cpuCount(), {}}));
  return iree::Compiler(std::move(pool), iree::ArtifactCache(cache), kCompileLimits);
}

Result<Toolchain> Toolchain::start() {
  ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-figures"));
  iree::Installation installation = HONE_TRY(iree::findInstallation(""));
  auto flags = HONE_TRY(iree::targetFrom("local")).flags;
  auto compiler = HONE_TRY(startCompiler(installation, folder.path() / "cache"));
  iree::ModuleRunner runner(installation, iree::deviceNamed("local-sync"), kRunLimits);
  return Toolchain{std::move(folder), std::move(installation), std::move(flags),
                   std::move(compiler), std::move(runner)};
}

Result<engine::Program> Toolchain::load(const std::string& name, const std::string& text) {
  const auto file = folder.path() / name;
  HONE_CHECK(writeFile(file, text));
  return engine::loadProgram(compiler, {.file = file, .flags = flags});
}

Result<std::string> runCommandOutput(std::vector<std::string> argv) {
  const Finished finished = HONE_TRY(runCommand({argv, {}, {}}));
  if (!finished.ending.ok()) {
    return machineError("{} ended with {}: {}", argv.front(), finished.ending.describe(),
                        finished.err);
  }
  return finished.out;
}

Result<HoneOutput> runHone(const std::filesystem::path& folder,
                           std::vector<std::string> arguments) {
  Command command;
  command.argv = {HONE_TRY(honeProgram()).string()};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.argv.emplace_back("--json");
  command.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()},
                         {"XDG_DATA_HOME", (folder / "data").string()}};
  const std::int64_t startNs = nowNs();
  const Finished finished = HONE_TRY(runCommand(command));
  HoneOutput answer{nlohmann::json::parse(finished.out, nullptr, false),
                    static_cast<double>(nowNs() - startNs) / 1e9};
  if (!answer.json.is_object()) {
    return machineError("hone {} ended with {}: {}", arguments.front(), finished.ending.describe(),
                        finished.err);
  }
  return answer;
}

model::Matmul tiledProblem() { return {.m = 512, .n = 768, .k = 1024}; }

std::vector<model::Config> tileConfigs(std::size_t count) {
  constexpr std::array<std::pair<int, int>, 5> kOuter = {
      {{64, 64}, {128, 64}, {64, 128}, {128, 128}, {32, 256}}};
  constexpr std::array<std::pair<int, int>, 4> kVector = {{{8, 16}, {4, 16}, {8, 8}, {4, 32}}};
  std::vector<model::Config> configs;
  for (const int reduction : {1, 2, 4}) {
    for (const auto& [vectorRows, vectorColumns] : kVector) {
      for (const auto& [rows, columns] : kOuter) {
        configs.push_back(tiles(rows, columns, vectorRows, vectorColumns, reduction));
      }
    }
  }
  configs.resize(std::min(count, configs.size()));
  return configs;
}

std::int64_t childrenCpuNs() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return endingFrom(0, usage).cpuNs;
}

stats::Interval ratioInterval(std::span<const double> ratios) {
  std::vector<double> logs;
  for (const double ratio : ratios) {
    logs.push_back(std::log(ratio));
  }
  const stats::Interval interval = stats::bootstrapMedian(logs, 0.95, 1);
  return {std::exp(interval.low), std::exp(interval.estimate), std::exp(interval.high)};
}

std::string formatInterval(const stats::Interval& interval) {
  return fmt::format("{:.2f} ({:.2f} - {:.2f})", interval.estimate, interval.low, interval.high);
}

stats::Interval chanceInterval(std::int64_t hits, std::int64_t count) {
  if (count == 0) {
    return {0, 0, 1};
  }
  constexpr double kTail = 0.025;
  const double low =
      hits == 0
          ? 0
          : findCrossing([&](double p) { return binomialCdf(hits - 1, count, p); }, 1 - kTail);
  const double high =
      hits == count ? 1
                    : findCrossing([&](double p) { return binomialCdf(hits, count, p); }, kTail);
  return {low, static_cast<double>(hits) / static_cast<double>(count), high};
}

}  // namespace hone::bench

// Measures how the store scales: fills stores with 100, 1,000 and 10,000 trials of 10 samples, one
// commit per trial, and times `hone runs` and `hone runs show`.
//
// Prints a table with the ratio to the previous size. Fill time, bytes and memory should be linear,
// and a listing of 10,000 trials should take less than 100 ms. "trials" loads the trials alone;
// "show" also loads their samples and renders the text. The stores are in a scratch folder; TMPDIR
// selects the disk.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "report/render/runs.h"
#include "report/render/table.h"
#include "store/store.h"

namespace {

using hone::nowNs;
using hone::Result;
using hone::store::Store;

constexpr std::array<std::int64_t, 3> kSizes = {100, 1'000, 10'000};
constexpr std::int64_t kSamples = 10;
constexpr int kListings = 5;

/// Measured quantities, in column order.
constexpr std::array kNames = {"fill s",    "file bytes", "fill RSS MB", "runs ms",
                               "trials ms", "show ms",    "show RSS MB"};
using Figures = std::array<double, kNames.size()>;

hone::store::Trial makeTrial(std::int64_t number) {
  hone::store::Trial trial;
  trial.key = fmt::format("{:032x}", number);
  trial.problem = "matmul_512x768x1024_f32";
  trial.config.name = fmt::format("tiles {}", number);
  trial.config.attributes.push_back(
      {"", "linalg.matmul", "lowering_config",
       "#iree_cpu.lowering_config<distribution = [64, 64, 0], cache_parallel = [64, 64, 0], "
       "vector_common_parallel = [6, 16, 0], vector_reduction = [0, 0, 1]>"});
  trial.artifact = trial.key;
  trial.compileWallNs = 490'000'000 + number;
  trial.details.passed = true;
  trial.details.screenNs = 1e6;
  return trial;
}

Result<void> fill(const std::filesystem::path& file, std::int64_t count) {
  Store store = HONE_TRY(Store::open(file, Store::Mode::write));
  hone::store::Run run;
  run.command = "tune";
  run.arguments = {"tune", "model.mlir"};
  run.startedAt = hone::utcNow();
  const std::int64_t id = HONE_TRY(store.addRun(run));
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<hone::model::Sample> samples;
    for (std::int64_t round = 0; round < kSamples; ++round) {
      const double ns = 1.6e7 + 1000.5 * static_cast<double>(i + round);
      samples.push_back({.round = round, .wallNs = ns, .cpuNs = ns * 0.98});
    }
    HONE_CHECK(store.addTrial(id, makeTrial(i), samples));
  }
  return store.finishRun(id, hone::store::RunStatus::finished, nlohmann::json::object());
}

/// Returns the shortest CPU time of several runs in milliseconds: the files are cached, and the
/// machine may be busy.
Result<double> shortestMs(const std::function<Result<void>()>& work) {
  double best = 1e300;
  for (int i = 0; i < kListings; ++i) {
    const auto start = hone::ownCpuNs();
    HONE_CHECK(work());
    best = std::min(best, static_cast<double>(hone::ownCpuNs() - start) / 1e6);
  }
  return best;
}

using Times = std::array<double, 3>;

struct Measured {
  Times times{};
  double rssMb = 0;
};

/// Runs the work in a separate process to measure its times and peak memory.
Result<Measured> runInProcess(const std::function<Result<Times>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    return hone::errnoError("cannot create a pipe");
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const auto times = work();
    if (!times) {
      fmt::print(stderr, "{}\n", times.error().message);
      ::_exit(1);
    }
    ::_exit(::write(ends[1], &*times, sizeof *times) == sizeof *times ? 0 : 1);
  }
  ::close(ends[1]);
  Measured measured;
  const bool heard = ::read(ends[0], &measured.times, sizeof(Times)) == sizeof(Times);
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!heard) {
    return hone::machineError("the measuring process failed");
  }
  measured.rssMb = static_cast<double>(usage.ru_maxrss) / 1024;
  return measured;
}

Result<void> show(const std::filesystem::path& file) {
  const Store store = HONE_TRY(Store::open(file, Store::Mode::read));
  const auto run = HONE_TRY(store.run(1));
  const auto samples = HONE_TRY(store.samples(1));
  const auto trials = HONE_TRY(store.listTrials(1));
  const std::string text = hone::report::RunView(*run, trials, samples).text(80);
  return text.empty() ? Result<void>(hone::machineError("no text")) : Result<void>();
}

Result<Figures> measure(const std::filesystem::path& file, std::int64_t count) {
  const Measured filling = HONE_TRY(runInProcess([&]() -> Result<Times> {
    const auto start = nowNs();
    HONE_CHECK(fill(file, count));
    return Times{static_cast<double>(nowNs() - start) / 1e9};
  }));
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  const Measured listing = HONE_TRY(runInProcess([&]() -> Result<Times> {
    const double runs = HONE_TRY(shortestMs([&]() -> Result<void> {
      const Store store = HONE_TRY(Store::open(file, Store::Mode::read));
      HONE_CHECK(store.listRuns(20));
      return {};
    }));
    const double trials = HONE_TRY(shortestMs([&]() -> Result<void> {
      const Store store = HONE_TRY(Store::open(file, Store::Mode::read));
      HONE_CHECK(store.listTrials(1));
      return {};
    }));
    return Times{runs, trials, HONE_TRY(shortestMs([&] { return show(file); }))};
  }));
  return Figures{filling.times[0], bytes,        filling.rssMb, listing.times[0], listing.times[1],
                 listing.times[2], listing.rssMb};
}

Result<void> measureAll(const std::filesystem::path& folder) {
  std::vector<hone::report::Column> columns = {{"trials", hone::report::Align::right}};
  for (const char* name : kNames) {
    columns.push_back({name, hone::report::Align::right});
  }
  hone::report::Table table(columns);
  std::optional<Figures> before;
  for (const std::int64_t size : kSizes) {
    const Figures figures = HONE_TRY(measure(folder / fmt::format("{}.db", size), size));
    std::vector<std::string> values = {std::to_string(size)};
    std::vector<std::string> ratios = {""};
    for (std::size_t i = 0; i < figures.size(); ++i) {
      values.push_back(figures[i] >= 1000 ? fmt::format("{:.0f}", figures[i])
                                          : fmt::format("{:.3g}", figures[i]));
      ratios.push_back(before ? fmt::format("x{:.2f}", figures[i] / (*before)[i]) : "");
    }
    table.add(values);
    if (before) {
      table.add(ratios);
    }
    before = figures;
  }
  fmt::print("{}", table.text());
  return {};
}

}  // namespace

int main() try {
  const auto scratch = hone::ScratchFolder::create("hone-store-scale");
  if (!scratch) {
    fmt::print(stderr, "store_scale: {}\n", scratch.error().message);
    return 3;
  }
  if (const auto measured = measureAll(scratch->path()); !measured) {
    fmt::print(stderr, "store_scale: {}\n", measured.error().message);
    return 3;
  }
  return 0;
} catch (const std::exception& exception) {
  fmt::print(stderr, "store_scale: {}\n", exception.what());
  return 3;
}

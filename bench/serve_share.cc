// Measures the cost of `hone serve` with an open page during a run: its CPU share, and the slowdown
// of the run. Runs with and without it alternate, all with the same compiled candidates.
#include <fmt/format.h>
#include <httplib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "base/process/environment.h"
#include "base/text/text.h"
#include "iree/mlir/problem_mlir.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kAim = 0.01;

/// Runs `hone serve` on a store until destruction.
class ServeProcess {
 public:
  static Result<ServeProcess> start(const fs::path& store, const fs::path& log) {
    const std::string program = HONE_TRY(honeProgram()).string();
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::vector<std::string> words = {program,  "serve",   "--port",      "0",
                                        "--json", "--store", store.string()};
      if (std::freopen(log.c_str(), "w", stdout) == nullptr) {
        ::_exit(127);
      }
      auto argv = execPointers(words);
      ::execv(argv.front(), argv.data());
      ::_exit(127);
    }
    for (int i = 0; i < 1000; ++i) {
      const auto said = nlohmann::json::parse(readFile(log).value_or(""), nullptr, false);
      if (said.is_object()) {
        return ServeProcess(pid, said.value("port", 0));
      }
      ::usleep(10'000);
    }
    return machineError("hone serve did not start");
  }
  ServeProcess(ServeProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), port_(other.port_) {}
  ServeProcess& operator=(ServeProcess&&) = delete;
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;
  ~ServeProcess() { static_cast<void>(end()); }

  /// Stops the server and returns its CPU time in ns.
  std::int64_t end() {
    if (pid_ <= 0) {
      return 0;
    }
    ::kill(pid_, SIGTERM);
    int status = 0;
    rusage usage{};
    ::wait4(std::exchange(pid_, -1), &status, 0, &usage);
    return endingFrom(status, usage).cpuNs;
  }
  [[nodiscard]] int port() const { return port_; }

 private:
  ServeProcess(pid_t pid, int port) : pid_(pid), port_(port) {}

  pid_t pid_;
  int port_;
};

/// Acts like the page of a run: listens for events, and fetches new data when notified.
class OpenPage {
 public:
  OpenPage(int port, std::string path)
      : port_(port), path_(std::move(path)), thread_([this] { listen(); }) {}
  OpenPage(const OpenPage&) = delete;
  OpenPage& operator=(const OpenPage&) = delete;
  ~OpenPage() { thread_.join(); }

  /// Numbers of fetches and bytes; valid once the server has ended.
  [[nodiscard]] std::int64_t fetched() const { return fetched_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  void listen() {
    httplib::Client client("127.0.0.1", port_);
    for (auto page = client.Get(path_); page && page->status != 200; page = client.Get(path_)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the run has not started
    }
    client.set_read_timeout(60);
    client.Get(base() + "/events", [this](const char* data, std::size_t size) {
      if (std::string_view(data, size).contains("id: ")) {
        fetch();
      }
      return true;
    });
  }
  void fetch() {
    httplib::Client client("127.0.0.1", port_);
    const auto answer = client.Get(fmt::format("{}/document?have={}", base(), version_));
    if (answer && answer->status == 200) {
      version_ = answer->get_header_value("Hone-Version");
      ++fetched_;
      bytes_ += static_cast<std::int64_t>(answer->body.size());
    }
  }

  [[nodiscard]] std::string base() const { return path_ == "/" ? "" : path_; }

  int port_;
  std::string path_;
  std::string version_;
  std::atomic<std::int64_t> fetched_ = 0;
  std::atomic<std::int64_t> bytes_ = 0;
  std::thread thread_;
};

struct RunCost {
  double wallSeconds = 0;
  double sampleNs = 0;  ///< median of the run's samples: serving must not affect them
};

/// Runs `hone bench` with 60 configs into a new store.
Result<RunCost> runOnce(const fs::path& folder, const fs::path& store, std::size_t count) {
  nlohmann::json configs = nlohmann::json::array();
  for (const model::Config& config : tileConfigs(count)) {
    configs.push_back(model::toJson(config));
  }
  HONE_CHECK(writeFile(folder / "program.mlir", iree::emitMlir(tiledProblem())));
  HONE_CHECK(writeFile(folder / "configs.json", configs.dump()));
  Command command;
  command.argv = {HONE_TRY(honeProgram()).string(),
                  "bench",
                  (folder / "program.mlir").string(),
                  "--configs",
                  (folder / "configs.json").string(),
                  "--json",
                  "--store",
                  store.string()};
  command.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()}};
  const std::int64_t start = nowNs();
  const Finished finished = HONE_TRY(runCommand(command));
  const double seconds = static_cast<double>(nowNs() - start) / 1e9;
  const auto summary = nlohmann::json::parse(finished.out, nullptr, false);
  if (!summary.is_object() || !summary.contains("candidates")) {
    return machineError("hone bench ended with {}: {}", finished.ending.describe(), finished.err);
  }
  return RunCost{seconds, summary["candidates"][0]["time_ns"].get<double>()};
}

struct WatchedRun {
  RunCost run;
  double share = 0;
  std::int64_t fetched = 0;
  std::int64_t bytes = 0;
};

/// Runs the same with a server whose run page is open from the start.
Result<WatchedRun> runWatched(const fs::path& folder, const fs::path& store, std::size_t count) {
  ServeProcess serving = HONE_TRY(ServeProcess::start(store, folder / "serve.log"));
  const std::int64_t start = nowNs();
  WatchedRun watched;
  const OpenPage page(serving.port(), "/runs/1");
  const OpenPage list(serving.port(), "/");
  auto run = runOnce(folder, store, count);
  const auto wallNs = static_cast<double>(nowNs() - start);
  watched.share = static_cast<double>(serving.end()) / wallNs;
  watched.run = HONE_TRY(std::move(run));
  watched.fetched = page.fetched() + list.fetched();
  watched.bytes = page.bytes() + list.bytes();
  return watched;
}

Result<void> measure(const Options& options) {
  const std::size_t count = options.quick ? 12 : 60;
  const std::int64_t repeats = options.repeats > 0 ? options.repeats : options.quick ? 2 : 8;
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-serve-share"));
  const fs::path& folder = scratch.path();
  HONE_CHECK(runOnce(folder, folder / "warm.db", count));  // everything is compiled from here on
  using report::Align;
  report::Table table({{"pair", Align::right},
                       {"alone s", Align::right},
                       {"watched s", Align::right},
                       {"server's CPU", Align::right},
                       {"fetched", Align::right},
                       {"kB", Align::right}});
  std::vector<double> slowdowns;
  std::vector<double> figures;
  double worst = 0;
  for (std::int64_t i = 0; i < repeats; ++i) {
    const fs::path aloneStore = folder / fmt::format("plain{}.db", i);
    const fs::path looked = folder / fmt::format("looked{}.db", i);
    RunCost alone;
    WatchedRun watched;
    if (i % 2 == 0) {  // alternate the order
      alone = HONE_TRY(runOnce(folder, aloneStore, count));
      watched = HONE_TRY(runWatched(folder, looked, count));
    } else {
      watched = HONE_TRY(runWatched(folder, looked, count));
      alone = HONE_TRY(runOnce(folder, aloneStore, count));
    }
    slowdowns.push_back(watched.run.wallSeconds / alone.wallSeconds);
    figures.push_back(watched.run.sampleNs / alone.sampleNs);
    worst = std::max(worst, watched.share);
    table.add({std::to_string(i + 1), fmt::format("{:.1f}", alone.wallSeconds),
               fmt::format("{:.1f}", watched.run.wallSeconds),
               fmt::format("{:.2f} %", 100 * watched.share), std::to_string(watched.fetched),
               fmt::format("{:.0f}", static_cast<double>(watched.bytes) / 1e3)});
  }
  fmt::print("{}", table.text());
  fmt::print("wall time ratio, watched / alone: {}\n", formatInterval(ratioInterval(slowdowns)));
  fmt::print("measured time ratio, watched / alone: {}\n", formatInterval(ratioInterval(figures)));
  fmt::print("CPU of hone serve with two pages open: at most {:.2f} %; aim below {:.0f} %: {}\n",
             100 * worst, 100 * kAim, worst < kAim ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("serve_share", argc, argv, hone::bench::measure);
}

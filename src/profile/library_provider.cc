#include "profile/library_provider.h"

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/text/text.h"
#include "profile/library_answer.h"

namespace hone::profile {
namespace {

using Status = LibraryTimings::Status;

/// Returns the child's error message, or how it ended.
std::string describeFailure(const Finished& finished) {
  constexpr std::string_view kName = "hone: ";
  const std::string_view err = trim(finished.err);
  std::string_view first = err.substr(0, err.find('\n'));
  if (finished.ending.how != Ending::How::exited || first.empty()) {
    return fmt::format("library process ended with {}", finished.ending.describe());
  }
  first.remove_prefix(first.starts_with(kName) ? kName.size() : 0);
  return std::string(first);
}

}  // namespace

int countThreads(const iree::Device& device) {
  return device.rankBy == iree::RankBy::cpu ? 1 : static_cast<int>(cpuCount());
}

Result<Finished> LibraryProvider::run(std::vector<std::string> arguments, int threads) const {
  Command command;
  command.limits = limits_;
  command.runsFirst = true;
  command.argv = {self_.string(), "time-library", "--threads", std::to_string(threads)};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  // OpenMP reads the number of threads from the environment at startup. oneDNN's verbose output
  // would go to stdout, where the answer is.
  command.environment = {
      {"OMP_NUM_THREADS", std::to_string(threads)}, {"ONEDNN_VERBOSE", "0"}, {"DNNL_VERBOSE", "0"}};
  return runCommand(command);
}

Result<LibraryTimings> LibraryProvider::time(const model::Problem& problem, int threads,
                                             std::int64_t iterations,
                                             std::int64_t repetitions) const {
  const Finished finished =
      HONE_TRY(run({"--problem", toJson(problem).dump(), "--iterations", std::to_string(iterations),
                    "--repetitions", std::to_string(repetitions)},
                   threads));
  if (finished.ending.how == Ending::How::timedOut) {
    return LibraryTimings{
        Status::timedOut, fmt::format("library process was {}", finished.ending.describe()), {}};
  }
  if (!finished.ending.ok()) {
    return LibraryTimings{Status::failed, describeFailure(finished), {}};
  }
  auto answer = libraryAnswerFrom(finished.out);
  if (!answer) {
    return LibraryTimings{Status::failed, std::move(answer).error().message, {}};
  }
  if (!answer->unsupported.empty()) {
    return LibraryTimings{Status::unsupported, std::move(answer->unsupported), {}};
  }
  if (answer->times.wallNs.size() != static_cast<std::size_t>(repetitions)) {
    return LibraryTimings{
        Status::failed,
        fmt::format("expected {} library times, got {}", repetitions, answer->times.wallNs.size()),
        {}};
  }
  return LibraryTimings{Status::ok, "", std::move(answer->times)};
}

Result<double> LibraryProvider::bandwidth(int threads, std::optional<std::uint64_t> bytes) const {
  std::vector<std::string> arguments = {"--triad"};
  if (bytes) {
    arguments.insert(arguments.end(), {"--bytes", std::to_string(*bytes)});
  }
  const Finished finished = HONE_TRY(run(arguments, threads));
  if (!finished.ending.ok()) {
    return machineError("cannot measure the memory bandwidth: {}", describeFailure(finished));
  }
  return bandwidthFrom(finished.out);
}

}  // namespace hone::profile

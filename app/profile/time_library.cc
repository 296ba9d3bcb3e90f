#include "app/profile/time_library.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "profile/library_answer.h"
#include "profile/roofline/triad.h"
#include "verify/onednn/onednn_timing.h"

namespace hone::app {
namespace {

struct TimeLibraryOptions {
  std::string problem;
  bool triad = false;
  std::uint64_t bytes = 0;  ///< of the triad; 0: more than the caches hold
  int threads = 1;
  std::int64_t iterations = 1;
  std::int64_t repetitions = 1;
};

Result<int> timeLibrary(const TimeLibraryOptions& options) {
  if (options.triad) {
    const std::size_t length =
        options.bytes > 0 ? profile::triadLength(options.bytes) : profile::triadLength();
    const double gbps = HONE_TRY(profile::triadBandwidth(options.threads, length));
    fmt::print("{}", profile::formatBandwidth(gbps));
    return 0;
  }
  const auto json = nlohmann::json::parse(options.problem, nullptr, false);
  const model::Problem problem = HONE_TRY(model::problemFrom(json));
  auto times =
      verify::timeOneDnn(problem, options.threads, options.iterations, options.repetitions);
  if (!times && times.error().fault != Fault::user) {
    return std::unexpected(std::move(times).error());
  }
  profile::LibraryAnswer answer;
  if (times) {
    answer.times = *std::move(times);
  } else {
    answer.unsupported = times.error().message;
  }
  fmt::print("{}", profile::formatAnswer(answer));
  return 0;
}

}  // namespace

void addTimeLibraryCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<TimeLibraryOptions>();
  CLI::App* command =
      app.add_subcommand("time-library", "Time a problem with oneDNN in this process");
  command->group("");  // not in --help
  auto* problem = command->add_option("--problem", options->problem, "Problem as JSON");
  command->add_flag("--triad", options->triad, "Measure memory bandwidth instead")
      ->excludes(problem);
  command->add_option("--bytes", options->bytes, "Size of the data of --triad");
  command->add_option("--threads", options->threads)->check(CLI::Range(1, 4096));
  command->add_option("--iterations", options->iterations)->check(CLI::PositiveNumber);
  command->add_option("--repetitions", options->repetitions)->check(CLI::PositiveNumber);
  command->callback(
      [options, &context] { context.action = [options] { return timeLibrary(*options); }; });
}

}  // namespace hone::app

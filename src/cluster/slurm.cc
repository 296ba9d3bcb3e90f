#include "cluster/slurm.h"

#include <algorithm>
#include <array>

#include "base/process/cleanup_command.h"
#include "base/process/interrupt.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"

namespace hone::cluster {
namespace {

/// Timeout: a loaded controller responds late.
constexpr std::chrono::seconds kSlurmTimeout{90};

/// Environment variables passed to jobs; an allow-list, so that no credentials leak into the
/// cluster.
constexpr std::string_view kExportedVariables =
    "--export=HOME,USER,LOGNAME,PATH,LANG,LC_ALL,LD_LIBRARY_PATH,XDG_CACHE_HOME,XDG_DATA_HOME,"
    "HONE_IREE,HONE_PYTHON,HONE_EXAMPLES,VIRTUAL_ENV,VK_ICD_FILENAMES,VK_DRIVER_FILES,SLURM_CONF";

/// Returns true if the error output means that the controller was not reached.
bool isUnreachable(std::string_view err) {
  constexpr std::array<std::string_view, 4> kSilent = {
      "Unable to contact", "timed out", "Zero Bytes were transmitted", "temporarily"};
  return std::any_of(kSilent.begin(), kSilent.end(),
                     [&](std::string_view words) { return err.contains(words); });
}

}  // namespace

bool Job::alive() const { return !ended() && state != "COMPLETING"; }

bool Job::ended() const {
  constexpr std::array<std::string_view, 11> kEnded = {
      "COMPLETED", "FAILED",    "TIMEOUT", "NODE_FAIL",     "OUT_OF_MEMORY", "PREEMPTED",
      "DEADLINE",  "BOOT_FAIL", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL"};
  return state.starts_with("CANCELLED") ||
         std::find(kEnded.begin(), kEnded.end(), state) != kEnded.end();
}

bool Job::wasCancelled() const { return state.starts_with("CANCELLED") || state == "PREEMPTED"; }

Result<std::vector<Job>> parseJobs(std::string_view text) {
  std::vector<Job> jobs;
  for (const std::string& line : splitAt(text, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    const auto fields = splitAt(trim(line), '|');
    if (fields.size() != 2 || fields[0].empty() || fields[1].empty()) {
      return machineError("unexpected output of squeue: '{}'", line);
    }
    jobs.push_back({fields[0], fields[1]});
  }
  return jobs;
}

Result<std::string> parseJobId(std::string_view text) {
  std::string id(trim(text.substr(0, text.find(';'))));
  if (!parseInt(id)) {
    return machineError("no job id in the output of sbatch: '{}'", trim(text));
  }
  return id;
}

Result<void> checkSbatchArgs(std::span<const std::string> arguments) {
  struct ReservedOption {
    std::string_view name;
    char letter;  ///< ' ' if it has none
    std::string_view why;
  };
  constexpr std::string_view kSetByHone = "hone sets it";
  constexpr std::array<ReservedOption, 10> kReserved = {{
      {"--array", 'a', kSetByHone},
      {"--job-name", 'J', kSetByHone},
      {"--nodes", 'N', "each job has one node; use hone's --nodes to set the number of jobs"},
      {"--parsable", ' ', kSetByHone},
      {"--clusters", 'M', "hone supports only the cluster it runs on"},
      {"--requeue", ' ', "hone does not track requeued jobs"},
      {"--oversubscribe", 's', "measurements need exclusive nodes"},
      {"--wait", 'W', "hone waits for its jobs"},
      {"--wrap", ' ', "the jobs run hone"},
      {"--test-only", ' ', "it starts no job"},
  }};
  for (const std::string& argument : arguments) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    for (const ReservedOption& reserved : kReserved) {
      // sbatch also accepts abbreviated names.
      const bool longName = name.size() > 2 && reserved.name.starts_with(name);
      const bool letter =
          reserved.letter != ' ' && name.size() > 1 && name[0] == '-' && name[1] == reserved.letter;
      if (longName || letter) {
        return userError("--sbatch-arg {}: {} is not allowed: {}", argument, reserved.name,
                         reserved.why);
      }
    }
  }
  return {};
}

Result<void> Slurm::check() {
  for (const char* program : {"sbatch", "squeue", "scancel"}) {
    if (findProgram(program).empty()) {
      return userError("no Slurm found: {} is not on PATH; omit --executor to run on this machine",
                       program);
    }
  }
  return {};
}

Result<std::string> Slurm::run(std::vector<std::string> argv, bool always) {
  ++calls_;
  const std::string program = argv.front();
  argv.front() = findProgram(program);
  if (argv.front().empty()) {
    return machineError("{} is no longer on PATH", program);
  }
  const Command command{std::move(argv), {}, {kSlurmTimeout, 0}};
  Finished finished = HONE_TRY(always ? runCleanup(command) : runCommand(command));
  answered_ = finished.ending.ok() ||
              (finished.ending.how == Ending::How::exited && !isUnreachable(finished.err));
  if (!finished.ending.ok()) {
    const std::string_view said = trim(finished.err);  // the first line is the most specific
    return machineError("{} failed ({}): {}", program, finished.ending.describe(),
                        said.substr(0, said.find('\n')));
  }
  return std::move(finished.out);
}

Result<std::string> Slurm::submit(const JobRequest& request) {
  if (interrupted()) {
    return interruptedError();
  }
  std::vector<std::string> argv = {"sbatch", "--parsable",
                                   fmt::format("--array=1-{}", request.count),
                                   fmt::format("--job-name={}", name_),
                                   fmt::format("--output={}/%A_%a.log", request.logs.string()),
                                   // A requeued job would be an unknown worker.
                                   "--no-requeue", std::string(kExportedVariables)};
  argv.insert(argv.end(), request.options.begin(), request.options.end());
  argv.push_back(request.script.string());
  return parseJobId(HONE_TRY(run(std::move(argv), true)));
}

Result<std::vector<Job>> Slurm::jobs() {
  return parseJobs(HONE_TRY(run({"squeue", "--noheader", "--array", "--states=all", "--me",
                                 fmt::format("--name={}", name_), "--format=%i|%T"})));
}

Result<void> Slurm::cancel(const std::string& job) {
  HONE_CHECK(run({"scancel", "--me", "--quiet", job}));
  return {};
}

Result<void> Slurm::cancelAll() {
  HONE_CHECK(run({"scancel", "--me", "--quiet", fmt::format("--name={}", name_)}, true));
  return {};
}

}  // namespace hone::cluster

#include "cluster/slurm.h"

#include <algorithm>
#include <array>

#include "base/process/cleanup_command.h"
#include "base/process/interrupt.h"
#include "base/process/subprocess.h"
#include "base/text/text.h"

namespace hone::cluster {
namespace {

/// A controller under load answers late.
constexpr std::chrono::seconds kPatience{90};

/// What jobs may see of this environment: nobody's keys go into a cluster by accident.
constexpr std::string_view kVariables =
    "--export=HOME,USER,LOGNAME,PATH,LANG,LC_ALL,LD_LIBRARY_PATH,XDG_CACHE_HOME,XDG_DATA_HOME,"
    "HONE_IREE,HONE_PYTHON,HONE_EXAMPLES,VIRTUAL_ENV,VK_ICD_FILENAMES,VK_DRIVER_FILES,SLURM_CONF";

/// Whether its commands say so of a controller that they do not reach.
bool saysSilent(std::string_view err) {
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

bool Job::takenAway() const { return state.starts_with("CANCELLED") || state == "PREEMPTED"; }

Result<std::vector<Job>> jobsFrom(std::string_view text) {
  std::vector<Job> jobs;
  for (const std::string& line : splitAt(text, '\n')) {
    if (trim(line).empty()) {
      continue;
    }
    const auto fields = splitAt(trim(line), '|');
    if (fields.size() != 2 || fields[0].empty() || fields[1].empty()) {
      return machineError("squeue printed a line that hone does not know: '{}'", line);
    }
    jobs.push_back({fields[0], fields[1]});
  }
  return jobs;
}

Result<std::string> submittedIn(std::string_view text) {
  std::string id(trim(text.substr(0, text.find(';'))));
  if (!parseInt(id)) {
    return machineError("sbatch printed no number of a job: '{}'", trim(text));
  }
  return id;
}

Result<void> checkSbatchArgs(std::span<const std::string> arguments) {
  struct Owned {
    std::string_view name;
    char letter;  ///< ' ': none
    std::string_view why;
  };
  constexpr std::string_view kOwn = "hone says it itself";
  constexpr std::array<Owned, 10> kOwned = {{
      {"--array", 'a', kOwn},
      {"--job-name", 'J', kOwn},
      {"--nodes", 'N', "each job has one node; how many jobs there are says hone's --nodes"},
      {"--parsable", ' ', kOwn},
      {"--clusters", 'M', "hone finds jobs only on the cluster that it is on"},
      {"--requeue", ' ', "a job that begins anew would be a worker that nobody waits for"},
      {"--oversubscribe", 's', "whoever measures has its node alone"},
      {"--wait", 'W', "hone waits by itself"},
      {"--wrap", ' ', "the jobs run hone"},
      {"--test-only", ' ', "it would start no job"},
  }};
  for (const std::string& argument : arguments) {
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    for (const Owned& owned : kOwned) {
      // sbatch also takes the beginning of a name for it.
      const bool longName = name.size() > 2 && owned.name.starts_with(name);
      const bool letter =
          owned.letter != ' ' && name.size() > 1 && name[0] == '-' && name[1] == owned.letter;
      if (longName || letter) {
        return userError("--sbatch-arg {}: {} cannot be given: {}", argument, owned.name,
                         owned.why);
      }
    }
  }
  return {};
}

Result<void> Slurm::check() {
  for (const char* program : {"sbatch", "squeue", "scancel"}) {
    if (findProgram(program).empty()) {
      return userError(
          "there is no Slurm here: {} is not on PATH; without --executor hone works on "
          "this machine",
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
    return machineError("{} is not on PATH any more", program);
  }
  const Command command{std::move(argv), {}, {kPatience, 0}};
  Finished finished = HONE_TRY(always ? runCleanup(command) : runCommand(command));
  answered_ = finished.ending.ok() ||
              (finished.ending.how == Ending::How::exited && !saysSilent(finished.err));
  if (!finished.ending.ok()) {
    const std::string_view said = trim(finished.err);  // the first line says most
    return machineError("{} failed ({}): {}", program, finished.ending.describe(),
                        said.substr(0, said.find('\n')));
  }
  return std::move(finished.out);
}

Result<std::string> Slurm::submit(const JobRequest& request) {
  if (interrupted()) {
    return interruptedError();
  }
  std::vector<std::string> argv = {
      "sbatch", "--parsable", fmt::format("--array=1-{}", request.count),
      fmt::format("--job-name={}", name_),
      fmt::format("--output={}/%A_%a.log", request.logs.string()),
      // A job that begins anew by itself would be a worker that nobody waits for.
      "--no-requeue", std::string(kVariables)};
  argv.insert(argv.end(), request.options.begin(), request.options.end());
  argv.push_back(request.script.string());
  return submittedIn(HONE_TRY(run(std::move(argv), true)));
}

Result<std::vector<Job>> Slurm::jobs() {
  return jobsFrom(HONE_TRY(run({"squeue", "--noheader", "--array", "--states=all", "--me",
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

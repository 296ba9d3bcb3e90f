#include "kernel/judge/red_team/red_team.h"

#include <algorithm>
#include <limits>

#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "kernel/source/cheats/cheats.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

/// An accepted kernel must take less than this share of the honest time to count as faster.
constexpr double kFasterShare = 0.8;
constexpr std::chrono::seconds kMinTileLangWall(60);

/// Returns the shortest time per call; infinity without samples.
double fastestNs(const std::vector<model::Sample>& samples) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const model::Sample& sample : samples) {
    fastest = std::min(fastest, sample.cpuNs);
  }
  return fastest;
}

/// Returns the text after "LABEL: " in the comments at the start of the file.
std::string readHeaderLine(std::string_view text, std::string_view label) {
  for (const std::string& line : splitAt(text, '\n')) {
    std::string_view bare = trim(line);
    if (!bare.starts_with("//") && !bare.starts_with('#')) {
      break;
    }
    bare = trim(bare.substr(bare.starts_with('#') ? 1 : 2));
    if (bare.starts_with(label)) {
      return std::string(trim(bare.substr(label.size())));
    }
  }
  return "";
}

/// Reads a file of the corpus. Its first comment has the lines "Tries: …", "Problem: NAME" and
/// "Stopped by: DEFENCE, DEFENCE"; "hone: flags …" sets compiler flags.
Result<Exploit> readExploit(const fs::path& file) {
  Exploit exploit;
  exploit.source = HONE_TRY(readSource(file));
  for (std::string& flag : readHeaderFlags(exploit.source.text)) {
    exploit.source.flags.push_back(std::move(flag));
  }
  exploit.tries = readHeaderLine(exploit.source.text, "Tries:");
  exploit.problem = readHeaderLine(exploit.source.text, "Problem:");
  for (const std::string& one : splitAt(readHeaderLine(exploit.source.text, "Stopped by:"), ',')) {
    exploit.stoppedBy.emplace_back(trim(one));
  }
  if (exploit.tries.empty() || exploit.problem.empty() || exploit.stoppedBy.front().empty()) {
    return userError("{}: expected comments 'Tries: …', 'Problem: …' and 'Stopped by: …'",
                     file.string());
  }
  return exploit;
}

}  // namespace

std::string ExploitResult::stoppedBy() const {
  if (skipped) {
    return "not run";
  }
  return passed ? "nothing" : defence == Defence::none ? "no gain" : std::string(nameOf(defence));
}

Result<std::vector<Exploit>> readExploits(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".cc" || entry.path().extension() == ".py") {
      files.push_back(entry.path());
    }
  }
  if (code || files.empty()) {
    return userError("no exploits found in {}", folder.string());
  }
  std::ranges::sort(files);
  std::vector<Exploit> exploits;
  for (const fs::path& file : files) {
    exploits.push_back(HONE_TRY(readExploit(file)));
  }
  return exploits;
}

Result<RedTeam::Problem*> RedTeam::openProblem(const std::string& name, Language language) {
  const std::string ending = language == Language::cpp ? ".cc" : ".py";
  if (const auto known = problems_.find(name + ending); known != problems_.end()) {
    return &known->second;
  }
  const fs::path folder = folder_ / "problems";
  const fs::path reference = folder / fmt::format("{}.reference{}", name, ending);
  JudgeOptions options = options_;
  if (language == Language::tilelang) {
    // TileLang compiles for several seconds.
    options.limits.wall =
        std::max<std::chrono::milliseconds>(options.limits.wall, kMinTileLangWall);
  }
  Judge judge = HONE_TRY(Judge::open(HONE_TRY(readTask(reference, options)), options));
  const Source honest = HONE_TRY(readSource(folder / (name + ending)));
  const JudgeResult judged = HONE_TRY(judge.judge(honest, 1));
  if (!judged.ok()) {
    return machineError("the honest kernel of {} is rejected: {}", name, judged.message);
  }
  const auto opened = problems_.emplace(
      name + ending,
      Problem{.judge = std::move(judge), .honest = honest, .honestNs = fastestNs(judged.samples)});
  return &opened.first->second;
}

Result<void> RedTeam::compare(Problem& problem, const Exploit& exploit, ExploitResult& result) {
  constexpr int kMinRounds = 5;
  constexpr int kMaxRounds = 30;  // on a busy machine few rounds have undisturbed calls
  double honestNs = std::numeric_limits<double>::infinity();
  double exploitNs = honestNs;
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  for (int round = 0; round < kMaxRounds; ++round) {
    const JudgeResult honest =
        HONE_TRY(problem.judge.measure({&problem.honest}, model::Stage::race, round, 0));
    const JudgeResult judged =
        HONE_TRY(problem.judge.measure({&exploit.source}, model::Stage::race, round, 1));
    if (!honest.ok()) {
      return machineError("the honest kernel of {} is rejected: {}", exploit.problem,
                          honest.message);
    }
    if (!judged.ok()) {
      result.outcome = judged.outcome;
      result.message = judged.message;
      result.defence = findDefence(judged);
      result.speedup = 0;
      return {};
    }
    honestNs = std::min(honestNs, fastestNs(honest.samples));
    exploitNs = std::min(exploitNs, fastestNs(judged.samples));
    result.speedup = honestNs / exploitNs;
    result.passed = result.speedup > 1 / kFasterShare;
    if (!result.passed && round + 1 >= kMinRounds) {
      break;
    }
  }
  return {};
}

Result<ExploitResult> RedTeam::run(const Exploit& exploit) {
  ExploitResult result;
  const bool python = exploit.source.language == Language::tilelang;
  JudgeResult judged;
  if (python && options_.python.empty()) {
    const std::vector<Cheat> cheats = findCheats(Language::tilelang, exploit.source.text);
    result.skipped = cheats.empty();
    result.outcome = model::Outcome::invalid;
    result.defence = Defence::scan;
    result.message =
        cheats.empty() ? "needs TileLang, which is not installed" : cheats.front().text();
    return result;
  }
  Problem* problem = HONE_TRY(openProblem(exploit.problem, exploit.source.language));
  judged = HONE_TRY(problem->judge.judge(exploit.source, 2));
  result.outcome = judged.outcome;
  result.message = judged.message;
  result.defence = findDefence(judged);
  if (judged.ok()) {
    result.speedup = problem->honestNs / fastestNs(judged.samples);
    if (result.speedup > 1 / kFasterShare) {  // or the machine was busy at one of the two times
      HONE_CHECK(compare(*problem, exploit, result));
    }
  }
  return result;
}

}  // namespace hone::kernel

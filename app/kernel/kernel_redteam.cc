#include "app/kernel/kernel_redteam.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/kernel/kernel_bench.h"
#include "app/kernel/kernel_model.h"
#include "base/progress.h"
#include "base/text/json.h"
#include "kernel/judge/red_team/red_team.h"
#include "kernel/judge/system_defences.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using kernel::Exploit;
using kernel::ExploitResult;
using kernel::SystemDefence;

struct RedTeamCommandOptions {
  std::vector<std::string> names;
  double runSeconds = 10;
};

/// An exploit with its result.
struct JudgedExploit {
  Exploit exploit;
  ExploitResult result;
};

Result<std::vector<Exploit>> chooseExploits(const RedTeamCommandOptions& options) {
  auto exploits = HONE_TRY(kernel::readExploits(exploitsFolder()));
  std::erase_if(exploits, [&](const Exploit& one) {
    return !options.names.empty() && std::ranges::none_of(options.names, [&](const auto& name) {
      return one.source.name.starts_with(name);
    });
  });
  if (exploits.empty()) {
    return userError("no exploit starts with '{}'; omit the names to run all",
                     options.names.front());
  }
  return exploits;
}

Result<std::vector<JudgedExploit>> judgeExploits(const Context& context,
                                                 const RedTeamCommandOptions& options) {
  auto exploits = HONE_TRY(chooseExploits(options));
  static_cast<void>(takeApiKey());  // hides it from the kernels
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-redteam"));
  kernel::JudgeOptions judge;
  judge.folder = scratch.path();
  HONE_CHECK(setPython(judge, NeedsTileLang::yes));
  judge.limits.wall = std::chrono::milliseconds(std::llround(options.runSeconds * 1000));
  kernel::RedTeam team(exploitsFolder(), judge);
  Progress progress(context.quiet || context.json);
  progress.stage("judging exploits", static_cast<std::int64_t>(exploits.size()));
  std::vector<JudgedExploit> all;
  for (Exploit& exploit : exploits) {
    ExploitResult result = HONE_TRY(team.run(exploit));
    progress.step(exploit.source.name);
    all.push_back({std::move(exploit), std::move(result)});
  }
  progress.finish();
  return all;
}

void printExploits(const std::vector<JudgedExploit>& all) {
  report::Table table({{"exploit", report::Align::left},
                       {"stopped by", report::Align::left},
                       {"tries", report::Align::left, 24}});
  for (const auto& [exploit, result] : all) {
    table.add({exploit.source.name, result.passed ? "NOTHING" : result.stoppedBy(),
               result.passed ? fmt::format("{:.2f}x: {}", result.speedup, exploit.tries)
                             : exploit.tries});
  }
  fmt::print("{}\n", table.text(report::outputWidth()));
}

void printDefences(const std::vector<SystemDefence>& defences) {
  report::Table table({{"defence", report::Align::left},
                       {"available", report::Align::left},
                       {"detail", report::Align::left, 16},
                       {"purpose", report::Align::left, 24}});
  for (const SystemDefence& one : defences) {
    table.add({one.name, one.available ? "yes" : "no", one.detail, one.purpose});
  }
  fmt::print("{}\n", table.text(report::outputWidth()));
}

nlohmann::json redTeamJson(const std::vector<JudgedExploit>& all,
                           const std::vector<SystemDefence>& defences) {
  nlohmann::json json = {{"exploits", nlohmann::json::array()},
                         {"defences", nlohmann::json::array()}};
  for (const auto& [exploit, result] : all) {
    json["exploits"].push_back({{"name", exploit.source.name},
                                {"language", nameOf(exploit.source.language)},
                                {"tries", exploit.tries},
                                {"stopped_by", result.stoppedBy()},
                                {"outcome", nameOf(result.outcome)},
                                {"message", result.message},
                                {"passed", result.passed},
                                {"run", !result.skipped}});
  }
  for (const SystemDefence& one : defences) {
    json["defences"].push_back({{"name", one.name},
                                {"available", one.available},
                                {"detail", one.detail},
                                {"purpose", one.purpose}});
  }
  return json;
}

Result<int> redTeam(const Context& context, const RedTeamCommandOptions& options) {
  const std::vector<JudgedExploit> all = HONE_TRY(judgeExploits(context, options));
  const std::vector<SystemDefence> defences = kernel::systemDefences();
  const auto passed = std::ranges::count_if(all, [](const auto& one) { return one.result.passed; });
  const auto skipped =
      std::ranges::count_if(all, [](const auto& one) { return one.result.skipped; });
  if (context.json) {
    fmt::print("{}\n", jsonText(redTeamJson(all, defences), 2));
  } else {
    printExploits(all);
    printDefences(defences);
    fmt::print("{} of {} exploits passed", passed, std::ssize(all) - skipped);
    fmt::print("{}\n", skipped > 0
                           ? fmt::format("; {} not run, because TileLang is not installed", skipped)
                           : "");
  }
  return passed > 0 ? 1 : 0;
}

}  // namespace

void addKernelRedTeamCommand(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<RedTeamCommandOptions>();
  CLI::App* command = kernel.add_subcommand(
      "redteam", "Run known exploits against the judge and list the defences of this system");
  command->add_option("NAMES", options->names,
                      "Run only exploits whose names have one of these prefixes");
  command->add_option("--run-timeout", options->runSeconds, "Timeout of one kernel process")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e5))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  hone kernel redteam\n"
      "  hone kernel redteam cache_ thread_\n"
      "  hone kernel redteam --json\n"
      "The exploits are harmless: they try to be accepted as fast kernels without doing the "
      "work.\n"
      "Exit code 1: an exploit passed.");
  command->callback([&context, options] {
    context.action = [&context, options] { return redTeam(context, *options); };
  });
}

}  // namespace hone::app

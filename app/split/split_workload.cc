#include "app/split/split_workload.h"

#include <CLI/CLI.hpp>
#include <map>
#include <set>

#include "model/workload/miopen.h"
#include "model/workload/sweep.h"
#include "model/workload/workload.h"
#include "split/sweep/problem_reduction.h"

namespace hone::app {
namespace {

/// Returns the line of the entry, or a generated line if its line has several problems.
std::string formatArguments(const model::WorkloadEntry& entry,
                            const std::map<std::int64_t, int>& problemsPerLine) {
  return problemsPerLine.at(entry.line.number) == 1 ? entry.line.text
                                                    : model::formatCommandLine(entry.problem);
}

}  // namespace

void SplitWorkload::addTo(CLI::App& command) {
  command.add_option("WORKLOAD", file, "Workload: MIOpen or BOO commands, or names, one per line")
      ->required();
  command.add_option(
      "--type", type,
      "Element type of all problems: f32, f16, bf16 or f16_f16_f32 (default: as in the file)");
  command.add_option("--limit", limit, "Maximum number of problems (default: all)")
      ->check(CLI::PositiveNumber);
  command.add_flag("--strict", strict, "Fail on the first invalid line");
}

Result<std::vector<split::SweepProblem>> SplitWorkload::problems(Progress& progress) const {
  const model::Workload workload = HONE_TRY(model::readWorkload(file));
  const auto skip = [&](const std::string& message) -> Result<void> {
    if (strict) {
      return userError("{}", message);
    }
    progress.say(fmt::format("skipped: {}", message));
    return {};
  };
  for (const model::BadLine& bad : workload.badLines) {
    HONE_CHECK(skip(bad.error.message));
  }
  std::map<std::int64_t, int> problemsPerLine;
  for (const model::WorkloadEntry& entry : workload.entries) {
    ++problemsPerLine[entry.line.number];
  }
  std::vector<model::MatmulTypes> types;
  if (!type.empty()) {
    types = HONE_TRY(model::matmulTypesFrom("--type", type));
    if (types.size() != 1) {
      return userError("--type: expected one type, got {}", types.size());
    }
  }
  std::vector<split::SweepProblem> problems;
  std::set<std::string> names;
  for (const model::WorkloadEntry& entry : workload.entries) {
    const auto problem = types.empty() ? entry.problem : retyped(entry.problem, types.front());
    const auto where = fmt::format("{}:{}", entry.line.file, entry.line.number);
    if (std::holds_alternative<model::Attention>(problem)) {
      HONE_CHECK(skip(fmt::format("{}: attention has no reduction to split", where)));
    } else if (auto good = model::check(problem); !good) {
      HONE_CHECK(skip(fmt::format("{}: {}", where, good.error().message)));
    } else if (!split::findReduction(problem)) {
      HONE_CHECK(skip(fmt::format("{}: {} has no reduction to split", where, nameOf(problem))));
    } else if (names.insert(nameOf(problem)).second) {
      problems.push_back({formatArguments(entry, problemsPerLine), problem});
    }
    if (limit > 0 && std::cmp_greater_equal(problems.size(), limit)) {
      break;
    }
  }
  if (problems.empty()) {
    return userError("{}: no problem found with a reduction to split", file);
  }
  return problems;
}

}  // namespace hone::app

#include "report/pages/split/split_shapes.h"

#include <algorithm>

#include "base/text/text.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

std::optional<double> typicalNs(const std::optional<model::Timing>& timing) {
  constexpr double kNsPerUs = 1000;
  return timing ? std::optional(timing->timeUs() * kNsPerUs) : std::nullopt;
}

/// Splits a line into options: "-n 16" becomes "n16", "--iter 100" "iter100", a flag its name.
std::vector<std::string> splitOptions(const std::string& line) {
  std::vector<std::string> options;
  bool open = false;
  for (const std::string& word : splitAt(line, ' ')) {
    if (word.empty()) {
      continue;
    }
    if (word.starts_with('-')) {
      options.push_back(word.substr(std::min(word.find_first_not_of('-'), word.size())));
      open = true;
    } else if (open) {
      options.back() += word;
      open = false;
    } else {
      options.push_back(word);
    }
  }
  return options;
}

void assignNames(std::vector<SplitShape>& shapes) {
  std::vector<std::string> lines;
  lines.reserve(shapes.size());
  for (const SplitShape& shape : shapes) {
    lines.push_back(shape.arguments);
  }
  const auto names = shortenToDifferences(lines);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].name = names[i];
  }
}

/// Returns the time of a trial from its rounds, otherwise the best of its screening; nothing if it
/// was not measured.
std::optional<double> findTime(const RunRecord& record, const store::Trial& trial) {
  if (failed(trial)) {
    return std::nullopt;
  }
  const double measured = record.times.medianNs(trial.id);
  if (measured > 0) {
    return measured;
  }
  const auto& screened = trial.details.screenTimesNs;
  return screened && !screened->empty() ? std::optional(*std::ranges::min_element(*screened))
                                        : std::nullopt;
}

/// Stores the time for every configuration named by `choice`: "baseline, limit 64, limit 128".
void storeTime(SplitShape& shape, const std::string& choice, double ns) {
  constexpr std::string_view kLimit = "limit ";
  for (const std::string& word : splitAt(choice, ',')) {
    const std::string_view part = trim(word);
    if (part == "baseline") {
      shape.baselineNs = ns;
    } else if (part == "no split") {
      shape.noSplitNs = ns;
    } else if (const auto limit =
                   part.starts_with(kLimit) ? parseInt(part.substr(kLimit.size())) : std::nullopt) {
      shape.limitsNs[*limit] = ns;
    }
  }
}

}  // namespace

std::optional<double> SplitShape::bestNs() const {
  std::optional<double> best = baselineNs;
  const auto take = [&](double ns) { best = best ? std::min(*best, ns) : ns; };
  if (noSplitNs) {
    take(*noSplitNs);
  }
  for (const auto& [limit, ns] : limitsNs) {
    take(ns);
  }
  return best;
}

std::optional<std::int64_t> SplitShape::bestLimit() const {
  const auto best =
      std::min_element(limitsNs.begin(), limitsNs.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == limitsNs.end() ? std::nullopt : std::optional(best->first);
}

std::vector<std::string> shortenToDifferences(const std::vector<std::string>& lines) {
  if (lines.size() < 2) {
    return lines;
  }
  struct Kind {
    std::size_t lines = 0;
    std::map<std::string, std::size_t> counts;
  };
  std::map<std::string, Kind> kinds;
  std::vector<std::vector<std::string>> all;
  for (const std::string& line : lines) {
    all.push_back(splitOptions(line));
    Kind& kind = kinds[all.back().empty() ? "" : all.back().front()];
    ++kind.lines;
    for (const std::string& option : all.back()) {
      ++kind.counts[option];
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string first = all[i].empty() ? "" : all[i].front();
    const Kind& kind = kinds[first];
    std::vector<std::string> own;
    std::ranges::copy_if(all[i], std::back_inserter(own), [&](const std::string& option) {
      return option == first ? kinds.size() > 1
                             : kind.lines == 1 || kind.counts.at(option) < kind.lines;
    });
    const std::size_t least = kinds.size() > 1 ? 1 : 0;
    names.push_back(own.size() <= least && kind.lines > 1 ? lines[i] : join(own, " "));
  }
  return names;
}

std::vector<SplitShape> toShapes(const std::vector<model::ShapeRecord>& records) {
  std::vector<SplitShape> shapes;
  for (const model::ShapeRecord& record : records) {
    SplitShape& shape = shapes.emplace_back();
    shape.arguments = record.shape.arguments;
    shape.reduction = record.shape.reduction;
    shape.baselineNs = typicalNs(record.shape.baseline);
    shape.noSplitNs = typicalNs(record.shape.noSplit);
    for (const auto& [limit, timing] : record.shape.limits) {
      shape.limitsNs[limit] = *typicalNs(timing);
    }
  }
  assignNames(shapes);
  return shapes;
}

std::vector<SplitShape> collectShapes(const RunRecord& record) {
  std::vector<SplitShape> shapes;
  std::map<std::string, std::size_t> places;
  for (const store::Trial& trial : record.trials) {
    SplitShape timed;
    if (const auto ns = findTime(record, trial)) {
      storeTime(timed, trial.config.name, *ns);
    }
    if (!timed.bestNs()) {  // it failed, or belongs to the validation
      continue;
    }
    const auto [at, isNew] = places.try_emplace(trial.problem, shapes.size());
    if (isNew) {
      shapes.emplace_back().arguments = trial.problem;
    }
    SplitShape& shape = shapes[at->second];
    shape.baselineNs = timed.baselineNs ? timed.baselineNs : shape.baselineNs;
    shape.noSplitNs = timed.noSplitNs ? timed.noSplitNs : shape.noSplitNs;
    shape.limitsNs.insert(timed.limitsNs.begin(), timed.limitsNs.end());
  }
  assignNames(shapes);
  return shapes;
}

}  // namespace hone::report

#include "report/render/workload.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text/text.h"
#include "model/problem/profiler_name.h"
#include "report/render/answer_text.h"
#include "report/render/table.h"

namespace hone::report {
namespace {

using model::Problem;
using model::WorkloadEntry;

/// Formats a count that may exceed 64 bits with three digits and a unit: "14.5 G".
std::string countText(double value) {
  constexpr std::array<std::string_view, 7> kUnits = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const int digits = unit == 0 || value >= 99.95 ? 0 : (value >= 9.995 ? 1 : 2);
  return fmt::format("{:.{}f}{}", value, digits, kUnits[unit]);
}

std::string kindText(const Problem& problem) {
  const auto* conv = std::get_if<model::Conv>(&problem);
  return conv == nullptr ? profilerKind(problem)
                         : fmt::format("{} {}", profilerKind(problem), nameOf(conv->direction));
}

/// Totals over the problems of a workload.
struct Totals {
  std::size_t lines = 0, problems = 0, different = 0;
  std::size_t convolutions = 0, matmuls = 0, attentions = 0;
  double flops = 0;
};

Totals countTotals(std::span<const WorkloadEntry> entries) {
  Totals totals;
  std::set<std::int64_t> lines;
  for (const WorkloadEntry& entry : entries) {
    lines.insert(entry.line.number);
    totals.convolutions += std::holds_alternative<model::Conv>(entry.problem) ? 1 : 0;
    totals.matmuls += std::holds_alternative<model::Matmul>(entry.problem) ? 1 : 0;
    totals.attentions += std::holds_alternative<model::Attention>(entry.problem) ? 1 : 0;
    totals.flops += countFlops(entry.problem);
  }
  totals.lines = lines.size();
  totals.problems = entries.size();
  totals.different = uniqueProblems(entries).size();
  return totals;
}

std::string totalsText(const Totals& totals) {
  std::vector<std::string> kinds;
  for (const auto& [count, what] :
       {std::pair(totals.convolutions, "convolution"), std::pair(totals.matmuls, "matmul"),
        std::pair(totals.attentions, "attention")}) {
    if (count > 0) {
      kinds.push_back(counted(count, what));
    }
  }
  return fmt::format("{} of {}, {} different; {}FLOPs\n{}\n", counted(totals.problems, "problem"),
                     counted(totals.lines, "line"), totals.different, countText(totals.flops),
                     join(kinds, ", "));
}

}  // namespace

std::string workloadText(std::span<const WorkloadEntry> entries, std::size_t width) {
  Table table({{"line", Align::right},
               {"kind", Align::left, 12},
               {"output", Align::right},
               {"reduction", Align::right},
               {"FLOPs", Align::right},
               {"problem", Align::left, 12}});
  for (const WorkloadEntry& entry : entries) {
    table.add({std::to_string(entry.line.number), kindText(entry.problem),
               std::to_string(resultType(entry.problem).count()),
               std::to_string(reductionLength(entry.problem)), countText(countFlops(entry.problem)),
               nameOf(entry.problem)});
  }
  return table.text(width) + "\n" + totalsText(countTotals(entries));
}

nlohmann::json workloadJson(const model::Workload& workload) {
  nlohmann::json problems = nlohmann::json::array();
  for (const WorkloadEntry& entry : workload.entries) {
    problems.push_back({{"line", entry.line.number},
                        {"arguments", entry.line.text},
                        {"name", nameOf(entry.problem)},
                        {"kind", kindText(entry.problem)},
                        {"output_size", resultType(entry.problem).count()},
                        {"reduction_size", reductionLength(entry.problem)},
                        {"flops", countFlops(entry.problem)},
                        {"problem", toJson(entry.problem)}});
  }
  nlohmann::json badLines = nlohmann::json::array();
  for (const model::BadLine& bad : workload.badLines) {
    badLines.push_back({{"line", bad.line.number}, {"message", bad.error.message}});
  }
  const Totals totals = countTotals(workload.entries);
  return {{"problems", std::move(problems)},
          {"bad_lines", std::move(badLines)},
          {"totals",
           {{"lines", totals.lines},
            {"problems", totals.problems},
            {"different", totals.different},
            {"convolutions", totals.convolutions},
            {"matmuls", totals.matmuls},
            {"attentions", totals.attentions},
            {"flops", totals.flops}}}};
}

}  // namespace hone::report

#include "report/pages/tune/tune_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "base/text/text.h"
#include "model/result/summary/tune_result.h"
#include "report/data/graph_layout.h"
#include "report/pages/tune/tune_knobs.h"
#include "report/pages/tune/tune_searches.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::TunedDispatch;
using model::TunedProgram;
using model::TunedVariant;
using model::TuneResult;

/// Maximum number of distinguishable segments of a bar; the others are merged.
constexpr std::size_t kMaxSegments = 11;

/// Adds the facts about a model: its sizes, its reference and the time of ONNX Runtime.
void answerModel(const TunedProgram& program, Answer& answer) {
  if (!program.sizes.empty()) {
    answer.lines.push_back(fmt::format("{}: for {}.", program.program, program.sizes));
  }
  if (!program.note.empty()) {
    answer.lines.push_back(fmt::format("{}: the default {}.", program.program, program.note));
  }
  for (const model::SizeProof& size : program.otherSizes) {
    if (size.speedup) {
      answer.lines.push_back(
          fmt::format("With {}: {} → {}, {}.", size.sizes, timeText(orNone(size.defaultNs)),
                      timeText(orNone(size.tunedNs)), speedupText(*size.speedup)));
    }
  }
  if (program.alternative && program.alternative->timeNs) {
    answer.lines.push_back(fmt::format("ONNX Runtime on the same threads, in the same rounds: {}.",
                                       timeText(*program.alternative->timeNs)));
  }
}

void answerProgram(const TunedProgram& program, Answer& answer) {
  const std::string& name = program.program;
  if (!program.proof) {
    answer.lines.push_back(
        fmt::format("{}: no significant speedup; keep the compiler's default.", name));
    std::ranges::move(explainNoGain(program), std::back_inserter(answer.lines));
    return;
  }
  const model::TunedProof& proof = *program.proof;
  const std::string headline =
      fmt::format("{} is {}: {} → {}.", name, asFast(proof.speedup->estimate),
                  timeText(orNone(program.defaultNs)), timeText(orNone(proof.tunedNs)));
  std::string evidence = fmt::format("{}; {}; results verified equal.", speedupText(*proof.speedup),
                                     explainVerdict(proof.verdict));
  if (!proof.flags.empty()) {
    evidence += fmt::format(" Flags: {}.", join(proof.flags, " "));
  }
  if (answer.headline.empty()) {
    answer.headline = headline;
    answer.tone = Answer::Tone::good;
  } else {
    answer.lines.push_back(headline);
  }
  answer.lines.push_back(std::move(evidence));
  if (const auto* fresh = model::differentFreshMemoryGain(proof)) {
    answer.lines.push_back(fmt::format(
        "With fresh memory in every call, as iree-benchmark-module measures: {} → {}, {}.",
        timeText(orNone(fresh->defaultNs)), timeText(orNone(fresh->tunedNs)),
        speedupText(*fresh->speedup)));
  }
}

void answerTune(const std::vector<TunedProgram>& programs, Answer& answer) {
  std::vector<const TunedProgram*> order;
  for (const TunedProgram& program : programs) {
    order.push_back(&program);
  }
  std::stable_sort(order.begin(), order.end(), [](const TunedProgram* a, const TunedProgram* b) {
    return a->proof && !b->proof;
  });
  for (const TunedProgram* program : order) {
    answerProgram(*program, answer);
    answerModel(*program, answer);
  }
  if (answer.headline.empty()) {
    answer.headline = "No significant speedup; keep the compiler's default.";
    if (programs.size() == 1) {
      answer.lines.erase(answer.lines.begin());  // it would repeat the headline
    }
  }
}

/// Sums the times of dispatches with equal names.
std::map<std::string, double> sumTimes(const std::vector<model::TimedDispatch>& dispatches) {
  std::map<std::string, double> times;
  for (const model::TimedDispatch& one : dispatches) {
    times[shortDispatch(one.name)] += orNone(one.timeNs);
  }
  return times;
}

/// Estimates the times for runs that did not measure them: the share before, divided by the
/// speedup of the dispatch.
std::pair<std::map<std::string, double>, std::map<std::string, double>> estimateTimes(
    const TunedProgram& program) {
  std::pair<std::map<std::string, double>, std::map<std::string, double>> times;
  if (program.variants.empty()) {
    return times;
  }
  for (const TunedDispatch& dispatch : program.variants.back().dispatches) {
    const std::string name = shortDispatch(dispatch.name);
    const bool used = dispatch.inSpec == true && dispatch.winner && dispatch.winner->speedup;
    const double gain = used ? dispatch.winner->speedup->estimate : 1;
    const double before = orNone(dispatch.share) * orNone(program.defaultNs);
    times.first[name] += before;
    times.second[name] += before / gain;
  }
  return times;
}

void addShares(const TunedProgram& program, Document& document) {
  const auto measured = program.proof ? program.proof->dispatchTimes : std::nullopt;
  auto [before, after] = measured ? std::pair(sumTimes(measured->before), sumTimes(measured->after))
                                  : estimateTimes(program);
  if (before.empty()) {
    return;
  }
  std::map<std::string, double> weight = before;
  for (const auto& [name, ns] : after) {
    weight[name] += ns;
  }
  std::vector<std::string> names;
  for (const auto& [name, ns] : weight) {
    names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return weight[a] > weight[b]; });
  Bars bars;
  bars.title = fmt::format("Time breakdown of {}", program.program);
  bars.note = measured
                  ? "Time and share of each dispatch in one call, from the profiler of the runtime."
                  : "The time after tuning is an estimate: the time before, divided by the speedup "
                    "of the dispatch alone.";
  bars.value = {"time in one call", "ns"};
  bars.names = {"before", "after"};
  if (!program.proof) {
    bars.note = "Time and share of each dispatch in one call.";
    bars.names = {"in one call"};
  }
  bars.stacked = true;
  Bars::Group rest{.name = "other dispatches", .values = {0, 0}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i < kMaxSegments) {
      bars.groups.push_back({.name = names[i], .values = {before[names[i]], after[names[i]]}});
    } else {
      rest.values[0] += before[names[i]];
      rest.values[1] += after[names[i]];
    }
  }
  if (names.size() > kMaxSegments) {
    bars.groups.push_back(std::move(rest));
  }
  for (Bars::Group& group : bars.groups) {
    group.values.resize(bars.names.size());
  }
  document.add(bars);
}

std::string outcomeText(const TunedDispatch& dispatch) {
  if (!dispatch.skipReason.empty()) {
    return explainDefaultKept(dispatch);
  }
  if (dispatch.inSpec == true) {
    return "in the spec";
  }
  if (!dispatch.winner || !dispatch.winner->speedup) {
    return fmt::format("compiler's default kept: {}", explainDefaultKept(dispatch));
  }
  return dispatch.note.empty() ? "faster in isolation" : dispatch.note;
}

/// Adds the layers whose ways were measured, with the time of each way.
void addLayers(const TunedProgram& program, Document& document) {
  if (program.layers.empty()) {
    return;
  }
  DataTable table;
  table.title = fmt::format("Layers of {}, each measured alone", program.program);
  table.columns = {{"layer"},        {"calls"}, {"default", "ns"}, {"tuned", "ns"},
                   {"speedup", "x"}, {"way"},   {"measured"}};
  std::set<std::string> ways;
  for (const model::TunedLayer& layer : program.layers) {
    for (const auto& [way, ns] : layer.ns) {
      ways.insert(way);
    }
  }
  for (const std::string& way : ways) {
    table.columns.push_back({way, "ns"});
  }
  for (const model::TunedLayer& layer : program.layers) {
    const auto time = [&](const std::string& way) {
      const auto found = layer.ns.find(way);
      return found == layer.ns.end() ? kNone : found->second;
    };
    table.columns[0].texts.push_back(layer.layer.describe());
    table.columns[1].numbers.push_back(static_cast<double>(layer.layer.calls));
    table.columns[2].numbers.push_back(orNone(layer.defaultNs));
    table.columns[3].numbers.push_back(time(layer.way));
    table.columns[4].numbers.push_back(orNone(layer.defaultNs) / time(layer.way));
    table.columns[5].texts.push_back(layer.way);
    table.columns[6].texts.emplace_back(layer.remembered ? "by an earlier run" : "by this run");
    std::size_t column = 7;
    for (const std::string& way : ways) {
      table.columns[column++].numbers.push_back(time(way));
    }
  }
  document.add(table);
}

/// Draws the data flow between the dispatches, with their shares of the time and speedups.
void addGraph(const TunedProgram& program, Document& document) {
  constexpr std::size_t kMaxNodes = 400;  // the page stays responsive
  if (!program.graph || program.graph->nodes.empty() || program.graph->nodes.size() > kMaxNodes) {
    return;
  }
  std::map<std::string, std::string> details;
  for (const TunedVariant& variant : program.variants) {
    if (!variant.name.empty()) {
      continue;  // its flags form other dispatches
    }
    for (const TunedDispatch& dispatch : variant.dispatches) {
      std::string& detail = details[dispatch.name];
      detail = dispatch.share ? fmt::format("{:.0f} % of the time", 100 * *dispatch.share) : "";
      if (dispatch.winner && dispatch.winner->speedup) {
        detail += fmt::format(", {:.2f}x", dispatch.winner->speedup->estimate);
      }
    }
  }
  Graph graph{.title = fmt::format("Dispatches of {}: data flow", program.program)};
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const model::DispatchGraph::Edge& edge : program.graph->edges) {
    edges.emplace_back(edge.from, edge.to);
    graph.edges.push_back({.from = edge.from, .to = edge.to, .label = edge.type});
  }
  const auto places = layOutGraph(program.graph->nodes.size(), edges);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const model::DispatchGraph::Node& node = program.graph->nodes[i];
    const bool computes = node.kind == model::DispatchGraph::Kind::dispatch;
    graph.nodes.push_back({.label = computes ? shortDispatch(node.name) : node.name,
                           .detail = details[node.name],
                           .row = places[i].row,
                           .column = places[i].column,
                           .role = computes ? Role::plain : Role::baseline});
  }
  document.add(graph);
}

void addRow(const TunedVariant& variant, const TunedDispatch& dispatch, DataTable& table) {
  const auto number = [](const std::optional<std::int64_t>& count) {
    return count ? static_cast<double>(*count) : kNone;
  };
  const auto gain = (dispatch.winner ? dispatch.winner->speedup : std::nullopt)
                        .value_or(stats::Interval{kNone, kNone, kNone});
  table.columns[0].texts.push_back(shortDispatch(dispatch.name));
  table.addInterval(1, gain);
  table.columns[4].texts.push_back(variant.name);
  table.columns[5].numbers.push_back(100 * orNone(dispatch.share));
  table.columns[6].numbers.push_back(orNone(dispatch.defaultNs));
  table.columns[7].texts.push_back(outcomeText(dispatch));
  table.columns[8].numbers.push_back(number(dispatch.tried));
  table.columns[9].numbers.push_back(number(dispatch.failed));
  table.columns[10].numbers.push_back(number(dispatch.space));
}

void addDispatches(const TunedProgram& program, Document& document) {
  DataTable table;
  table.title = fmt::format("Dispatches of {}", program.program);
  table.columns = {{"dispatch"}, {"speedup", "x"}, {"low", "x"},      {"high", "x"},
                   {"flags"},    {"share", "%"},   {"default", "ns"}, {"outcome"},
                   {"tried"},    {"failed"},       {"space"}};
  for (const TunedVariant& variant : program.variants) {
    for (const TunedDispatch& dispatch : variant.dispatches) {
      addRow(variant, dispatch, table);
    }
  }
  constexpr std::size_t kFlags = 4;
  const auto& flags = table.columns[kFlags].texts;
  if (std::ranges::all_of(flags, [](const std::string& name) { return name.empty(); })) {
    table.columns.erase(table.columns.begin() + kFlags);
  }
  document.add(table);
}

/// Marks the runner whose median is closest to the reported time, if there is one.
void markWinner(const RunRecord& record, double tunedNs, std::vector<RunRecord::Runner>& runners) {
  RunRecord::Runner* winner = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (RunRecord::Runner& runner : runners) {
    if (runner.role != Role::plain) {
      continue;
    }
    const double away = std::abs(record.times.medianNs(runner.trial->id) - tunedNs);
    if (away < least) {
      least = away;
      winner = &runner;
    }
  }
  if (winner != nullptr) {
    winner->role = Role::winner;
    winner->name += " (winner)";
  }
}

/// Plots the default and the tuned program in the rounds of the last proof.
void addProof(const RunRecord& record, const std::string& before, double tunedNs,
              Document& document) {
  std::vector<RunRecord::Runner> runners;
  for (const char* scope : {"proof of the rest", "proof of what is left", "proof"}) {
    for (const store::Trial& trial : record.trials) {
      if (trial.details.scope == before + scope) {
        runners.push_back({&trial, makeLabel(trial),
                           runners.empty() ? Role::baseline
                           : isTwin(trial) ? Role::faint
                                           : Role::plain});
      }
    }
    if (!runners.empty()) {
      break;
    }
  }
  markWinner(record, tunedNs, runners);
  const Plot plot = record.roundsPlot(std::isnan(tunedNs) ? "Candidates and default: time per round"
                                                          : "Winner and default: time per round",
                                      runners);
  if (!plot.series.empty()) {
    document.add(plot);
  }
}

void addSpec(const TunedProgram& program, Document& document) {
  if (program.proof && !program.proof->spec.empty()) {
    document.add(TextBlock{.title = fmt::format("Tuning spec of {}", program.program),
                           .text = program.proof->spec,
                           .form = TextBlock::Form::code,
                           .folded = true});
  }
}

/// Adds the best result so far of each unfinished search.
void answerSoFar(const std::vector<TuneSearch>& searches, Answer& answer) {
  for (const TuneSearch& search : searches) {
    double best = 1;
    for (const store::Trial* trial : search.trials) {
      const double speedup = search.computeSpeedup(*trial);
      best = std::isnan(speedup) ? best : std::max(best, speedup);
    }
    answer.lines.push_back(fmt::format("{}: {}; best so far: {} in screening.",
                                       shortDispatch(search.scope),
                                       counted(search.trials.size(), "candidate"), asFast(best)));
  }
}

}  // namespace

Result<void> describeTune(const RunRecord& record, Document& document) {
  const TuneResult result = HONE_TRY(model::tuneResultFrom(record.summary()));
  const std::vector<TunedProgram>& programs = result.programs;
  const auto searches = collectSearches(record, result);
  if (record.finished()) {
    answerTune(programs, document.answer);
  } else {
    answerSoFar(searches, document.answer);
  }
  for (const TunedProgram& program : programs) {
    addShares(program, document);
  }
  if (programs.empty()) {
    addProof(record, "", kNone, document);
  }
  for (const TunedProgram& program : programs) {
    const std::string before =
        programs.size() > 1 ? fmt::format("{}: ", program.program) : std::string();
    addProof(record, before, program.proof ? orNone(program.proof->tunedNs) : kNone, document);
  }
  addProgress(record, searches, document);
  for (const TunedProgram& program : programs) {
    addLayers(program, document);
    addGraph(program, document);
    addDispatches(program, document);
    addSpec(program, document);
  }
  addKnobs(searches, document);
  return {};
}

}  // namespace hone::report

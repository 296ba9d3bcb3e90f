#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/data/run_record.h"
#include "report/pages/kernel_turns.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using nlohmann::json;

/// One kernel of a run, with what the run kept of it.
struct Kernel {
  std::string name;   ///< "" where the run has but one
  const json* turns;  ///< from the run's details
  const json* outcome;
};

std::vector<Kernel> kernelsOf(const store::Run& run) {
  std::vector<Kernel> kernels;
  const json& done = memberOf(run.summary, "kernels");
  const json& soFar = memberOf(run.details, "done");
  for (const auto& [name, turns] : memberOf(run.details, "kernels").items()) {
    const json& all = done.is_null() ? soFar : done;
    kernels.push_back({name, &turns, name.empty() ? &run.summary : &memberOf(all, name.c_str())});
  }
  return kernels;
}

/// Under way: what the last race said.
void answerSoFar(const std::string& name, const json& turns, Answer& answer) {
  double best = kNone;
  double turn = 0;
  for (const json& one : turns) {
    if (memberOf(one, "decided") == true) {
      turn = numberIn(one, "turn");
      best = numberIn(one, "best_speedup");
    }
  }
  if (!std::isnan(best)) {
    answer.lines.push_back(
        fmt::format("{}: {} after turn {:.0f}, not yet confirmed.", name, asFast(best), turn));
  }
}

void answerOne(const std::string& name, const json& outcome, Answer& answer) {
  const json& confirmed = memberOf(outcome, "confirmed");
  const auto over = intervalFrom(memberOf(confirmed, "original"));
  if (memberOf(outcome, "improved") != true || !over) {
    const std::string note = textIn(outcome, "note");
    answer.headline = fmt::format("{} stays as it was: nothing was surely faster.", name);
    answer.lines.push_back(note.empty() ? textIn(outcome, "why") : note);
    return;
  }
  answer.tone = Answer::Tone::good;
  answer.headline = fmt::format("{} is {}: {} → {}.", name, asFast(over->estimate),
                                timeText(numberIn(confirmed, "original_ns")),
                                timeText(numberIn(confirmed, "best_ns")));
  const json& original = memberOf(confirmed, "original");
  answer.lines.push_back(fmt::format(
      "{} in {:.0f} rounds of fresh processes; {}; results verified.", speedupText(*over),
      numberIn(original, "rounds"), sureness(textIn(original, "verdict"))));
  if (const auto pytorch = intervalFrom(memberOf(confirmed, "pytorch"))) {
    answer.lines.push_back(fmt::format("Over PyTorch: {}.", speedupText(*pytorch)));
  }
  answer.lines.push_back(
      fmt::format("The winner: {}. Stopped: {}.", textIn(outcome, "best"), textIn(outcome, "why")));
}

void answerAll(const std::vector<Kernel>& kernels, Answer& answer) {
  std::size_t improved = 0;
  for (const Kernel& kernel : kernels) {
    const auto over = intervalFrom(memberOf(memberOf(*kernel.outcome, "confirmed"), "original"));
    if (memberOf(*kernel.outcome, "improved") == true && over) {
      ++improved;
      answer.lines.push_back(fmt::format("{}: {}", kernel.name, speedupText(*over)));
    }
  }
  answer.tone = improved > 0 ? Answer::Tone::good : Answer::Tone::plain;
  answer.headline =
      fmt::format("{} of {} slow kernels are surely faster.", improved, kernels.size());
}

void addListed(const json& listed, Document& document) {
  DataTable table;
  table.title = "Kernels";
  table.columns = {{"kernel"},        {"speedup over PyTorch", "x"}, {"time", "ns"},
                   {"PyTorch", "ns"}, {"of the roofline", "%"},      {"category"},
                   {"problem"}};
  Bars bars;
  bars.title = "Share of the roofline";
  bars.note = "How much of what the machine allows each kernel reaches.";
  bars.value = {"of the roofline", "%"};
  bars.rules = {100};
  Bars::Group shares;
  for (const json& one : listed) {
    const double pytorchNs = numberIn(one, "pytorch_ns");
    const double share = 100 * numberIn(one, "roofline_share");
    table.columns[0].texts.push_back(textIn(one, "kernel"));
    table.columns[1].numbers.push_back(numberIn(one, "speedup"));
    table.columns[2].numbers.push_back(numberIn(one, "time_ns"));
    table.columns[3].numbers.push_back(pytorchNs > 0 ? pytorchNs : kNone);
    table.columns[4].numbers.push_back(share > 0 ? share : kNone);
    table.columns[5].texts.push_back(textIn(one, "category"));
    table.columns[6].texts.push_back(textIn(one, "problem"));
    if (share > 0) {
      bars.names.push_back(textIn(one, "kernel"));
      shares.values.push_back(share);
    }
  }
  bars.groups.push_back(std::move(shares));
  document.add(bars);
  document.add(table);
}

}  // namespace

void describeKernel(const RunRecord& record, Document& document) {
  const std::vector<Kernel> kernels = kernelsOf(record.run);
  const json& listed = memberOf(record.run.summary, "listed");
  if (kernels.size() == 1 && kernels.front().name.empty()) {
    const std::string name = textIn(*kernels.front().outcome, "kernel");
    const std::string shown = name.empty() ? "The kernel" : name;
    if (record.finished()) {
      answerOne(shown, *kernels.front().outcome, document.answer);
    } else {
      answerSoFar(shown, *kernels.front().turns, document.answer);
    }
    addTurns(record, "", *kernels.front().turns, document);
    return;
  }
  Tabs tabs;
  for (const Kernel& kernel : kernels) {
    Parts parts;
    addTurns(record, kernel.name, *kernel.turns, parts);
    tabs.tabs.emplace_back(kernel.name, std::move(parts));
  }
  if (!kernels.empty()) {
    answerAll(kernels, document.answer);
    document.add(tabs);
  } else if (listed.is_array()) {
    document.answer.headline = fmt::format("{} kernels were measured.", listed.size());
  } else {
    document.answer.headline = fmt::format("{} trials were recorded.", record.trials.size());
  }
  if (listed.is_array()) {
    addListed(listed, document);
  }
}

}  // namespace hone::report

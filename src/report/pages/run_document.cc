#include "report/pages/run_document.h"

#include <fmt/format.h>

#include "base/text/text.h"
#include "model/result/run_failure.h"
#include "report/pages/bench_document.h"
#include "report/pages/kernel/kernel_document.h"
#include "report/pages/profile/profile_document.h"
#include "report/pages/run_result.h"
#include "report/pages/split/split_document.h"
#include "report/pages/tune/tune_document.h"
#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using Describe = Result<void> (*)(const RunRecord&, Document&);

Describe findDescriber(const store::Run& run) {
  if (run.command == "profile") {
    return describeProfile;
  }
  if (run.command == "split") {
    return describeSplit;
  }
  if (run.command == "tune") {
    return describeTune;
  }
  return run.command == "kernel" ? describeKernel : describeBench;
}

void addFact(Document& document, const std::string& name, const std::string& value) {
  if (!value.empty()) {
    document.facts.emplace_back(name, value);
  }
}

std::string deviceText(const store::Run& run) {
  if (run.device.empty()) {
    return run.target;
  }
  return run.target.empty() ? run.device
                            : fmt::format("{}, compiled for {}", run.device, run.target);
}

Document startDocument(const RunRecord& record) {
  const store::Run& run = record.run;
  Document document;
  document.title = fmt::format("run {}: hone {}", run.id, store::commandLine(run.arguments));
  addFact(document, "status",
          fmt::format("{}; {} trials: {}", nameOf(run.status), record.trials.size(),
                      record.outcomes()));
  addFact(document, "time",
          run.finishedAt.empty() ? fmt::format("started {}", run.startedAt)
                                 : fmt::format("{} to {}", run.startedAt, run.finishedAt));
  addFact(document, "machine",
          run.host.empty() || run.cpu.empty() ? run.host + run.cpu
                                              : fmt::format("{}, {}", run.cpu, run.host));
  addFact(document, "device", deviceText(run));
  addFact(document, "ranked by", record.clock());
  addFact(
      document, "versions",
      fmt::format(
          "hone {}{}, seed {}", run.honeVersion,
          run.compilerRevision.empty() ? "" : fmt::format(", compiler {}", run.compilerRevision),
          run.seed));
  return document;
}

/// Replaces the headline of an unfinished or failed run; the parts below remain.
void answerUnfinished(const RunRecord& record, Document& document) {
  if (record.run.status == store::RunStatus::failed) {
    const std::string why = model::runFailureFrom(record.summary()).error;
    document.answer.headline = "This run failed.";
    document.answer.tone = Answer::Tone::bad;
    if (!why.empty()) {
      document.answer.lines.push_back(why);
    }
  } else {
    document.answer.headline =
        fmt::format("Not finished: {} so far.", counted(record.trials.size(), "trial"));
    document.answer.lines.push_back(
        fmt::format("If it is no longer running, resume it: hone runs resume {}", record.run.id));
  }
}

Document toDocument(const RunRecord& record) {
  Document document = startDocument(record);
  if (const auto described = findDescriber(record.run)(record, document); !described) {
    // The format of the result is unknown; show the trials.
    document = startDocument(record);
    document.answer.headline =
        "Unknown result format: this run was stored by another version of hone.";
    document.answer.lines.push_back(described.error().message);
  }
  if (!record.finished()) {
    answerUnfinished(record, document);
  }
  document.add(record.trialTable());
  return document;
}

/// Converts a document to the parts of a tab, including its answer and facts.
Parts asParts(const Document& document) {
  Parts parts;
  parts.heading(document.answer.headline);
  if (!document.answer.lines.empty()) {
    parts.add(TextBlock{.title = {}, .text = join(document.answer.lines, "\n")});
  }
  DataTable facts;
  facts.title = "About this run";
  facts.columns = {{"fact"}, {"value"}};
  facts.columns[0].texts.emplace_back("command");
  facts.columns[1].texts.push_back(document.title);
  for (const auto& [name, value] : document.facts) {
    facts.columns[0].texts.push_back(name);
    facts.columns[1].texts.push_back(value);
  }
  facts.folded = true;
  parts.add(facts);
  parts.append(document);
  return parts;
}

}  // namespace

Result<Document> runDocument(const store::Store& store, std::int64_t run) {
  return toDocument(HONE_TRY(RunRecord::load(store, run)));
}

Result<RunsAnswers> runsAnswers(const store::Store& store, std::span<const std::int64_t> runs) {
  RunsAnswers all;
  for (const std::int64_t id : runs) {
    const RunRecord record = HONE_TRY(RunRecord::load(store, id));
    const std::vector<Gain> gains = collectGains(record);
    all.gains.insert(all.gains.end(), gains.begin(), gains.end());
    all.runs.push_back(
        {.run = id,
         .command = record.run.command,
         .commandLine = fmt::format("hone {}", store::commandLine(record.run.arguments)),
         .result = resultText({.command = record.run.command,
                               .status = record.run.status,
                               .trials = static_cast<std::int64_t>(record.trials.size()),
                               .summary = record.run.summary}),
         .document = toDocument(record),
         .compared = !gains.empty()});
  }
  return all;
}

Document runsDocument(const RunsAnswers& answers) {
  Document all;
  DataTable table;
  table.title = "Results by run";
  table.columns = {{"run"}, {"verb"}, {"result"}, {"command"}};
  Tabs tabs;
  all.answer = summarizeGains(answers.gains);
  for (const RunsAnswers::RunAnswer& one : answers.runs) {
    const Answer& answer = one.document.answer;
    table.columns[0].numbers.push_back(static_cast<double>(one.run));
    table.columns[1].texts.push_back(one.command);
    table.columns[2].texts.push_back(one.result);
    table.columns[3].texts.push_back(one.commandLine);
    // Runs with gains are already part of the answer; the others contribute only bad results.
    if (!one.compared && answer.tone == Answer::Tone::bad) {
      all.answer.tone = Answer::Tone::bad;
      all.answer.lines.push_back(
          fmt::format("Run {}, {}: {}", one.run, one.command, answer.headline));
    }
    tabs.tabs.emplace_back(fmt::format("{}: {}", one.run, one.command), asParts(one.document));
  }
  all.title = fmt::format("{} runs", answers.runs.size());
  all.add(makeGainsTable(answers.gains));
  all.add(table);
  all.add(tabs);
  return all;
}

}  // namespace hone::report

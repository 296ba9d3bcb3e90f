#include <fmt/format.h>

#include "report/answer_text.h"
#include "report/page.h"
#include "report/run_record.h"

namespace hone::report {
namespace {

using Describe = void (*)(const RunRecord&, Document&);

Describe describerOf(const store::Run& run) {
  if (run.verb == "profile") {
    return describeProfile;
  }
  if (run.verb == "split") {
    return describeSplit;
  }
  if (run.verb == "tune") {
    return describeTune;
  }
  return run.verb == "kernel" ? describeKernel : describeBench;
}

void addFact(Document& document, const std::string& name, const std::string& value) {
  if (!value.empty()) {
    document.facts.emplace_back(name, value);
  }
}

std::string onDevice(const store::Run& run) {
  if (run.device.empty()) {
    return run.target;
  }
  return run.target.empty() ? run.device
                            : fmt::format("{}, compiled for {}", run.device, run.target);
}

Document begun(const RunRecord& record) {
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
  addFact(document, "device", onDevice(run));
  addFact(document, "ranked by", record.clock());
  addFact(
      document, "made by",
      fmt::format(
          "hone {}{}, seed {}", run.honeVersion,
          run.compilerRevision.empty() ? "" : fmt::format(", compiler {}", run.compilerRevision),
          run.seed));
  return document;
}

/// What a run that gave no answer says first; what is known so far stays below.
void answerWithout(const RunRecord& record, Document& document) {
  if (record.run.status == store::RunStatus::failed) {
    const std::string why = textIn(record.run.summary, "error");
    document.answer.headline = "This run failed.";
    document.answer.tone = Answer::Tone::bad;
    if (!why.empty()) {
      document.answer.lines.push_back(why);
    }
  } else {
    document.answer.headline = fmt::format("Not finished: {} trials so far.", record.trials.size());
    document.answer.lines.push_back(fmt::format(
        "If it is not under way any more, it goes on with: hone runs resume {}", record.run.id));
  }
}

}  // namespace

Result<Document> runDocument(const store::Store& store, std::int64_t run) {
  const RunRecord record = HONE_TRY(RunRecord::load(store, run));
  Document document = begun(record);
  try {
    describerOf(record.run)(record, document);
  } catch (const nlohmann::json::exception& exception) {
    // What the run kept is not of the form that this version knows: its trials still speak.
    document = begun(record);
    document.answer.headline = "This run kept its results in a form that this hone does not know.";
    document.answer.lines.emplace_back(exception.what());
  }
  if (!record.finished()) {
    answerWithout(record, document);
  }
  document.add(record.trialTable());
  return document;
}

Result<Document> runsDocument(const store::Store& store, std::span<const std::int64_t> runs) {
  Document all;
  DataTable answers;
  answers.title = "Answers";
  answers.columns = {{"run", "", {}, {}}, {"command", "", {}, {}}, {"answer", "", {}, {}}};
  Tabs tabs;
  bool good = false;
  for (const std::int64_t id : runs) {
    const Document one = HONE_TRY(runDocument(store, id));
    const auto run = HONE_TRY(store.run(id));
    answers.columns[0].numbers.push_back(static_cast<double>(id));
    answers.columns[1].texts.push_back("hone " + store::commandLine(run->arguments));
    answers.columns[2].texts.push_back(one.answer.headline);
    good = good || one.answer.tone == Answer::Tone::good;
    tabs.tabs.emplace_back(fmt::format("{}: {}", id, run->verb), one);
  }
  all.title = fmt::format("{} runs", runs.size());
  all.answer.headline = fmt::format("What came out of {} runs", runs.size());
  all.answer.tone = good ? Answer::Tone::good : Answer::Tone::plain;
  all.add(answers);
  all.add(tabs);
  return all;
}

}  // namespace hone::report

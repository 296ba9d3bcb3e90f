#include "profile/profiler.h"

#include <algorithm>

#include "base/text/text.h"
#include "engine/machine_lock.h"
#include "engine/program/program.h"
#include "engine/rounds/round_policies.h"
#include "stats/compare.h"

namespace hone::profile {

using model::Outcome;
using model::ProfileRow;
using model::Stage;

namespace {

constexpr std::string_view kLibrary = "oneDNN";

ProfileRow rowFor(const Generated& generated, std::int64_t slices) {
  ProfileRow row;
  row.opKind = generated.operation.kind();
  row.operation = generated.operation.name();
  row.arguments = listArguments(generated.operation, slices);
  row.bytes = countBytes(generated.operation.problem);
  row.flops = countFlops(generated.operation.problem);
  row.target = generated.target;
  row.verification = "Not verified";
  return row;
}

std::string makeTrialKey(const ProfileRow& row) {
  return fmt::format("{} {}", row.provider, row.dispatch);
}

}  // namespace

/// A row that is being completed.
struct Profiler::Entry {
  ProfileRow row;
  store::Trial trial;
  iree::Call call;                          ///< for IREE
  const model::Problem* problem = nullptr;  ///< for the library
  std::vector<double> roundTimesNs;

  [[nodiscard]] bool runs() const { return trial.outcome == Outcome::ok; }
  /// Copies a failure to the row. A library without support for a problem did not fail.
  void showOutcome() {
    if (!runs()) {
      row.verification = row.provider == model::kIreeProvider ? "FAILED" : "Not supported";
      row.message = trial.message;
    }
  }
};

/// A row that is measured in rounds.
struct Profiler::Running {
  Entry* entry = nullptr;
  engine::Participant participant;
};

Result<void> Profiler::record(Entry& entry) {
  store::Trial& trial = entry.trial;
  trial.key = makeTrialKey(entry.row);
  if (const store::Trial* before = log_.find(trial.key)) {
    trial = *before;
    if (!trial.details.row) {
      return userError("trial {}: row has an unknown format", trial.key);
    }
    entry.row = *trial.details.row;
    entry.showOutcome();
    return {};
  }
  entry.showOutcome();
  trial.problem = entry.row.operation;
  trial.config.name = entry.row.configuration;
  trial.details.row = entry.row;
  return log_.add(trial, {});
}

Result<Profiler::Entry> Profiler::verifyOne(const Built& built, const BuiltDispatch& dispatch,
                                            engine::Verifier& verifier,
                                            const engine::Inputs& inputs) {
  Entry entry;
  entry.row = rowFor(built.generated, dispatch.config.splitKSlices);
  entry.row.dispatch = dispatch.name;
  entry.row.provider = model::kIreeProvider;
  entry.row.configuration = dispatch.config.name;
  entry.row.tile = dispatch.config.tile;
  entry.row.coreClass = dispatch.config.coreClass;
  entry.row.instructionClass = dispatch.config.instructionClass;
  entry.row.device = runner_.device().name;
  entry.call = {dispatch.module, dispatch.name, inputs.arguments};
  store::Trial& trial = entry.trial;
  trial.artifact = dispatch.content;
  trial.compileWallNs = dispatch.report.ending.wallNs;
  trial.compileCpuNs = dispatch.report.ending.cpuNs;
  if (dispatch.module.empty()) {
    trial.outcome = iree::toOutcome(dispatch.report.status);
    trial.message = dispatch.report.message;
    trial.diagnostics = dispatch.report.diagnostics;
  } else if (options_.verify && log_.find(makeTrialKey(entry.row)) == nullptr) {
    const engine::Verification verification = HONE_TRY(verifier.check(entry.call));
    trial.outcome = verification.outcome;
    trial.message = verification.message;
    trial.diagnostics = verification.diagnostics;
    entry.row.verification = verification.outcome == Outcome::ok ? "SUCCESS" : "FAILED";
  }
  HONE_CHECK(record(entry));
  return entry;
}

Result<Profiler::Entry> Profiler::libraryEntry(const Built& built) {
  Entry entry;
  entry.row = rowFor(built.generated, 0);
  entry.row.dispatch = built.generated.operation.name();
  entry.row.provider = kLibrary;
  entry.row.configuration = "library";
  entry.row.tile = entry.row.coreClass = entry.row.instructionClass = "N/A";
  entry.row.device = fmt::format("{} threads", countThreads(runner_.device()));
  entry.problem = &built.generated.operation.problem;
  HONE_CHECK(record(entry));
  return entry;
}

Result<engine::Participant> Profiler::makeParticipant(const Entry& entry) const {
  if (entry.problem == nullptr) {
    const engine::Pace pace = HONE_TRY(sampler_.paceFor(entry.call));
    return callParticipant(entry.trial.id, sampler_, entry.call, pace);
  }
  const LibraryTimings probe =
      HONE_TRY(library_.time(*entry.problem, countThreads(runner_.device()), 1, 3));
  if (probe.status != LibraryTimings::Status::ok) {
    return userError("{}", probe.message);
  }
  const engine::Pace pace =
      engine::choosePace(*std::min_element(probe.times.wallNs.begin(), probe.times.wallNs.end()));
  return engine::Participant{
      entry.trial.id,
      [this, problem = *entry.problem,
       pace](const engine::TimeSlot& slot) -> Result<engine::Measurement> {
        const LibraryTimings timings = HONE_TRY(library_.time(
            problem, countThreads(runner_.device()), pace.iterations, pace.repetitions));
        engine::Measurement measurement;
        if (timings.status != LibraryTimings::Status::ok) {
          measurement.outcome = Outcome::runFailed;
          measurement.message = timings.message;
        }
        for (std::size_t i = 0; i < timings.times.wallNs.size(); ++i) {
          measurement.samples.push_back({slot.stage, slot.round, slot.position,
                                         static_cast<std::int64_t>(i), timings.times.wallNs[i],
                                         timings.times.cpuNs[i], pace.iterations});
        }
        return measurement;
      }};
}

Result<std::vector<Profiler::Running>> Profiler::admitRunnable(std::vector<Entry>& entries) {
  std::vector<Running> running;
  for (Entry& entry : entries) {
    if (!entry.runs()) {
      continue;
    }
    auto participant = makeParticipant(entry);
    if (participant) {
      running.push_back({&entry, std::move(*participant)});
      continue;
    }
    if (participant.error().fault != Fault::user) {
      return std::unexpected(participant.error());
    }
    entry.trial.outcome = Outcome::runFailed;
    entry.trial.message = participant.error().message;
    HONE_CHECK(log_.setOutcome(entry.trial.id, entry.trial.outcome, entry.trial.message));
    entry.showOutcome();
  }
  return running;
}

void Profiler::recordFailure(Entry& entry) const {
  if (const store::Trial* trial = log_.find(entry.trial.id)) {
    entry.trial = *trial;
  }
  entry.showOutcome();
}

Result<void> Profiler::measure(std::vector<Entry>& entries) {
  std::vector<Running> running = HONE_TRY(admitRunnable(entries));
  std::vector<engine::Participant> participants;
  for (Running& one : running) {
    participants.push_back(std::move(one.participant));
  }
  engine::PrecisionOptions options;
  options.minRounds = options_.fewestRounds;
  options.maxRounds = options_.mostRounds;
  options.precision = options_.precision;
  options.seed = options_.seed;
  engine::Rounds rounds(sampler_.rankBy(), log_, Stage::final);
  engine::PrecisionPolicy policy(participants.size(), options);
  HONE_CHECK(engine::runRounds(rounds, participants, policy));
  auto times = policy.take();
  for (std::size_t i = 0; i < running.size(); ++i) {
    running[i].entry->roundTimesNs = std::move(times[i]);
    if (running[i].entry->roundTimesNs.empty()) {
      recordFailure(*running[i].entry);
    }
  }
  return {};
}

Result<std::vector<ProfileRow>> Profiler::profile(const Built& built,
                                                  const std::optional<Roofline>& roofline) {
  const auto lock = HONE_TRY(engine::MachineLock::forMeasuring());
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-profile"));
  // All functions of an operation have the same signature.
  const engine::Program program =
      engine::makeProgram(built.generated.operation.problem, built.generated.file(".mlir"), {});
  const engine::Inputs inputs =
      HONE_TRY(engine::makeInputs(program, {}, options_.seed, scratch.path()));
  engine::Verifier verifier(runner_, program, inputs, scratch.path());
  std::vector<Entry> entries;
  if (options_.iree) {
    for (const BuiltDispatch& dispatch : built.dispatches) {
      entries.push_back(HONE_TRY(verifyOne(built, dispatch, verifier, inputs)));
    }
  }
  if (options_.library) {
    entries.push_back(HONE_TRY(libraryEntry(built)));
  }
  referenceCpuNs_ += verifier.referenceCpuNs();
  if (options_.measure) {
    HONE_CHECK(measure(entries));
  }
  std::vector<ProfileRow> rows;
  for (Entry& entry : entries) {
    if (!entry.roundTimesNs.empty()) {
      const auto interval = stats::bootstrapMedian(entry.roundTimesNs, 0.95, options_.seed);
      entry.row.lowNs = interval.low;
      entry.row.timeNs = interval.estimate;
      entry.row.highNs = interval.high;
      entry.row.rounds = static_cast<std::int64_t>(entry.roundTimesNs.size());
    }
    if (roofline) {
      entry.row.attainableGflops = attainable(*roofline, entry.row.flops, entry.row.bytes);
    }
    rows.push_back(std::move(entry.row));
  }
  return rows;
}

}  // namespace hone::profile

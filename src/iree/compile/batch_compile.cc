#include "iree/compile/batch_compile.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "iree/compile/job/job_wire.h"
#include "iree/compile/resolve_roots.h"
#include "iree/module/module_variants.h"

namespace hone::iree {
namespace {

constexpr std::string_view kModuleEnding = CompileModuleJob::kFile;
/// The extension of VariantPlace entries.
constexpr std::string_view kVariantEnding = "variant";
/// The extension of files with Compiled::ignored; there is no file if it is empty.
constexpr std::string_view kIgnoredEnding = "ignored";
/// Larger batches save little and lose more if one member fails.
constexpr std::size_t kMaxBatchSize = 8;

/// Creates the report of a candidate whose config does not fit the program.
CompileReport reportMisfit(const Error& error) {
  CompileReport report;
  report.status = CompileReport::Status::noMatch;
  report.message = error.message;
  return report;
}

/// Reads and removes a job's reply; returns an empty one if the job failed before replying.
ConfiguredCode takeReply(const CompileJob& job) {
  const std::filesystem::path file = replyPath(job.output);
  const auto bytes = readFile(file);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return bytes ? decode<ConfiguredCode>(*bytes).value_or(ConfiguredCode{}) : ConfiguredCode{};
}

bool isOverdue(const CompileRequest& request) {
  return request.deadlineNs > 0 && nowNs() >= request.deadlineNs;
}

Compiled overdue() {
  Compiled compiled;
  compiled.report.status = CompileReport::Status::timedOut;
  compiled.report.message = kOutOfTime;
  return compiled;
}

std::string ignoredIn(const ConfiguredCode& code, std::size_t variant) {
  return variant < code.ignored.size() ? code.ignored[variant] : "";
}

}  // namespace

void BatchCompiler::setResult(std::size_t index, Compiled compiled) {
  results_[index] = std::move(compiled);
  if (onDone_) {
    onDone_(index, results_[index]);
  }
}

Result<BatchCompiler::Member> BatchCompiler::memberFor(std::size_t index,
                                                       const CompileRequest& request) {
  Member member;
  member.request = index;
  JobSource source = jobSource(request);
  const bool shares = request.route != CompileRequest::Route::whole || !request.attributes.empty();
  if (shares && request.from != kPhaseExecutableSources) {
    auto lowered = HONE_TRY(jobs_.run(source, LowerModuleJob{.to = kPhaseExecutableSources}));
    if (!lowered.report.ok()) {
      member.failed = std::move(lowered.report);
      return member;
    }
    source.hash = HONE_TRY(hashFile(lowered.file));
    source.file = std::move(lowered.file);
    source.from = kPhaseExecutableSources;
    source.verifyIr = false;
  }
  member.attributes = HONE_TRY(resolveRoots(jobs_, request));
  member.job.source = std::move(source.file);
  member.job.flags = std::move(source.flags);
  member.job.from = std::move(source.from);
  // IR of a later phase was verified when it was described.
  member.job.verifyIr = source.verifyIr && source.from == kPhaseStart;
  member.job.limits = jobs_.limits();
  member.job.limits.wall =
      std::min(member.job.limits.wall, request.wallLimit.value_or(member.job.limits.wall));
  member.job.deadlineNs = request.deadlineNs;
  if (!member.attributes.empty()) {
    member.job.request = CompileConfiguredJob{.attributes = member.attributes};
  }
  member.key = jobs_.computeKey(member.job, source.hash);
  if (request.route == CompileRequest::Route::batched) {
    member.function = request.function;
  }
  return member;
}

Result<BatchCompiler::Task> BatchCompiler::taskFor(std::vector<Member> members) const {
  Task task;
  task.job = members.front().job;
  task.key = members.front().key;
  if (!members.front().function.empty()) {
    Hasher hasher;
    hasher.field("batch");
    CompileVariantsJob request;
    task.job.limits.wall *= static_cast<std::int64_t>(members.size());
    for (const Member& member : members) {
      // Members without a deadline are retried separately if the batch exceeds it.
      if (member.job.deadlineNs > 0) {
        task.job.deadlineNs = member.job.deadlineNs;
      }
      request.variants.push_back(member.attributes);
      hasher.field(member.key);
    }
    task.job.request = std::move(request);
    task.key = hasher.hex();
  }
  const auto temporary = HONE_TRY(artifacts().temporaryPath(task.key, kModuleEnding));
  task.job.output = fmt::format("{}.{}", temporary.string(), members[0].request);
  task.members = std::move(members);
  return task;
}

Result<BatchCompiler::Task> BatchCompiler::taskFor(Member member) const {
  std::vector<Member> alone;
  alone.push_back(std::move(member));
  return taskFor(std::move(alone));
}

Result<std::vector<BatchCompiler::Task>> BatchCompiler::tasksFor(std::vector<Member> members) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<Member>> groups;
  std::vector<Task> tasks;
  for (Member& member : members) {
    if (member.function.empty()) {
      tasks.push_back(HONE_TRY(taskFor(std::move(member))));
    } else {
      groups[{member.job.source.string(), member.job.flags}].push_back(std::move(member));
    }
  }
  const std::size_t workers = jobs_.pool().workers();
  for (auto& [source, group] : groups) {
    const std::size_t share = (group.size() + workers - 1) / workers;
    const std::size_t batches = (share + kMaxBatchSize - 1) / kMaxBatchSize;
    const std::size_t size = (share + batches - 1) / batches;
    for (std::size_t at = 0; at < group.size(); at += size) {
      const auto first = group.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last =
          group.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, group.size()));
      tasks.push_back(HONE_TRY(taskFor(std::vector<Member>(first, last))));
    }
  }
  for (Task& task : tasks) {
    task.job.threads = tasks.size() < workers;
  }
  return tasks;
}

Result<std::optional<Compiled>> BatchCompiler::findCached(const Member& member) const {
  Compiled compiled;
  compiled.cached = true;
  if (member.function.empty()) {
    if (!artifacts().has(member.key, kModuleEnding) ||
        artifacts().isDamaged(member.key, kIgnoredEnding)) {
      return std::nullopt;
    }
    compiled.module = artifacts().pathFor(member.key, kModuleEnding);
    compiled.content = HONE_TRY(hashFile(compiled.module));
    if (artifacts().has(member.key, kIgnoredEnding)) {
      compiled.ignored = HONE_TRY(readFile(artifacts().pathFor(member.key, kIgnoredEnding)));
    }
    return compiled;
  }
  if (!artifacts().has(member.key, kVariantEnding)) {
    return std::nullopt;
  }
  const std::string bytes = HONE_TRY(readFile(artifacts().pathFor(member.key, kVariantEnding)));
  auto place = decode<VariantPlace>(bytes);
  if (!place || !artifacts().has(place->module, kModuleEnding)) {
    return std::nullopt;  // the batch's module was deleted
  }
  compiled.module = artifacts().pathFor(place->module, kModuleEnding);
  compiled.function = std::move(place->function);
  compiled.content = std::move(place->content);
  compiled.ignored = std::move(place->ignored);
  return compiled;
}

Result<Compiled> BatchCompiler::finishModule(const Task& task, const CompileReport& report) const {
  Compiled compiled;
  compiled.report = report;
  compiled.module = HONE_TRY(artifacts().keep(task.job.output, task.key, kModuleEnding));
  compiled.content = HONE_TRY(hashFile(compiled.module));
  return compiled;
}

Result<void> BatchCompiler::keepText(const std::string& key, std::string_view ending,
                                     const std::string& text) const {
  const auto temporary = HONE_TRY(artifacts().temporaryPath(key, ending));
  HONE_CHECK(writeScratchFile(temporary, text));
  HONE_CHECK(artifacts().keep(temporary, key, ending));
  return {};
}

Result<std::vector<Compiled>> BatchCompiler::finish(const Task& task,
                                                    const CompileReport& report) const {
  const ConfiguredCode code = takeReply(task.job);
  if (!report.ok()) {
    std::error_code ignored;
    std::filesystem::remove(task.job.output, ignored);
    const Compiled failed{report, {}, {}, {}, false, ignoredIn(code, 0)};
    return std::vector<Compiled>(task.members.size(), failed);
  }
  if (!std::holds_alternative<CompileVariantsJob>(task.job.request)) {
    const std::string ignored = ignoredIn(code, 0);
    if (!ignored.empty()) {
      HONE_CHECK(keepText(task.key, kIgnoredEnding, ignored));
    }
    Compiled alone = HONE_TRY(finishModule(task, report));
    alone.ignored = ignored;
    return std::vector<Compiled>{std::move(alone)};
  }
  if (code.contents.size() != task.members.size()) {
    return machineError(
        "internal error: expected {} programs in a batch, got {} (please report it)",
        task.members.size(), code.contents.size());
  }
  Compiled whole = HONE_TRY(finishModule(task, report));
  // The cost of individual members is unknown: each gets an equal share.
  const auto share = static_cast<std::int64_t>(task.members.size());
  whole.report.ending.cpuNs /= share;
  whole.report.ending.wallNs /= share;
  std::vector<Compiled> compiled;
  for (std::size_t v = 0; v < task.members.size(); ++v) {
    const Member& member = task.members[v];
    Compiled one = whole;
    one.function = variantName(member.function, v);
    one.content = code.contents[v];
    one.ignored = ignoredIn(code, v);
    const VariantPlace place{.module = task.key,
                             .function = one.function,
                             .content = one.content,
                             .ignored = one.ignored};
    HONE_CHECK(keepText(member.key, kVariantEnding, encode(place)));
    compiled.push_back(std::move(one));
  }
  return compiled;
}

void BatchCompiler::submit(Task task) {
  const std::uint64_t id = jobs_.pool().submit(task.job);
  running_.emplace(id, std::move(task));
}

Result<void> BatchCompiler::retrySeparately(Task task, CompileReport::Status status) {
  (void)takeReply(task.job);
  for (Member& member : task.members) {
    if (status == CompileReport::Status::noVariants) {
      member.function.clear();
    }
    if (auto cached = HONE_TRY(findCached(member))) {
      setResult(member.request, std::move(*cached));
    } else {
      submit(HONE_TRY(taskFor(std::move(member))));
    }
  }
  return {};
}

Result<void> BatchCompiler::handleReport(const CompileReport& report) {
  Task task = std::move(running_.extract(report.id).mapped());
  const bool noVariants = report.status == CompileReport::Status::noVariants;
  if (!report.ok() && (task.members.size() > 1 || noVariants)) {
    // One member made the whole batch fail, or the program cannot be cloned.
    return retrySeparately(std::move(task), report.status);
  }
  if (report.ending.how == Ending::How::signalled && !task.job.verifyIr) {
    // Without the verifier, invalid IR crashes the compiler. Retry with it to get a diagnostic.
    task.job.verifyIr = true;
    submit(std::move(task));
    return {};
  }
  auto compiled = HONE_TRY(finish(task, report));
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    setResult(task.members[i].request, std::move(compiled[i]));
  }
  return {};
}

Result<std::vector<Compiled>> BatchCompiler::compileAll(std::span<const CompileRequest> requests) {
  results_.resize(requests.size());
  std::vector<Member> members;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (isOverdue(requests[i])) {
      setResult(i, overdue());
      continue;
    }
    auto member = memberFor(i, requests[i]);
    if (!member && member.error().fault != Fault::user) {
      return std::unexpected(member.error());
    }
    if ((!member || member->failed) && isOverdue(requests[i])) {
      setResult(i, overdue());
    } else if (!member || member->failed) {
      setResult(
          i, Compiled{member ? *member->failed : reportMisfit(member.error()), {}, {}, {}, false});
    } else if (auto cached = HONE_TRY(findCached(*member)); cached && !requests[i].fresh) {
      setResult(i, std::move(*cached));
    } else {
      members.push_back(std::move(*member));
    }
  }
  const Activity compiling(
      members.size() == 1
          ? fmt::format("compiling {}", requests[members.front().request].displayName())
          : fmt::format("compiling {} candidates", members.size()));
  for (Task& task : HONE_TRY(tasksFor(std::move(members)))) {
    submit(std::move(task));
  }
  while (jobs_.pool().pending() > 0) {
    const CompileReport report = HONE_TRY(jobs_.pool().next());
    HONE_CHECK(handleReport(report));
  }
  return std::move(results_);
}

}  // namespace hone::iree

#include "iree/compile/cache/job_cache.h"

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "iree/compile/cache/flag_files.h"

namespace hone::iree {
namespace {

constexpr std::string_view kReplyEnding = "reply";

/// Returns the number of copies of its program that a job compiles.
std::int64_t countCopies(const JobRequest& request) {
  const auto* splits = std::get_if<CompileSplitsJob>(&request);
  return splits == nullptr
             ? 1
             : static_cast<std::int64_t>(std::max<std::size_t>(1, splits->choices.size()));
}

}  // namespace

std::string JobCache::computeKey(const CompileJob& job, const std::string& sourceHash) const {
  Hasher hasher;
  hasher.field(kWireVersion).field(pool_.revision()).field(sourceHash).field(job.from);
  for (const std::string& flag : job.flags) {
    addFlag(hasher.field("flag"), flag);
  }
  return hasher.field("request").field(encode(job.request)).hex();
}

CompileJob JobCache::jobFor(const JobSource& source, JobRequest request) const {
  CompileJob job;
  job.source = source.file;
  job.from = source.from;
  job.flags = source.flags;
  job.verifyIr = source.verifyIr;
  job.limits = limits_;
  job.deadlineNs = source.deadlineNs;
  job.limits.wall *= countCopies(request);
  job.request = std::move(request);
  return job;
}

std::optional<JobCache::Produced> JobCache::findCached(const Work& work) const {
  if ((!work.ending.empty() && !artifacts_.has(work.key, work.ending)) ||
      (work.replies && !artifacts_.has(work.key, kReplyEnding))) {
    return std::nullopt;
  }
  Produced produced;
  if (!work.ending.empty()) {
    produced.file = artifacts_.pathFor(work.key, work.ending);
  }
  if (work.replies) {
    produced.reply = artifacts_.pathFor(work.key, kReplyEnding);
  }
  return produced;
}

Result<JobCache::Produced> JobCache::keep(const Work& work, CompileReport report) const {
  Produced produced;
  produced.report = std::move(report);
  const std::filesystem::path reply = replyPath(work.job.output);
  if (!produced.report.ok()) {
    std::error_code ignored;
    std::filesystem::remove(reply, ignored);
    return produced;
  }
  if (work.replies) {
    produced.reply = HONE_TRY(artifacts_.keep(reply, work.key, kReplyEnding));
  }
  if (!work.ending.empty()) {
    produced.file = HONE_TRY(artifacts_.keep(work.job.output, work.key, work.ending));
  }
  return produced;
}

Result<std::vector<JobCache::Produced>> JobCache::produceAll(std::span<Work> works) {
  std::vector<Produced> produced(works.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (auto cached = findCached(works[i])) {
      produced[i] = std::move(*cached);
    } else {
      missing.push_back(i);
    }
  }
  std::map<std::uint64_t, std::size_t> running;  // job id -> index in `works`
  for (const std::size_t i : missing) {
    Work& work = works[i];
    const auto temporary = HONE_TRY(
        artifacts_.temporaryPath(work.key, work.ending.empty() ? kReplyEnding : work.ending));
    work.job.output = fmt::format("{}.{}", temporary.string(), i);
    work.job.threads = missing.size() < pool_.workers();
    running.emplace(pool_.submit(work.job), i);
  }
  while (pool_.pending() > 0) {
    CompileReport report = HONE_TRY(pool_.next());
    const std::size_t done = running.extract(report.id).mapped();
    produced[done] = HONE_TRY(keep(works[done], std::move(report)));
  }
  return produced;
}

}  // namespace hone::iree

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "iree/compile/cache/artifact_cache.h"
#include "iree/compile/job/job_wire.h"
#include "iree/compile/server/compile_pool.h"

namespace hone::iree {

/// The program that a job works on.
struct JobSource {
  std::filesystem::path file;
  std::string hash;  ///< of its content and of other files that the job reads outside of flags
  std::vector<std::string> flags;
  std::string from = kPhaseStart;
  bool verifyIr = true;
  std::int64_t deadlineNs = 0;  ///< monotonic; 0: none
};

/// A job to run on a source.
template <typename Job>
struct JobOrder {
  JobSource source;
  Job job;
};

/// The result of a job.
template <typename Job>
struct JobAnswer {
  CompileReport report;        ///< ok, or the reason why the other members are empty
  std::filesystem::path file;  ///< in the cache; "" if the job writes no file
  Job::Reply reply;
};

/// Runs jobs in the pool and caches their files and replies: no successful job runs twice. A failed
/// job is reported in the value; a Result's error is an interrupt or a machine error.
class JobCache {
 public:
  JobCache(CompilePool pool, ArtifactCache artifacts, Limits limits)
      : pool_(std::move(pool)), artifacts_(std::move(artifacts)), limits_(limits) {}

  [[nodiscard]] CompilePool& pool() { return pool_; }
  [[nodiscard]] const CompilePool& pool() const { return pool_; }
  [[nodiscard]] const ArtifactCache& artifacts() const { return artifacts_; }
  /// Returns the limits per program; a job that compiles several copies may take longer.
  [[nodiscard]] const Limits& limits() const { return limits_; }

  /// Returns the cache key of a job. Ignores its output, limits and threads.
  [[nodiscard]] std::string computeKey(const CompileJob& job, const std::string& sourceHash) const;

  /// Runs all orders, several at a time. Returns the answers in the same order.
  template <typename Job>
  [[nodiscard]] Result<std::vector<JobAnswer<Job>>> runAll(
      const std::vector<JobOrder<Job>>& orders);
  template <typename Job>
  [[nodiscard]] Result<JobAnswer<Job>> run(JobSource source, Job job);
  /// Runs a job and returns its reply. Fails with a user error that quotes the compiler if the job
  /// fails.
  template <typename Job>
  [[nodiscard]] Result<typename Job::Reply> ask(JobSource source, Job job);

 private:
  /// A job with the keys of its artifacts.
  struct Work {
    CompileJob job;
    std::string key;
    std::string_view ending;  ///< of its file; "" if it writes none
    bool replies = false;
  };
  struct Produced {
    CompileReport report;
    std::filesystem::path file;
    std::filesystem::path reply;
  };
  [[nodiscard]] CompileJob jobFor(const JobSource& source, JobRequest request) const;
  [[nodiscard]] Result<std::vector<Produced>> produceAll(std::span<Work> works);
  [[nodiscard]] std::optional<Produced> findCached(const Work& work) const;
  [[nodiscard]] Result<Produced> keep(const Work& work, CompileReport report) const;

  CompilePool pool_;
  ArtifactCache artifacts_;
  Limits limits_;
};

template <typename Job>
Result<std::vector<JobAnswer<Job>>> JobCache::runAll(const std::vector<JobOrder<Job>>& orders) {
  constexpr bool kReplies = !std::is_same_v<typename Job::Reply, NoReply>;
  std::vector<Work> works;
  for (const JobOrder<Job>& order : orders) {
    CompileJob job = jobFor(order.source, order.job);
    std::string key = computeKey(job, order.source.hash);
    works.push_back({std::move(job), std::move(key), Job::kFile, kReplies});
  }
  std::vector<JobAnswer<Job>> answers;
  for (Produced& produced : HONE_TRY(produceAll(works))) {
    JobAnswer<Job> answer{std::move(produced.report), std::move(produced.file), {}};
    if constexpr (kReplies) {
      if (answer.report.ok()) {
        const std::string bytes = HONE_TRY(readFile(produced.reply));
        auto reply = decode<typename Job::Reply>(bytes);
        if (!reply) {
          return within(produced.reply.string(), std::move(reply).error());
        }
        answer.reply = *std::move(reply);
      }
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

template <typename Job>
Result<JobAnswer<Job>> JobCache::run(JobSource source, Job job) {
  std::vector<JobOrder<Job>> orders;
  orders.push_back({std::move(source), std::move(job)});
  return std::move(HONE_TRY(runAll(orders)).front());
}

template <typename Job>
Result<typename Job::Reply> JobCache::ask(JobSource source, Job job) {
  auto answer = HONE_TRY(run(std::move(source), std::move(job)));
  if (!answer.report.ok()) {
    return userError("{}", answer.report.message);
  }
  return std::move(answer.reply);
}

}  // namespace hone::iree

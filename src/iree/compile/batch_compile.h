#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/cache/job_cache.h"
#include "iree/compile/compile_request.h"

namespace hone::iree {

/// Compiles requests to modules. Requests that differ only in attributes share the IR of the phases
/// before configuration; batched requests of one source share a module.
class BatchCompiler {
 public:
  using OnDone = std::function<void(std::size_t index, const Compiled&)>;

  /// Calls `onDone`, if set, as each request finishes, in any order.
  BatchCompiler(JobCache& jobs, const OnDone& onDone) : jobs_(jobs), onDone_(onDone) {}

  /// Compiles all requests, several at a time. Must be called only once.
  [[nodiscard]] Result<std::vector<Compiled>> compileAll(std::span<const CompileRequest> requests);

 private:
  /// A request being compiled.
  struct Member {
    std::size_t request = 0;
    std::string key;
    std::string function;                        ///< "" to compile to a separate module
    std::vector<model::OpAttribute> attributes;  ///< with resolved operations
    CompileJob job;                              ///< for a separate module
    std::optional<CompileReport> failed;         ///< set if the shared IR did not compile
  };
  /// A job of the pool with the requests that it serves.
  struct Task {
    std::vector<Member> members;
    std::string key;
    CompileJob job;
  };
  [[nodiscard]] const ArtifactCache& artifacts() const { return jobs_.artifacts(); }

  /// Creates the job of a single request, from the shared IR if its route says so.
  [[nodiscard]] Result<Member> memberFor(std::size_t index, const CompileRequest& request);
  /// Creates the jobs of all members, batching members with the same source and flags.
  [[nodiscard]] Result<std::vector<Task>> tasksFor(std::vector<Member> members);
  [[nodiscard]] Result<Task> taskFor(std::vector<Member> members) const;
  [[nodiscard]] Result<Task> taskFor(Member member) const;

  void submit(Task task);
  /// Handles the report of a finished task: finishes its requests or submits them again.
  [[nodiscard]] Result<void> handleReport(const CompileReport& report);
  /// Compiles the members of a failed batch one by one.
  [[nodiscard]] Result<void> retrySeparately(Task task, CompileReport::Status status);

  /// Returns the code of a member if the cache has it.
  [[nodiscard]] Result<std::optional<Compiled>> findCached(const Member& member) const;
  [[nodiscard]] Result<std::vector<Compiled>> finish(const Task& task,
                                                     const CompileReport& report) const;
  [[nodiscard]] Result<Compiled> finishModule(const Task& task, const CompileReport& report) const;
  [[nodiscard]] Result<void> keepText(const std::string& key, std::string_view ending,
                                      const std::string& text) const;
  void setResult(std::size_t index, Compiled compiled);

  JobCache& jobs_;
  const OnDone& onDone_;
  std::vector<Compiled> results_;
  std::map<std::uint64_t, Task> running_;
};

}  // namespace hone::iree

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/batch_compile.h"
#include "iree/compile/cache/artifact_cache.h"
#include "iree/compile/cache/job_cache.h"
#include "iree/compile/compile_request.h"
#include "iree/compile/server/compile_pool.h"
#include "iree/compile/toolchain/installation.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// Compiles with the pool and the cache; never compiles the same request twice.
class Compiler {
 public:
  Compiler(CompilePool pool, ArtifactCache cache, Limits limits)
      : jobs_(std::move(pool), std::move(cache), limits) {}

  [[nodiscard]] const std::string& revision() const { return jobs_.pool().revision(); }
  /// See CompilePool.
  [[nodiscard]] std::int64_t forkServerCpuNs() const { return jobs_.pool().forkServerCpuNs(); }
  [[nodiscard]] JobCache& jobs() { return jobs_; }
  /// Returns the installation that the compiler library belongs to.
  [[nodiscard]] Installation installation() const { return installationAt(jobs_.pool().library()); }

  /// Compiles all requests, several at a time. Calls `onDone`, if set, as each finishes, in any
  /// order. Failed requests are reported in the values; the error is an interrupt or a machine
  /// error.
  using OnDone = BatchCompiler::OnDone;
  [[nodiscard]] Result<std::vector<Compiled>> compileAll(std::span<const CompileRequest> requests,
                                                         const OnDone& onDone);

  /// Describes the functions of a module. Fails with a user error that names the line if the source
  /// does not parse.
  [[nodiscard]] Result<ModuleDescription> describe(const CompileRequest& request);
  /// Lists the problems of a module's operations, see problemsIn(). Fails like describe().
  [[nodiscard]] Result<std::vector<model::Problem>> problems(const CompileRequest& request);

  /// Runs a job on the source of a request and returns its reply, see JobCache::ask().
  template <typename Job>
  [[nodiscard]] Result<typename Job::Reply> ask(const CompileRequest& request, Job job) {
    return jobs_.ask(jobSource(request), std::move(job));
  }

 private:
  JobCache jobs_;
};

}  // namespace hone::iree

#include "iree/compile/compiler.h"

namespace hone::iree {
namespace {

/// Runs a job that only parses.
template <typename Job>
Result<typename Job::Reply> parse(JobCache& jobs, const CompileRequest& request, Job job) {
  auto answer = HONE_TRY(jobs.run(jobSource(request), std::move(job)));
  const std::string file = request.displayName();
  switch (answer.report.status) {
    case CompileReport::Status::ok:
      return std::move(answer.reply);
    case CompileReport::Status::badFlag:
      return userError("invalid compiler flags: {}", answer.report.message);
    case CompileReport::Status::badSource:
      return userError("cannot parse {}: {}", file, answer.report.message);
    default:
      return userError("cannot read {}: {}", file, answer.report.message);
  }
}

}  // namespace

Result<std::vector<Compiled>> Compiler::compileAll(std::span<const CompileRequest> requests,
                                                   const OnDone& onDone) {
  return BatchCompiler(jobs_, onDone).compileAll(requests);
}

Result<ModuleDescription> Compiler::describe(const CompileRequest& request) {
  return parse(jobs_, request, DescribeModuleJob{});
}

Result<std::vector<model::Problem>> Compiler::problems(const CompileRequest& request) {
  return parse(jobs_, request, ListProblemsJob{});
}

}  // namespace hone::iree

#include "iree/compiler.h"

#include <algorithm>
#include <regex>

#include "base/file.h"
#include "base/hash.h"
#include "iree/diagnostics.h"

namespace hone::iree {
namespace {

constexpr std::string_view kModule = "vmfb";
constexpr std::string_view kIr = "mlirbc";
constexpr std::string_view kJson = "json";

/// An attribute's text with everything that is special in a regular expression escaped.
std::string literalPattern(const std::string& name) {
  static const std::regex kSpecial(R"([.^$|()\[\]{}*+?\\])");
  return "^" + std::regex_replace(name, kSpecial, R"(\$&)") + "$";
}

/// What a config says of dispatches, compiled; a slip in it is the user's.
Result<std::regex> dispatchPattern(const std::string& text) {
  try {
    return std::regex(text, std::regex::nosubs);
  } catch (const std::regex_error& error) {
    return userError("'dispatch' is not a regular expression: {} ({})", text, error.what());
  }
}

/// A config that does not fit the program, as the report of its candidate.
CompileReport misfit(const Error& error) {
  CompileReport report;
  report.status = CompileReport::Status::noMatch;
  report.message = error.message;
  return report;
}

}  // namespace

std::string Compiler::keyOf(const CompileJob& job, const std::string& sourceHash) const {
  Hasher hasher;
  hasher.field(pool_.revision())
      .field(sourceHash)
      .field(std::to_string(static_cast<int>(job.kind)));
  hasher.field(job.from).field(job.to);
  for (const std::string& flag : job.flags) {
    hasher.field("flag").field(flag);
  }
  for (const model::OpAttribute& attribute : job.attributes) {
    hasher.field("attribute").field(attribute.dispatch).field(attribute.op);
    hasher.field(attribute.name).field(attribute.value);
  }
  return hasher.hex();
}

Result<Compiler::Produced> Compiler::produce(CompileJob job, const std::string& sourceHash,
                                             std::string_view ending) {
  const std::string key = keyOf(job, sourceHash);
  if (cache_.has(key, ending)) {
    return Produced{cache_.pathOf(key, ending), {}};
  }
  job.limits = limits_;
  job.threads = true;
  job.output = HONE_TRY(cache_.beside(key, ending));
  const auto output = job.output;
  Produced produced;
  produced.report = HONE_TRY(pool_.runOne(std::move(job)));
  if (produced.report.status == CompileReport::Status::ok) {
    produced.file = HONE_TRY(cache_.keep(output, key, ending));
  }
  return produced;
}

Result<nlohmann::json> Compiler::produceJson(CompileJob job, const std::string& sourceHash) {
  const Produced produced = HONE_TRY(produce(std::move(job), sourceHash, kJson));
  if (produced.report.status != CompileReport::Status::ok) {
    return userError("{}", produced.report.message);
  }
  return nlohmann::json::parse(HONE_TRY(readFile(produced.file)));
}

Result<nlohmann::json> Compiler::describe(const CompileRequest& request) {
  CompileJob job;
  job.kind = CompileJob::Kind::describe;
  job.source = request.source;
  job.flags = request.flags;
  const Produced produced = HONE_TRY(produce(std::move(job), request.sourceHash, kJson));
  switch (produced.report.status) {
    case CompileReport::Status::ok:
      return nlohmann::json::parse(HONE_TRY(readFile(produced.file)));
    case CompileReport::Status::badFlag:
      return userError("the compiler does not take its flags: {}", produced.report.message);
    case CompileReport::Status::badSource:
      return userError("{} is not a program the compiler reads: {}",
                       request.source.filename().string(), produced.report.message);
    default:
      return userError("{} cannot be read: {}", request.source.filename().string(),
                       produced.report.message);
  }
}

Result<nlohmann::json> Compiler::roots(const CompileRequest& request) {
  CompileJob job;
  job.kind = CompileJob::Kind::roots;
  job.source = request.source;
  job.flags = request.flags;
  job.to = kPhaseExecutableConfigurations;
  return produceJson(std::move(job), request.sourceHash);
}

Result<std::vector<model::OpAttribute>> Compiler::resolveRoots(const CompileRequest& request) {
  std::vector<model::OpAttribute> resolved;
  for (const model::OpAttribute& attribute : request.attributes) {
    const std::regex dispatch = HONE_TRY(dispatchPattern(attribute.dispatch));
    if (!attribute.op.empty()) {
      resolved.push_back(attribute);
      continue;
    }
    const nlohmann::json found = HONE_TRY(roots(request));
    bool any = false;
    for (const nlohmann::json& root : found) {
      const auto name = root.at("dispatch").get<std::string>();
      if (std::regex_search(name, dispatch)) {
        resolved.push_back({literalPattern(name), root.at("op"), attribute.name, attribute.value});
        any = true;
      }
    }
    if (!any) {
      return userError("no dispatch with a root operation matches '{}'", attribute.dispatch);
    }
  }
  return resolved;
}

Result<Compiler::Task> Compiler::taskFor(std::size_t index, const CompileRequest& request) {
  Task task;
  task.request = index;
  task.job.source = request.source;
  task.job.flags = request.flags;
  std::string sourceHash = request.sourceHash;
  if (request.sharesEarlyPhases || !request.attributes.empty()) {
    CompileJob early;
    early.source = request.source;
    early.flags = request.flags;
    early.to = kPhaseExecutableSources;
    Produced produced = HONE_TRY(produce(std::move(early), request.sourceHash, kIr));
    if (produced.report.status != CompileReport::Status::ok) {
      task.failed = std::move(produced.report);
      return task;
    }
    task.job.attributes = HONE_TRY(resolveRoots(request));
    task.job.source = std::move(produced.file);
    task.job.from = kPhaseExecutableSources;
    task.job.verifyIr = false;
    sourceHash = HONE_TRY(hashOfFile(task.job.source));
  }
  task.job.limits = limits_;
  task.key = keyOf(task.job, sourceHash);
  return task;
}

Result<Compiled> Compiler::finish(const Task& task, CompileReport report, bool cached) {
  Compiled compiled;
  compiled.report = std::move(report);
  compiled.cached = cached;
  if (compiled.report.status != CompileReport::Status::ok) {
    std::error_code ignored;
    std::filesystem::remove(task.job.output, ignored);
    return compiled;
  }
  compiled.module = cached ? cache_.pathOf(task.key, kModule)
                           : HONE_TRY(cache_.keep(task.job.output, task.key, kModule));
  compiled.content = HONE_TRY(hashOfFile(compiled.module));
  return compiled;
}

Result<std::vector<Compiled>> Compiler::compileAll(std::span<const CompileRequest> requests,
                                                   const OnDone& onDone) {
  std::vector<Compiled> results(requests.size());
  std::map<std::uint64_t, Task> tasks;
  std::vector<Task> ready;
  const auto done = [&](std::size_t index, Compiled compiled) {
    results[index] = std::move(compiled);
    if (onDone) {
      onDone(index, results[index]);
    }
  };
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto task = taskFor(i, requests[i]);
    if (!task && task.error().fault != Fault::user) {
      return std::unexpected(task.error());
    }
    if (!task || task->failed) {
      done(i, Compiled{task ? *task->failed : misfit(task.error()), {}, {}, false});
    } else if (cache_.has(task->key, kModule)) {
      done(i, HONE_TRY(finish(*task, {}, true)));
    } else {
      ready.push_back(std::move(*task));
    }
  }
  for (Task& task : ready) {
    task.job.threads = ready.size() < pool_.workers();
    task.job.output =
        fmt::format("{}.{}", HONE_TRY(cache_.beside(task.key, kModule)).string(), task.request);
    const std::uint64_t id = pool_.submit(task.job);
    tasks.emplace(id, std::move(task));
  }
  while (pool_.pending() > 0) {
    CompileReport report = HONE_TRY(pool_.next());
    Task task = std::move(tasks.extract(report.id).mapped());
    if (report.ending.how == Ending::How::signalled && !task.job.verifyIr) {
      // Without the verifier bad IR crashes the compiler; with it, the compiler says what is bad.
      task.job.verifyIr = true;
      const std::uint64_t id = pool_.submit(task.job);
      tasks.emplace(id, std::move(task));
      continue;
    }
    done(task.request, HONE_TRY(finish(task, std::move(report), false)));
  }
  return results;
}

}  // namespace hone::iree

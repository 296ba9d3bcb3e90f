#include "iree/compile/compiler.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/regex.h"
#include "iree/compile/diagnostics.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/compile/flag_files.h"
#include "iree/module/module_variants.h"

namespace hone::iree {
namespace {

constexpr std::string_view kModule = "vmfb";
constexpr std::string_view kIr = "mlirbc";
constexpr std::string_view kJson = "json";
/// Where in the module of a batch a request's code is, as JSON.
constexpr std::string_view kVariant = "variant";
/// What the compiler ignored of a request's configurations; there is no such file when nothing.
constexpr std::string_view kIgnored = "ignored";
/// Changes when what jobs write does: the cache outlives a version of hone.
constexpr std::string_view kFormat = "3";
/// More save little, and lose more when one of them fails.
constexpr std::size_t kLargestBatch = 8;

/// Compiles the `dispatch` of a config; returns a user error if it is not a valid regex.
Result<Regex> dispatchPattern(const std::string& text) {
  auto compiled = Regex::compile(text);
  return compiled ? std::move(compiled) : within("dispatch", std::move(compiled).error());
}

/// A config that does not fit the program, as the report of its candidate.
CompileReport misfit(const Error& error) {
  CompileReport report;
  report.status = CompileReport::Status::noMatch;
  report.message = error.message;
  return report;
}

/// What a job wrote of its attributes and variants, and removes it; null when it did not get there.
nlohmann::json takeContents(const CompileJob& job) {
  const std::filesystem::path file = job.output.string() + std::string(kContents);
  const auto text = readFile(file);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
}

std::string ignoredIn(const nlohmann::json& contents, std::size_t variant) {
  if (!contents.is_object() || variant >= contents.at("ignored").size()) {
    return "";
  }
  return contents.at("ignored").at(variant).get<std::string>();
}

}  // namespace

std::string literalPattern(const std::string& name) {
  constexpr std::string_view kSpecial = R"(.^$|()[]{}*+?\)";
  std::string pattern = "^";
  for (const char c : name) {
    pattern += kSpecial.contains(c) ? fmt::format("\\{}", c) : std::string(1, c);
  }
  return pattern + "$";
}

std::string Compiler::keyOf(const CompileJob& job, const std::string& sourceHash) const {
  Hasher hasher;
  hasher.field(kFormat)
      .field(pool_.revision())
      .field(sourceHash)
      .field(std::to_string(static_cast<int>(job.kind)));
  hasher.field(job.from).field(job.to);
  for (const std::string& flag : job.flags) {
    addFlag(hasher.field("flag"), flag);
  }
  for (const model::OpAttribute& attribute : job.attributes) {
    hasher.field("attribute").field(attribute.dispatch).field(attribute.op);
    hasher.field(attribute.name).field(attribute.value);
  }
  for (const SplitSizes& choice : job.splits) {
    hasher.field("split");
    for (const auto& sizes : choice) {
      hasher.field(fmt::format("{}", fmt::join(sizes, " ")));
    }
  }
  for (const KnobAssignment& assignment : job.assignments) {
    hasher.field("assignment").field(std::to_string(assignment.constraints));
    for (const auto& [name, value] : assignment.values) {
      hasher.field(name).field(std::to_string(value));
    }
  }
  return hasher.hex();
}

std::optional<Produced> Compiler::cachedFor(const CompileOrder& order,
                                            const std::string& key) const {
  if (!cache_.has(key, order.ending) ||
      (!order.beside.empty() && !cache_.has(key, order.beside.substr(1)))) {
    return std::nullopt;
  }
  Produced produced;
  produced.file = cache_.pathOf(key, order.ending);
  if (!order.beside.empty()) {
    produced.beside = cache_.pathOf(key, order.beside.substr(1));
  }
  return produced;
}

Result<Produced> Compiler::keep(const CompileOrder& order, const std::string& key,
                                const CompileJob& job, CompileReport report) const {
  Produced produced;
  produced.report = std::move(report);
  if (produced.report.status != CompileReport::Status::ok) {
    return produced;
  }
  if (!order.beside.empty()) {
    produced.beside = HONE_TRY(
        cache_.keep(job.output.string() + std::string(order.beside), key, order.beside.substr(1)));
  }
  produced.file = HONE_TRY(cache_.keep(job.output, key, order.ending));
  return produced;
}

Result<std::vector<Produced>> Compiler::produceAll(std::span<const CompileOrder> orders) {
  struct Running {
    std::size_t index;
    std::string key;
    CompileJob job;
  };
  std::vector<Produced> produced(orders.size());
  std::vector<Running> missing;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    std::string key = keyOf(orders[i].job, orders[i].sourceHash);
    if (auto cached = cachedFor(orders[i], key)) {
      produced[i] = std::move(*cached);
    } else {
      missing.push_back({i, std::move(key), orders[i].job});
    }
  }
  std::map<std::uint64_t, Running> running;
  for (Running& one : missing) {
    const auto beside = HONE_TRY(cache_.beside(one.key, orders[one.index].ending));
    one.job.output = fmt::format("{}.{}", beside.string(), one.index);
    const auto copies = static_cast<std::int64_t>(std::max<std::size_t>(1, one.job.splits.size()));
    one.job.limits = limits_;
    one.job.limits.wall *= copies;
    one.job.threads = missing.size() < pool_.workers();
    const std::uint64_t id = pool_.submit(one.job);
    running.emplace(id, std::move(one));
  }
  while (pool_.pending() > 0) {
    CompileReport report = HONE_TRY(pool_.next());
    const Running done = std::move(running.extract(report.id).mapped());
    produced[done.index] =
        HONE_TRY(keep(orders[done.index], done.key, done.job, std::move(report)));
  }
  return produced;
}

Result<Produced> Compiler::produce(CompileJob job, const std::string& sourceHash,
                                   std::string_view ending) {
  const CompileOrder order{std::move(job), sourceHash, ending};
  return std::move(HONE_TRY(produceAll(std::span(&order, 1))).front());
}

Result<nlohmann::json> Compiler::produceJson(CompileJob::Kind kind, const CompileRequest& request,
                                             const char* to,
                                             std::vector<KnobAssignment> assignments) {
  CompileJob job;
  job.kind = kind;
  job.source = request.source;
  job.flags = request.flags;
  job.from = request.from;
  job.to = to;
  job.assignments = std::move(assignments);
  const Produced produced = HONE_TRY(produce(std::move(job), request.sourceHash, kJson));
  if (produced.report.status != CompileReport::Status::ok) {
    return userError("{}", produced.report.message);
  }
  return nlohmann::json::parse(HONE_TRY(readFile(produced.file)));
}

Result<nlohmann::json> Compiler::read(CompileJob::Kind kind, const CompileRequest& request) {
  CompileJob job;
  job.kind = kind;
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

Result<nlohmann::json> Compiler::describe(const CompileRequest& request) {
  return read(CompileJob::Kind::describe, request);
}

Result<std::vector<model::Problem>> Compiler::problems(const CompileRequest& request) {
  std::vector<model::Problem> problems;
  for (const nlohmann::json& entry : HONE_TRY(read(CompileJob::Kind::problems, request))) {
    problems.push_back(HONE_TRY(model::problemFrom(entry)));
  }
  return problems;
}

Result<nlohmann::json> Compiler::roots(const CompileRequest& request) {
  return produceJson(CompileJob::Kind::roots, request, kPhaseExecutableConfigurations);
}

Result<nlohmann::json> Compiler::dispatches(const CompileRequest& request) {
  return produceJson(CompileJob::Kind::dispatches, request, kPhaseFlow);
}

Result<nlohmann::json> Compiler::constraints(const CompileRequest& request,
                                             std::vector<KnobAssignment> assignments) {
  return produceJson(CompileJob::Kind::constraints, request, kPhaseExecutableConfigurations,
                     std::move(assignments));
}

Result<std::vector<model::OpAttribute>> Compiler::resolveRoots(const CompileRequest& request) {
  std::vector<model::OpAttribute> resolved;
  for (const model::OpAttribute& attribute : request.attributes) {
    const Regex dispatch = HONE_TRY(dispatchPattern(attribute.dispatch));
    if (!attribute.op.empty()) {
      resolved.push_back(attribute);
      continue;
    }
    const std::vector<model::RootOperation> found = HONE_TRY(rootsOf(*this, request));
    bool any = false;
    for (const model::RootOperation& root : found) {
      if (root.op.empty() || !dispatch.matchesPartOf(root.dispatch)) {
        continue;
      }
      if (!root.attachable) {
        return userError(
            "no configuration reaches the root operation of {}: the compiler makes the {} itself",
            root.dispatch, root.op);
      }
      resolved.push_back({literalPattern(root.dispatch),
                          fmt::format("{}#{}", root.op, root.ordinal), attribute.name,
                          attribute.value});
      any = true;
    }
    if (!any) {
      return userError("no dispatch with a root operation matches '{}'", attribute.dispatch);
    }
  }
  return resolved;
}

Result<Compiler::Member> Compiler::memberFor(std::size_t index, const CompileRequest& request) {
  Member member;
  member.request = index;
  member.job.source = request.source;
  member.job.flags = request.flags;
  member.job.from = request.from;
  member.job.limits = limits_;
  member.job.limits.wall = std::min(limits_.wall, request.wallLimit.value_or(limits_.wall));
  std::string sourceHash = request.sourceHash;
  const bool shares = request.route != CompileRequest::Route::whole || !request.attributes.empty();
  if (shares && request.from != kPhaseExecutableSources) {
    CompileJob early = member.job;
    early.to = kPhaseExecutableSources;
    Produced produced = HONE_TRY(produce(std::move(early), request.sourceHash, kIr));
    if (produced.report.status != CompileReport::Status::ok) {
      member.failed = std::move(produced.report);
      return member;
    }
    member.job.source = std::move(produced.file);
    member.job.from = kPhaseExecutableSources;
    member.job.verifyIr = false;
    sourceHash = HONE_TRY(hashOfFile(member.job.source));
  }
  member.job.attributes = HONE_TRY(resolveRoots(request));
  member.key = keyOf(member.job, sourceHash);
  if (request.route == CompileRequest::Route::batched) {
    member.function = request.function;
  }
  return member;
}

Result<std::optional<Compiled>> Compiler::cachedFor(const Member& member) const {
  Compiled compiled;
  compiled.cached = true;
  if (member.function.empty()) {
    if (!cache_.has(member.key, kModule)) {
      return std::nullopt;
    }
    compiled.module = cache_.pathOf(member.key, kModule);
    compiled.content = HONE_TRY(hashOfFile(compiled.module));
    if (cache_.has(member.key, kIgnored)) {
      compiled.ignored = HONE_TRY(readFile(cache_.pathOf(member.key, kIgnored)));
    }
    return compiled;
  }
  if (!cache_.has(member.key, kVariant)) {
    return std::nullopt;
  }
  const auto entry = nlohmann::json::parse(HONE_TRY(readFile(cache_.pathOf(member.key, kVariant))),
                                           nullptr, false);
  if (!entry.is_object() || !cache_.has(entry.value("module", ""), kModule)) {
    return std::nullopt;  // its batch was deleted
  }
  compiled.module = cache_.pathOf(entry.value("module", ""), kModule);
  compiled.function = entry.value("function", "");
  compiled.content = entry.value("content", "");
  compiled.ignored = entry.value("ignored", "");
  return compiled;
}

Result<Compiler::Task> Compiler::taskFor(std::vector<Member> members) const {
  Task task;
  task.job = members.front().job;
  task.key = members.front().key;
  if (!members.front().function.empty()) {
    Hasher hasher;
    hasher.field("batch");
    task.job.attributes.clear();
    task.job.limits.wall *= static_cast<std::int64_t>(members.size());
    for (const Member& member : members) {
      task.job.variants.push_back(member.job.attributes);
      hasher.field(member.key);
    }
    task.key = hasher.hex();
  }
  task.job.output =
      fmt::format("{}.{}", HONE_TRY(cache_.beside(task.key, kModule)).string(), members[0].request);
  task.members = std::move(members);
  return task;
}

Result<std::vector<Compiler::Task>> Compiler::tasksFor(std::vector<Member> members) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::vector<Member>> groups;
  std::vector<Task> tasks;
  for (Member& member : members) {
    if (member.function.empty()) {
      std::vector<Member> alone;
      alone.push_back(std::move(member));
      tasks.push_back(HONE_TRY(taskFor(std::move(alone))));
    } else {
      groups[{member.job.source.string(), member.job.flags}].push_back(std::move(member));
    }
  }
  for (auto& [source, group] : groups) {
    const std::size_t share = (group.size() + pool_.workers() - 1) / pool_.workers();
    const std::size_t batches = (share + kLargestBatch - 1) / kLargestBatch;
    const std::size_t size = (share + batches - 1) / batches;
    for (std::size_t at = 0; at < group.size(); at += size) {
      const auto first = group.begin() + static_cast<std::ptrdiff_t>(at);
      const auto last =
          group.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, group.size()));
      tasks.push_back(HONE_TRY(taskFor({first, last})));
    }
  }
  for (Task& task : tasks) {
    task.job.threads = tasks.size() < pool_.workers();
  }
  return tasks;
}

Result<Compiled> Compiler::finishAlone(const Task& task, const CompileReport& report) const {
  Compiled compiled;
  compiled.report = report;
  compiled.module = HONE_TRY(cache_.keep(task.job.output, task.key, kModule));
  compiled.content = HONE_TRY(hashOfFile(compiled.module));
  return compiled;
}

Result<void> Compiler::keepText(const std::string& key, std::string_view ending,
                                const std::string& text) const {
  const auto beside = HONE_TRY(cache_.beside(key, ending));
  HONE_CHECK(writeFile(beside, text));
  HONE_CHECK(cache_.keep(beside, key, ending));
  return {};
}

Result<std::vector<Compiled>> Compiler::finish(const Task& task, const CompileReport& report) {
  const auto written = takeContents(task.job);
  if (report.status != CompileReport::Status::ok) {
    std::error_code ignored;
    std::filesystem::remove(task.job.output, ignored);
    const Compiled failed{report, {}, {}, {}, false, ignoredIn(written, 0)};
    return std::vector<Compiled>(task.members.size(), failed);
  }
  if (task.job.variants.empty()) {
    const std::string ignored = ignoredIn(written, 0);
    if (!ignored.empty()) {
      HONE_CHECK(keepText(task.key, kIgnored, ignored));
    }
    Compiled alone = HONE_TRY(finishAlone(task, report));
    alone.ignored = ignored;
    return std::vector<Compiled>{std::move(alone)};
  }
  Compiled whole = HONE_TRY(finishAlone(task, report));
  // What the batch took is shared evenly: nobody can say who of them took it.
  const auto share = static_cast<std::int64_t>(task.members.size());
  whole.report.ending.cpuNs /= share;
  whole.report.ending.wallNs /= share;
  std::vector<Compiled> compiled;
  for (std::size_t v = 0; v < task.members.size(); ++v) {
    const Member& member = task.members[v];
    Compiled one = whole;
    one.function = variantName(member.function, v);
    one.content = written.at("contents").at(v).get<std::string>();
    one.ignored = ignoredIn(written, v);
    const nlohmann::json entry = {{"module", task.key},
                                  {"function", one.function},
                                  {"content", one.content},
                                  {"ignored", one.ignored}};
    HONE_CHECK(keepText(member.key, kVariant, entry.dump()));
    compiled.push_back(std::move(one));
  }
  return compiled;
}

Result<std::vector<Compiled>> Compiler::compileAll(std::span<const CompileRequest> requests,
                                                   const OnDone& onDone) {
  std::vector<Compiled> results(requests.size());
  const auto done = [&](std::size_t index, Compiled compiled) {
    results[index] = std::move(compiled);
    if (onDone) {
      onDone(index, results[index]);
    }
  };
  std::vector<Member> members;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto member = memberFor(i, requests[i]);
    if (!member && member.error().fault != Fault::user) {
      return std::unexpected(member.error());
    }
    if (!member || member->failed) {
      done(i, Compiled{member ? *member->failed : misfit(member.error()), {}, {}, {}, false});
    } else if (auto cached = HONE_TRY(cachedFor(*member)); cached && !requests[i].fresh) {
      done(i, std::move(*cached));
    } else {
      members.push_back(std::move(*member));
    }
  }
  std::map<std::uint64_t, Task> tasks;
  const auto submit = [&](Task task) {
    const std::uint64_t id = pool_.submit(task.job);
    tasks.emplace(id, std::move(task));
  };
  for (Task& task : HONE_TRY(tasksFor(std::move(members)))) {
    submit(std::move(task));
  }
  while (pool_.pending() > 0) {
    const CompileReport report = HONE_TRY(pool_.next());
    Task task = std::move(tasks.extract(report.id).mapped());
    const bool ok = report.status == CompileReport::Status::ok;
    if (!ok && (task.members.size() > 1 || report.status == CompileReport::Status::noVariants)) {
      // One of a batch failed it for all, or the program cannot be copied: each on its own.
      takeContents(task.job);
      for (Member& member : task.members) {
        if (report.status == CompileReport::Status::noVariants) {
          member.function.clear();
        }
        if (auto cached = HONE_TRY(cachedFor(member))) {
          done(member.request, std::move(*cached));
          continue;
        }
        std::vector<Member> alone;
        alone.push_back(std::move(member));
        submit(HONE_TRY(taskFor(std::move(alone))));
      }
      continue;
    }
    if (report.ending.how == Ending::How::signalled && !task.job.verifyIr) {
      // Without the verifier bad IR crashes the compiler; with it, the compiler says what is bad.
      task.job.verifyIr = true;
      submit(std::move(task));
      continue;
    }
    auto compiled = HONE_TRY(finish(task, report));
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      done(task.members[i].request, std::move(compiled[i]));
    }
  }
  return results;
}

}  // namespace hone::iree

#include "iree/compile/split_compile.h"

#include <fmt/ranges.h>

#include "base/file.h"
#include "base/hash.h"
#include "iree/module/module_variants.h"

namespace hone::iree {
namespace {

constexpr std::string_view kIr = "mlirbc";
constexpr std::string_view kJson = "json";
constexpr std::string_view kModule = "vmfb";

bool isOk(const CompileReport& report) { return report.status == CompileReport::Status::ok; }

Result<nlohmann::json> readJson(const std::filesystem::path& file) {
  return nlohmann::json::parse(HONE_TRY(readFile(file)));
}

/// The IR after global optimization of each request.
Result<std::vector<Splittable>> optimizeGlobally(Compiler& compiler,
                                                 std::span<const CompileRequest> requests) {
  std::vector<CompileOrder> orders;
  for (const CompileRequest& request : requests) {
    CompileJob job;
    job.source = request.source;
    job.flags = request.flags;
    job.to = kPhaseGlobalOptimization;
    orders.push_back({std::move(job), request.sourceHash, kIr});
  }
  std::vector<Splittable> programs;
  auto produced = HONE_TRY(compiler.produceAll(orders));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Splittable program;
    program.report = std::move(produced[i].report);
    program.ir = std::move(produced[i].file);
    program.function = requests[i].function;
    program.flags = requests[i].flags;
    if (isOk(program.report)) {
      program.irHash = HONE_TRY(hashOfFile(program.ir));
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

Result<std::vector<FunctionReduction>> operationsFrom(const nlohmann::json& found) {
  std::vector<FunctionReduction> operations;
  for (const nlohmann::json& operation : found.at("operations")) {
    operations.push_back(
        {operation.at("function"), HONE_TRY(model::reductionFrom(operation.at("reduction")))});
  }
  return operations;
}

Result<void> takeReductions(const std::filesystem::path& file, Splittable& program) {
  const nlohmann::json found = HONE_TRY(readJson(file));
  const auto operations = HONE_TRY(operationsFrom(found));
  for (const FunctionReduction& operation : operations) {
    program.operations.push_back(operation.reduction);
  }
  program.compilersOwn =
      found.at("splits").value(program.function, nlohmann::json::array()).get<SplitSizes>();
  return {};
}

std::string shown(const SplitSizes& sizes) {
  return sizes.empty() ? "not split" : fmt::format("{}", sizes);
}

SplitCompiled failedWith(CompileReport report) { return {std::move(report), {}, {}}; }

/// The choices of a module as they came out of the compiler.
Result<std::vector<SplitCompiled>> checkedChoices(const SplitOrder& order,
                                                  const Produced& produced) {
  const nlohmann::json made = HONE_TRY(readJson(produced.beside));
  std::vector<SplitCompiled> compiled;
  for (std::size_t i = 0; i < order.choices.size(); ++i) {
    const std::string function = variantName(order.program->function, i);
    const auto split = made.value(function, nlohmann::json::array()).get<SplitSizes>();
    SplitSizes asked = order.choices[i];
    std::erase(asked, std::vector<std::int64_t>{});
    if (split == asked) {
      compiled.push_back({produced.report, produced.file, function});
      continue;
    }
    CompileReport report;
    report.status = CompileReport::Status::noMatch;
    report.message = fmt::format("the compiler did not take the split: asked for {}, got {}",
                                 shown(asked), shown(split));
    compiled.push_back(failedWith(std::move(report)));
  }
  return compiled;
}

CompileOrder orderFor(const SplitOrder& order, std::vector<SplitSizes> choices) {
  CompileJob job;
  job.source = order.program->ir;
  job.from = kPhaseGlobalOptimization;
  job.flags = order.program->flags;
  job.splits = std::move(choices);
  job.verifyIr = false;
  return {std::move(job), order.program->irHash, kModule, kSplits};
}

/// Each choice in a module of its own, after one of them failed them all.
Result<std::vector<SplitCompiled>> compileApart(Compiler& compiler, const SplitOrder& order) {
  std::vector<CompileOrder> alone;
  alone.reserve(order.choices.size());
  for (const SplitSizes& choice : order.choices) {
    alone.push_back(orderFor(order, {choice}));
  }
  const auto produced = HONE_TRY(compiler.produceAll(alone));
  std::vector<SplitCompiled> compiled;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!isOk(produced[i].report)) {
      compiled.push_back(failedWith(produced[i].report));
      continue;
    }
    auto checked = HONE_TRY(checkedChoices({order.program, {order.choices[i]}}, produced[i]));
    compiled.push_back(std::move(checked.front()));
  }
  return compiled;
}

}  // namespace

Result<std::vector<FunctionReduction>> reductionsOf(Compiler& compiler,
                                                    const CompileRequest& request) {
  CompileJob job;
  job.kind = CompileJob::Kind::reductions;
  job.source = request.source;
  job.flags = request.flags;
  const CompileOrder order{std::move(job), request.sourceHash, kJson};
  const auto produced = HONE_TRY(compiler.produceAll(std::span(&order, 1)));
  if (!isOk(produced.front().report)) {
    return userError("{}: {}", request.source.filename().string(), produced.front().report.message);
  }
  return operationsFrom(HONE_TRY(readJson(produced.front().file)));
}

Result<std::vector<Splittable>> prepareSplits(Compiler& compiler,
                                              std::span<const CompileRequest> requests) {
  auto programs = HONE_TRY(optimizeGlobally(compiler, requests));
  std::vector<CompileOrder> orders;
  std::vector<Splittable*> asked;
  for (Splittable& program : programs) {
    if (isOk(program.report)) {
      CompileJob job;
      job.kind = CompileJob::Kind::reductions;
      job.source = program.ir;
      job.from = kPhaseGlobalOptimization;
      job.to = kPhaseFlow;
      job.flags = program.flags;
      job.flags.emplace_back(kEnableSplitFlag);
      orders.push_back({std::move(job), program.irHash, kJson});
      asked.push_back(&program);
    }
  }
  const auto produced = HONE_TRY(compiler.produceAll(orders));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i]->report = produced[i].report;
    if (isOk(produced[i].report)) {
      HONE_CHECK(takeReductions(produced[i].file, *asked[i]));
    }
  }
  return programs;
}

Result<std::filesystem::path> annotated(Compiler& compiler, const Splittable& program,
                                        const SplitSizes& sizes) {
  CompileJob job;
  job.kind = CompileJob::Kind::annotate;
  job.source = program.ir;
  job.flags = program.flags;
  job.splits = {sizes};
  const CompileOrder order{std::move(job), program.irHash, "mlir"};
  auto produced = HONE_TRY(compiler.produceAll(std::span(&order, 1)));
  if (!isOk(produced.front().report)) {
    return userError("{}", produced.front().report.message);
  }
  return std::move(produced.front().file);
}

Result<std::vector<std::vector<SplitCompiled>>> compileSplits(Compiler& compiler,
                                                              std::span<const SplitOrder> orders) {
  std::vector<CompileOrder> all;
  all.reserve(orders.size());
  for (const SplitOrder& order : orders) {
    all.push_back(orderFor(order, order.choices));
  }
  const auto produced = HONE_TRY(compiler.produceAll(all));
  std::vector<std::vector<SplitCompiled>> compiled;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    compiled.push_back(isOk(produced[i].report) ? HONE_TRY(checkedChoices(orders[i], produced[i]))
                                                : HONE_TRY(compileApart(compiler, orders[i])));
  }
  return compiled;
}

}  // namespace hone::iree

#include "iree/compile/split_compile.h"

#include <fmt/ranges.h>

#include <utility>

#include "base/hash.h"
#include "iree/module/module_variants.h"

namespace hone::iree {
namespace {

/// Lowers each request to its IR after global optimization.
Result<std::vector<Splittable>> optimizeGlobally(Compiler& compiler,
                                                 std::span<const CompileRequest> requests) {
  std::vector<JobOrder<LowerModuleJob>> orders;
  for (const CompileRequest& request : requests) {
    orders.push_back({.source = jobSource(request), .job = {.to = kPhaseGlobalOptimization}});
  }
  std::vector<Splittable> programs;
  auto lowered = HONE_TRY(compiler.jobs().runAll(orders));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Splittable program;
    program.report = std::move(lowered[i].report);
    program.ir = std::move(lowered[i].file);
    program.function = requests[i].function;
    program.flags = requests[i].flags;
    if (program.report.ok()) {
      program.irHash = HONE_TRY(hashFile(program.ir));
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

/// Returns the splits of a function; empty if it has none.
SplitSizes findSplits(const SplitsByFunction& splits, const std::string& function) {
  const auto at = splits.find(function);
  return at == splits.end() ? SplitSizes() : at->second;
}

std::string formatSplit(const SplitSizes& sizes) {
  return sizes.empty() ? "not split" : fmt::format("{}", sizes);
}

SplitCompiled makeFailure(CompileReport report) { return {std::move(report), {}, {}}; }

using SplitOrders = std::vector<JobOrder<CompileSplitsJob>>;
using SplitAnswer = JobAnswer<CompileSplitsJob>;

/// Compares the choices of a module with the splits that the compiler made.
std::vector<SplitCompiled> checkChoices(const SplitOrder& order, const SplitAnswer& answer) {
  std::vector<SplitCompiled> compiled;
  for (std::size_t i = 0; i < order.choices.size(); ++i) {
    const std::string function = variantName(order.program->function, i);
    const SplitSizes split = findSplits(answer.reply, function);
    SplitSizes asked = order.choices[i];
    std::erase(asked, std::vector<std::int64_t>{});
    if (split == asked) {
      compiled.push_back({answer.report, answer.file, function});
      continue;
    }
    CompileReport report;
    report.status = CompileReport::Status::noMatch;
    report.message = fmt::format("the compiler did not use the split: expected {}, got {}",
                                 formatSplit(asked), formatSplit(split));
    compiled.push_back(makeFailure(std::move(report)));
  }
  return compiled;
}

JobOrder<CompileSplitsJob> orderFor(const SplitOrder& order, std::vector<SplitSizes> choices) {
  return {.source = {.file = order.program->ir,
                     .hash = order.program->irHash,
                     .flags = order.program->flags,
                     .from = kPhaseGlobalOptimization,
                     .verifyIr = false},
          .job = {.choices = std::move(choices)}};
}

/// Compiles each choice to a separate module, after one choice made the shared module fail.
Result<std::vector<SplitCompiled>> compileApart(Compiler& compiler, const SplitOrder& order) {
  SplitOrders alone;
  alone.reserve(order.choices.size());
  for (const SplitSizes& choice : order.choices) {
    alone.push_back(orderFor(order, {choice}));
  }
  const auto answers = HONE_TRY(compiler.jobs().runAll(alone));
  std::vector<SplitCompiled> compiled;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (!answers[i].report.ok()) {
      compiled.push_back(makeFailure(answers[i].report));
      continue;
    }
    compiled.push_back(checkChoices({order.program, {order.choices[i]}}, answers[i]).front());
  }
  return compiled;
}

}  // namespace

Result<std::vector<FunctionReduction>> queryReductions(Compiler& compiler,
                                                       const CompileRequest& request) {
  auto answer = HONE_TRY(compiler.jobs().run(jobSource(request), ListReductionsJob{}));
  if (!answer.report.ok()) {
    return userError("{}: {}", request.displayName(), answer.report.message);
  }
  return std::move(answer.reply.operations);
}

Result<std::vector<Splittable>> prepareSplits(Compiler& compiler,
                                              std::span<const CompileRequest> requests) {
  auto programs = HONE_TRY(optimizeGlobally(compiler, requests));
  std::vector<JobOrder<ListReductionsJob>> orders;
  std::vector<Splittable*> asked;
  for (Splittable& program : programs) {
    if (program.report.ok()) {
      JobSource source{.file = program.ir,
                       .hash = program.irHash,
                       .flags = program.flags,
                       .from = kPhaseGlobalOptimization};
      source.flags.emplace_back(kEnableSplitFlag);
      orders.push_back({std::move(source), {.compilersOwn = true}});
      asked.push_back(&program);
    }
  }
  auto answers = HONE_TRY(compiler.jobs().runAll(orders));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Splittable& program = *asked[i];
    program.report = std::move(answers[i].report);
    for (FunctionReduction& operation : answers[i].reply.operations) {
      program.operations.push_back(std::move(operation.reduction));
    }
    program.compilersOwn = findSplits(answers[i].reply.splits, program.function);
  }
  return programs;
}

Result<std::filesystem::path> annotated(Compiler& compiler, const Splittable& program,
                                        const SplitSizes& sizes) {
  auto answer = HONE_TRY(
      compiler.jobs().run({.file = program.ir, .hash = program.irHash, .flags = program.flags},
                          AnnotateSplitsJob{.sizes = sizes}));
  if (!answer.report.ok()) {
    return userError("{}", answer.report.message);
  }
  return std::move(answer.file);
}

Result<std::vector<std::vector<SplitCompiled>>> compileSplits(Compiler& compiler,
                                                              std::span<const SplitOrder> orders) {
  SplitOrders all;
  all.reserve(orders.size());
  for (const SplitOrder& order : orders) {
    all.push_back(orderFor(order, order.choices));
  }
  const auto answers = HONE_TRY(compiler.jobs().runAll(all));
  std::vector<std::vector<SplitCompiled>> compiled;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    compiled.push_back(answers[i].report.ok() ? checkChoices(orders[i], answers[i])
                                              : HONE_TRY(compileApart(compiler, orders[i])));
  }
  return compiled;
}

}  // namespace hone::iree

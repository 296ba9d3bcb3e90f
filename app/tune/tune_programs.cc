#include "app/tune/tune_programs.h"

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/dispatch_programs.h"
#include "iree/mlir/problem_mlir.h"
#include "model/workload/workload.h"
#include "tune/program/tunable_finder.h"

namespace hone::app {
namespace {

/// Returns the dispatch in a benchmark file dumped by the compiler as a program.
Result<engine::Program> benchmarked(iree::Compiler& compiler, const engine::Program& file,
                                    const std::vector<std::string>& flags,
                                    const std::filesystem::path& folder) {
  iree::CompileRequest request{file.source, file.hash, flags, {}};
  request.from = file.from;
  const auto dispatches = HONE_TRY(iree::dispatchPrograms(compiler, request, folder));
  if (dispatches.size() != 1 || !dispatches.front().skipReason.empty()) {
    return userError("{}: no dispatch found that can be tuned alone{}{}; tune its program instead",
                     file.source.string(), dispatches.size() == 1 ? ": " : "",
                     dispatches.size() == 1 ? dispatches.front().skipReason : "");
  }
  return tune::loadDispatch(dispatches.front());
}

}  // namespace

void TunePrograms::addTo(CLI::App& command) {
  command.add_option(
      "PROGRAM", file,
      "Model (.onnx), MLIR program or dumped dispatch (.mlir, .mlirbc), or a workload");
  command
      .add_option(
          "--problem", problems,
          "Problem to tune, by name or workload line: matmul_512x768x1024_f32, 'gemm -m 512 …'")
      ->allow_extra_args(false);
  call.takesRanges = true;
  call.addTo(command);
  command.add_option("--limit", limit, "Maximum number of problems of a workload (default: all)")
      ->check(CLI::PositiveNumber);
}

Result<std::vector<model::Problem>> TunePrograms::readProblems(Progress& progress) const {
  std::vector<model::Problem> all;
  for (const std::string& line : problems) {
    auto some = model::problemsFromLine(line);
    if (!some) {
      return within("--problem", some.error());
    }
    all.insert(all.end(), some->begin(), some->end());
  }
  if (file.empty() || isProgramFile(file)) {
    return all;
  }
  const model::Workload workload = HONE_TRY(model::readWorkload(file));
  for (const model::BadLine& bad : workload.badLines) {
    progress.say(fmt::format("skipped: {}", bad.error.message));
  }
  for (const model::UniqueProblem& one : model::uniqueProblems(workload.entries)) {
    if (limit == 0 || std::cmp_less(all.size(), limit)) {
      all.push_back(one.problem);
    }
  }
  if (all.empty()) {
    return userError("{}: no problem found; expected one MIOpen or BOO command, or name, per line",
                     file);
  }
  return all;
}

Result<std::vector<tune::WholeProgram>> TunePrograms::load(Toolchain& toolchain,
                                                           const std::vector<std::string>& flags,
                                                           std::uint64_t seed,
                                                           const std::filesystem::path& folder,
                                                           Progress& progress) const {
  std::vector<tune::WholeProgram> programs;
  const auto add = [&](engine::Program program) -> Result<void> {
    tune::WholeProgram whole;
    whole.program = std::move(program);
    whole.inputSpecs = call.inputs;
    whole.flags = flags;
    whole.seed = seed;
    tune::InputSets sets = HONE_TRY(tune::makeInputSets(whole.program, call.inputs, seed,
                                                        folder / std::to_string(programs.size())));
    whole.inputs = std::move(sets.first);
    whole.otherInputs = std::move(sets.other);
    programs.push_back(std::move(whole));
    return {};
  };
  if (isProgramFile(file)) {
    engine::Program program =
        HONE_TRY(engine::loadProgram(toolchain.compiler, HONE_TRY(call.sourceFor(file, flags))));
    reportChosenSizes(program, progress);
    if (program.from == iree::kPhaseExecutableSources) {
      program = HONE_TRY(benchmarked(toolchain.compiler, program, flags, folder));
    }
    HONE_CHECK(add(std::move(program)));
  }
  for (const model::Problem& problem : HONE_TRY(readProblems(progress))) {
    const std::string text = iree::emitMlir(problem);
    const auto source = folder / fmt::format("{}.mlir", nameOf(problem));
    HONE_CHECK(writeFile(source, text));
    engine::Program program = engine::makeProgram(problem, source, "main");
    program.hash = hashBytes(text);
    HONE_CHECK(add(std::move(program)));
  }
  if (programs.empty()) {
    return userError("nothing to tune; expected a program, a workload or --problem");
  }
  return programs;
}

}  // namespace hone::app

#include "split/sweep/rebuild_choices.h"

#include <map>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/split_compile.h"
#include "split/source/source_edit.h"

namespace hone::split {
namespace {

using iree::Compiled;
using iree::CompileRequest;

/// The problems compiled by one of the built compilers, in order.
struct Variant {
  std::string name;
  std::optional<std::int64_t> limit = std::nullopt;  ///< in place of the source's rules
  bool isRecommended = false;                        ///< the source has the recommended code
  bool splits = true;                                ///< split reduction is on
  std::vector<Compiled> compiled = {};

  [[nodiscard]] bool isOriginal() const { return !limit && !isRecommended; }
};

/// Compiles all problems with the compiler just built.
Result<std::vector<Compiled>> compileWith(const RebuildOptions& options,
                                          const std::filesystem::path& library,
                                          std::span<const CompileRequest> requests, bool splits) {
  // The revision of a built compiler is that of the checkout, without the edit.
  const std::string hash = HONE_TRY(hashFile(library));
  const auto cache = HONE_TRY(cacheFolder());
  auto pool = HONE_TRY(iree::CompilePool::start({library, options.workers, {}}));
  iree::Compiler compiler(std::move(pool),
                          iree::ArtifactCache(cache / "rebuilt" / hash.substr(0, 16)),
                          options.compileLimits);
  std::vector<CompileRequest> flagged(requests.begin(), requests.end());
  for (CompileRequest& request : flagged) {
    if (splits) {
      request.flags.emplace_back(iree::kEnableSplitFlag);
    }
  }
  return compiler.compileAll(flagged, {});
}

Result<std::filesystem::path> built(const Build& build) {
  HONE_TRY(buildCompiler(build));
  auto library = build.folder / "lib" / "libIREECompiler.so";
  if (!std::filesystem::exists(library)) {
    return userError("the build did not produce {}; use --iree-build to set IREE's build folder",
                     library.string());
  }
  return library;
}

/// Builds the original source, one variant per limit and one with the recommended code, and
/// compiles with each.
Result<std::vector<Variant>> compileVariants(const RebuildOptions& options,
                                             std::span<const CompileRequest> requests,
                                             Progress& progress) {
  SourceGuard guard = HONE_TRY(SourceGuard::take(options.source));
  if (!guard.notice().empty()) {
    progress.say(guard.notice());
  }
  std::vector<Variant> variants;
  const std::size_t builds = 1 + options.limits.size() + (options.recommended.empty() ? 0 : 1);
  progress.stage("build", static_cast<std::int64_t>(builds));
  const auto original = HONE_TRY(built(options.build));
  for (const bool splits : {true, false}) {
    variants.push_back({.name = splits ? "baseline" : "no split", .splits = splits});
    variants.back().compiled = HONE_TRY(compileWith(options, original, requests, splits));
  }
  progress.step("original source");
  const auto add = [&](Variant variant, const std::string& text) -> Result<void> {
    HONE_CHECK(guard.write(text));
    const auto library = HONE_TRY(built(options.build));
    variant.compiled = HONE_TRY(compileWith(options, library, requests, true));
    variants.push_back(std::move(variant));
    progress.step(variants.back().name);
    return {};
  };
  for (const std::int64_t limit : options.limits) {
    const std::string text = HONE_TRY(withFixedLimit(guard.original(), options.source, limit));
    HONE_CHECK(add({.name = fmt::format("limit {}", limit), .limit = limit}, text));
  }
  if (!options.recommended.empty()) {
    const std::string text =
        HONE_TRY(withHeuristics(guard.original(), options.source, options.recommended));
    HONE_CHECK(add({.name = "recommended code", .isRecommended = true}, text));
  }
  HONE_CHECK(guard.restore());
  progress.finish();
  return variants;
}

/// Returns the variants of one problem as choices, merging those with identical code.
CompiledProblem collectProblem(const std::vector<Variant>& variants, std::size_t problem) {
  CompiledProblem compiled;
  std::map<std::string, std::size_t> byContent;
  for (const Variant& variant : variants) {
    const Compiled& one = variant.compiled[problem];
    const std::string content = one.content.empty() ? variant.name : one.content;
    const auto [at, isNew] = byContent.emplace(content, compiled.choices.size());
    if (isNew) {
      Choice choice;
      choice.label = variant.name;
      compiled.choices.push_back(std::move(choice));
      compiled.compiled.push_back({one.report, one.module, "main"});
    }
    Choice& choice = compiled.choices[at->second];
    if (variant.limit) {
      choice.limits.push_back(*variant.limit);
    }
    choice.isBaseline = choice.isBaseline || (variant.isOriginal() && variant.splits);
    choice.isNoSplit = choice.isNoSplit || (variant.isOriginal() && !variant.splits);
    choice.isRecommended = choice.isRecommended || variant.isRecommended;
  }
  return compiled;
}

}  // namespace

std::filesystem::path sourceIn(const std::filesystem::path& checkout) {
  return checkout / "compiler/src/iree/compiler/DispatchCreation/SetSplitReductionSizes.cpp";
}

Result<ChoiceCompiler> rebuildChoices(iree::Compiler& wheel, const RebuildOptions& options,
                                      std::vector<CompileRequest> requests, Progress& progress) {
  const auto variants = HONE_TRY(compileVariants(options, requests, progress));
  const auto programs = HONE_TRY(iree::prepareSplits(wheel, requests));
  std::map<std::string, CompiledProblem> problems;  // by hash of the source
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CompiledProblem problem = collectProblem(variants, i);
    if (programs[i].operations.size() == 1) {
      problem.reduction = programs[i].operations.front();
    }
    problems.emplace(requests[i].sourceHash, std::move(problem));
  }
  return [problems = std::move(problems)](
             std::span<const CompileRequest> asked) -> Result<std::vector<CompiledProblem>> {
    std::vector<CompiledProblem> found;
    for (const CompileRequest& request : asked) {
      const auto at = problems.find(request.sourceHash);
      found.push_back(at == problems.end() ? CompiledProblem{} : at->second);
    }
    return found;
  };
}

}  // namespace hone::split

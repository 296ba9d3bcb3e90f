#include "iree/spec/spec_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/file.h"
#include "base/hash.h"

namespace hone::iree {
namespace {

/// The backends that pass --iree-codegen-tuning-spec-path on to their passes.
constexpr std::array<std::string_view, 2> kTakesSpecFlag = {"llvm-cpu", "rocm"};

/// Returns true if an operation that `which` accepts has the entry's configuration.
template <typename Which>
bool has(const ConfiguredFunction& function, const ReadEntry& entry, const Which& which) {
  return function.translationInfo == entry.translationInfo &&
         std::ranges::any_of(function.operations, [&](const ConfiguredOperation& operation) {
           return std::invoke(which, operation) && operation.loweringConfig == entry.loweringConfig;
         });
}

Result<JobAnswer<ReadSpecMarksJob>> readMarks(Compiler& compiler, const CompileRequest& request) {
  return compiler.jobs().run(jobSource(request), ReadSpecMarksJob{});
}

/// Adds a spec's flag to the request, and its content to the cache key.
CompileRequest with(CompileRequest request, const Spec& spec, const std::string& flag) {
  Hasher hasher;
  request.sourceHash = hasher.field(request.sourceHash).field(spec.hash).hex();
  request.flags.push_back(flag);
  return request;
}

/// Returns true if the entry is attached to the compiler's default root operation.
bool isOnRoot(const ReadEntry& entry, std::int64_t number, const ConfiguredFunction& function,
              const ConfiguredFunction& byDefault) {
  const auto root = std::ranges::find_if(byDefault.operations, &ConfiguredOperation::root);
  return root != byDefault.operations.end() &&
         std::ranges::any_of(function.operations, [&](const ConfiguredOperation& one) {
           // A later pass may replace the operation and drop the mark; the configuration stays.
           const bool marked =
               one.entry == number || (one.entry < 0 && one.loweringConfig == entry.loweringConfig);
           return marked && one.op == root->op && one.ordinal == root->ordinal;
         });
}

SpecUse describeUse(const ReadEntry& entry, std::int64_t number, const ConfiguredFunction& function,
                    const ConfiguredFunction* byDefault) {
  SpecUse use;
  use.dispatch = function.dispatch;
  use.configured = has(function, entry, [](const ConfiguredOperation&) { return true; });
  if (byDefault != nullptr) {
    use.onRoot = isOnRoot(entry, number, function, *byDefault);
    use.asDefault = has(*byDefault, entry, &ConfiguredOperation::root);
  }
  return use;
}

void fill(const Spec& spec, const SpecMarks& byDefault, const SpecMarks& marks, SpecCheck& check) {
  std::map<std::string, const ConfiguredFunction*> defaults;
  for (const ConfiguredFunction& function : byDefault.functions) {
    defaults[function.function] = &function;
  }
  for (const ReadEntry& entry : spec.entries) {
    check.entries.push_back({entry.name, {}});
  }
  for (const ConfiguredFunction& function : marks.functions) {
    if (function.entries.empty()) {
      check.untouched.push_back(function.dispatch);
    }
    for (const std::int64_t number : function.entries) {
      const auto at = static_cast<std::size_t>(number);
      if (at < spec.entries.size()) {
        check.entries[at].uses.push_back(
            describeUse(spec.entries[at], number, function, defaults[function.function]));
      }
    }
  }
}

/// Returns the entry before number `number` that applies in the dispatch; "" if there is none.
std::string findEarlierEntry(const SpecCheck& check, std::size_t number,
                             const std::string& dispatch) {
  for (std::size_t i = 0; i < number; ++i) {
    if (std::ranges::count(check.entries[i].uses, dispatch, &SpecUse::dispatch) > 0) {
      return check.entries[i].entry;
    }
  }
  return "";
}

/// Finds the closest operation for each entry that matches nothing.
Result<void> explainUnmatched(Compiler& compiler, const CompileRequest& request, const Spec& spec,
                              SpecCheck& check) {
  const bool unmatched =
      std::ranges::any_of(check.entries, [](const EntryUse& entry) { return entry.uses.empty(); });
  if (!unmatched || !check.refused.empty()) {
    return {};
  }
  const auto operations = HONE_TRY(compiler.ask(request, ListOperationsJob{}));
  for (std::size_t i = 0; i < check.entries.size(); ++i) {
    EntryUse& entry = check.entries[i];
    if (!entry.uses.empty()) {
      continue;
    }
    entry.nearMiss = findNearMiss(spec.entries[i].form, operations);
    if (entry.nearMiss && entry.nearMiss->differences.empty()) {
      entry.shadowedBy = findEarlierEntry(check, i, entry.nearMiss->dispatch);
    }
  }
  return {};
}

}  // namespace

bool SpecCheck::good() const {
  return refused.empty() && std::ranges::all_of(entries, [](const EntryUse& entry) {
           return !entry.uses.empty() && std::ranges::all_of(entry.uses, [](const SpecUse& use) {
             return use.configured;
           });
         });
}

std::string specFlag(bool takesSpecFlag, const std::filesystem::path& file) {
  // The second flag is meant for custom strategies. Every backend applies it at the same point, but
  // it replaces the specs shipped with the compiler.
  return fmt::format("{}={}",
                     takesSpecFlag ? "--iree-codegen-tuning-spec-path"
                                   : "--iree-codegen-transform-dialect-library",
                     file.string());
}

bool takesSpecFlag(const Target& target) {
  return target.name == "local" || target.name.starts_with("rocm");
}

std::string specFlagFor(const Target& target, const std::filesystem::path& file) {
  return specFlag(takesSpecFlag(target), file);
}

Result<SpecCheck> checkSpec(Compiler& compiler, const CompileRequest& request, const Spec& spec) {
  const auto plain = HONE_TRY(readMarks(compiler, request));
  if (!plain.report.ok()) {
    return userError("{} does not compile even without a spec: {}", request.displayName(),
                     plain.report.message);
  }
  SpecCheck check;
  check.backends = plain.reply.backends;
  check.takesSpecFlag = std::ranges::all_of(check.backends, [](const std::string& backend) {
    return std::ranges::find(kTakesSpecFlag, backend) != kTakesSpecFlag.end();
  });
  check.flag = specFlag(check.takesSpecFlag, spec.file);
  const auto marked = HONE_TRY(
      readMarks(compiler, with(request, spec, specFlag(check.takesSpecFlag, spec.marked))));
  if (!marked.report.ok()) {
    check.refused = marked.report.message;
  }
  fill(spec, plain.reply, marked.reply, check);
  HONE_CHECK(explainUnmatched(compiler, request, spec, check));
  return check;
}

Result<SpecCompiled> compileWithSpec(Compiler& compiler, const CompileRequest& request,
                                     const Spec& spec, const std::filesystem::path& output) {
  SpecCompiled result;
  result.check = HONE_TRY(checkSpec(compiler, request, spec));
  const std::array requests = {request, with(request, spec, result.check.flag)};
  auto compiled = HONE_TRY(compiler.compileAll(requests, {}));
  result.sameAsDefault = !compiled[0].module.empty() && compiled[0].content == compiled[1].content;
  result.compiled = std::move(compiled[1]);
  if (!result.compiled.module.empty() && !output.empty()) {
    const std::string module = HONE_TRY(readFile(result.compiled.module));
    HONE_CHECK(writeFile(output, module));
  }
  return result;
}

}  // namespace hone::iree

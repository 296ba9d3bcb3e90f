#include "iree/spec/spec_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/file.h"
#include "base/hash.h"

namespace hone::iree {
namespace {

/// The backends that hand --iree-codegen-tuning-spec-path to their passes.
constexpr std::array<std::string_view, 2> kTakesSpecFlag = {"llvm-cpu", "rocm"};

/// A configured function, see specMarks.
struct Configured {
  std::string dispatch;
  std::string function;
  std::string translationInfo;
  std::vector<std::int64_t> entries;
  struct Operation {
    std::string op;
    std::size_t ordinal = 0;
    bool root = false;
    std::int64_t entry = -1;
    std::string loweringConfig;
  };
  std::vector<Operation> operations;

  /// Whether an operation that `which` takes has this configuration.
  template <typename Which>
  [[nodiscard]] bool has(const ReadEntry& entry, const Which& which) const {
    return translationInfo == entry.translationInfo &&
           std::ranges::any_of(operations, [&](const Operation& operation) {
             return std::invoke(which, operation) &&
                    operation.loweringConfig == entry.loweringConfig;
           });
  }
};

struct Marks {
  std::vector<std::string> backends;
  std::vector<Configured> functions;
};

Marks marksFrom(const nlohmann::json& json) {
  Marks marks;
  marks.backends = json.at("backends").get<std::vector<std::string>>();
  for (const nlohmann::json& one : json.at("functions")) {
    Configured function{
        one.at("dispatch"), one.at("function"), one.at("translation_info"), one.at("entries"), {}};
    for (const nlohmann::json& operation : one.at("operations")) {
      function.operations.push_back({operation.at("op"), operation.at("ordinal"),
                                     operation.at("root"), operation.at("entry"),
                                     operation.at("lowering_config")});
    }
    marks.functions.push_back(std::move(function));
  }
  return marks;
}

CompileOrder marksOrder(const CompileRequest& request) {
  CompileJob job;
  job.kind = CompileJob::Kind::specMarks;
  job.source = request.source;
  job.flags = request.flags;
  job.from = request.from;
  job.to = kPhaseExecutableConfigurations;
  return {std::move(job), request.sourceHash, "json"};
}

Result<Produced> marksOf(Compiler& compiler, const CompileRequest& request) {
  const CompileOrder order = marksOrder(request);
  return std::move(HONE_TRY(compiler.produceAll(std::span(&order, 1))).front());
}

std::string specFlag(bool takesSpecFlag, const std::filesystem::path& file) {
  // The second is the way for a strategy of one's own. Every backend runs it at the same place, but
  // it takes the place of the specs that are shipped with the compiler.
  return fmt::format("{}={}",
                     takesSpecFlag ? "--iree-codegen-tuning-spec-path"
                                   : "--iree-codegen-transform-dialect-library",
                     file.string());
}

/// The request with a spec's flag; the cache must know what is in that file.
CompileRequest with(CompileRequest request, const Spec& spec, const std::string& flag) {
  Hasher hasher;
  request.sourceHash = hasher.field(request.sourceHash).field(spec.hash).hex();
  request.flags.push_back(flag);
  return request;
}

/// Whether the entry was put on what the compiler would tile by.
bool isOnRoot(const ReadEntry& entry, std::int64_t number, const Configured& function,
              const Configured& byDefault) {
  const auto root = std::ranges::find_if(byDefault.operations, &Configured::Operation::root);
  return root != byDefault.operations.end() &&
         std::ranges::any_of(function.operations, [&](const Configured::Operation& one) {
           // A later pass may replace the operation and drop the mark; the configuration stays.
           const bool marked =
               one.entry == number || (one.entry < 0 && one.loweringConfig == entry.loweringConfig);
           return marked && one.op == root->op && one.ordinal == root->ordinal;
         });
}

SpecUse useOf(const ReadEntry& entry, std::int64_t number, const Configured& function,
              const Configured* byDefault) {
  SpecUse use;
  use.dispatch = function.dispatch;
  use.configured = function.has(entry, [](const Configured::Operation&) { return true; });
  if (byDefault != nullptr) {
    use.onRoot = isOnRoot(entry, number, function, *byDefault);
    use.asDefault = byDefault->has(entry, &Configured::Operation::root);
  }
  return use;
}

void fill(const Spec& spec, const Marks& byDefault, const Marks& marks, SpecCheck& check) {
  std::map<std::string, const Configured*> defaults;
  for (const Configured& function : byDefault.functions) {
    defaults[function.function] = &function;
  }
  for (const ReadEntry& entry : spec.entries) {
    check.entries.push_back({entry.name, {}});
  }
  for (const Configured& function : marks.functions) {
    if (function.entries.empty()) {
      check.untouched.push_back(function.dispatch);
    }
    for (const std::int64_t number : function.entries) {
      const auto at = static_cast<std::size_t>(number);
      if (at < spec.entries.size()) {
        check.entries[at].uses.push_back(
            useOf(spec.entries[at], number, function, defaults[function.function]));
      }
    }
  }
}

}  // namespace

bool SpecCheck::good() const {
  return refused.empty() && std::ranges::all_of(entries, [](const EntryUse& entry) {
           return !entry.uses.empty() && std::ranges::all_of(entry.uses, [](const SpecUse& use) {
             return use.configured;
           });
         });
}

bool takesSpecFlag(const Target& target) {
  return target.name == "local" || target.name.starts_with("rocm");
}

std::string specFlagFor(const Target& target, const std::filesystem::path& file) {
  return specFlag(takesSpecFlag(target), file);
}

Result<SpecCheck> checkSpec(Compiler& compiler, const CompileRequest& request, const Spec& spec) {
  const Produced plain = HONE_TRY(marksOf(compiler, request));
  if (plain.report.status != CompileReport::Status::ok) {
    return userError("{} does not compile, with or without a spec: {}",
                     request.source.filename().string(), plain.report.message);
  }
  const Marks byDefault = marksFrom(nlohmann::json::parse(HONE_TRY(readFile(plain.file))));
  SpecCheck check;
  check.backends = byDefault.backends;
  check.takesSpecFlag = std::ranges::all_of(check.backends, [](const std::string& backend) {
    return std::ranges::find(kTakesSpecFlag, backend) != kTakesSpecFlag.end();
  });
  check.flag = specFlag(check.takesSpecFlag, spec.file);
  const Produced produced =
      HONE_TRY(marksOf(compiler, with(request, spec, specFlag(check.takesSpecFlag, spec.marked))));
  Marks marks;
  if (produced.report.status == CompileReport::Status::ok) {
    marks = marksFrom(nlohmann::json::parse(HONE_TRY(readFile(produced.file))));
  } else {
    check.refused = produced.report.message;
  }
  fill(spec, byDefault, marks, check);
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

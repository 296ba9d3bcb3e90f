#include "tune/proof/spec_files.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "base/file.h"
#include "iree/spec/spec_check.h"
#include "iree/spec/spec_merge.h"

namespace hone::tune {
namespace {

constexpr std::string_view kEnding = ".mlir";

Result<iree::Spec> readText(iree::Compiler& compiler, const ScratchFolder& folder,
                            const std::string& name, const std::string& text) {
  HONE_CHECK(writeFile(folder.path() / name, text));
  return iree::readSpec(compiler, folder.path() / name);
}

Result<iree::MergedSpec> merged(iree::Compiler& compiler, const std::string& first,
                                const std::string& second) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-merge"));
  const auto a = HONE_TRY(readText(compiler, folder, "a.mlir", first));
  const auto b = HONE_TRY(readText(compiler, folder, "b.mlir", second));
  return iree::mergeSpecs(a, b, iree::Prefer::neither);
}

/// Returns the configuration that a spec sets for each dispatch of a program.
Result<std::map<std::string, std::string>> configuredDispatches(iree::Compiler& compiler,
                                                                const iree::CompileRequest& request,
                                                                const std::string& text) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-uses"));
  const auto spec = HONE_TRY(readText(compiler, folder, "spec.mlir", text));
  const auto check = HONE_TRY(iree::checkSpec(compiler, request, spec));
  if (!check.refused.empty()) {
    return userError("the compiler rejects the spec: {}", check.refused);
  }
  std::map<std::string, std::string> uses;
  for (std::size_t i = 0; i < check.entries.size(); ++i) {
    for (const iree::SpecUse& use : check.entries[i].uses) {
      uses[use.dispatch] += spec.entries[i].config;
    }
  }
  return uses;
}

/// Returns the reason why the text does not configure these programs like their original specs; ""
/// if it does.
Result<std::string> checkMerged(iree::Compiler& compiler,
                                const std::vector<const ProgramSpec*>& programs,
                                const std::string& text) {
  for (const ProgramSpec* program : programs) {
    const auto own = HONE_TRY(configuredDispatches(compiler, program->request, program->text));
    const auto all = HONE_TRY(configuredDispatches(compiler, program->request, text));
    std::vector<std::pair<std::string, std::string>> changed;
    std::ranges::set_symmetric_difference(own, all, std::back_inserter(changed));
    if (!changed.empty()) {
      return fmt::format("would change {} of {}", changed.front().first, program->label);
    }
  }
  return std::string();
}

}  // namespace

std::string fileBeside(const std::string& output, std::string_view label, std::string_view ending) {
  std::string name = output;
  if (name.ends_with(kEnding)) {
    name.resize(name.size() - kEnding.size());
  }
  if (!label.empty()) {
    std::string part(label);
    std::replace_if(
        part.begin(), part.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
    name += fmt::format(".{}", part);
  }
  return fmt::format("{}.{}", name, ending);
}

Result<SpecFiles> specFiles(iree::Compiler& compiler, std::span<const ProgramSpec> programs,
                            const std::string& output) {
  SpecFiles result;
  std::string headers;
  std::string common;
  std::vector<const ProgramSpec*> sharing;
  std::vector<SpecFiles::File> own;
  for (const ProgramSpec& program : programs) {
    result.specPaths.push_back(program.text.empty() ? "" : output);
    if (program.text.empty()) {
      continue;
    }
    sharing.push_back(&program);
    if (common.empty()) {
      common = program.text;
      headers += program.header;
      continue;
    }
    const auto both = HONE_TRY(merged(compiler, common, program.text));
    Result<std::string> checked =
        both.conflicts.empty()
            ? checkMerged(compiler, sharing, both.text)
            : fmt::format("would configure {} in two ways", both.conflicts.front().what);
    if (!checked && checked.error().fault == Fault::user) {
      checked = fmt::format("could not be checked: {}", checked.error().message);
    }
    const std::string conflict = HONE_TRY(std::move(checked));
    if (conflict.empty()) {
      common = both.text;
      headers += program.header;
      continue;
    }
    sharing.pop_back();
    const std::string file = fileBeside(output, program.label, "mlir");
    result.conflicts.push_back(fmt::format("{} is not in the merged spec, which {}; see {}",
                                           program.label, conflict, file));
    result.specPaths.back() = file;
    own.push_back({file, program.header + program.text});
  }
  if (!common.empty()) {
    result.files.push_back({output, headers + common});
  }
  result.files.insert(result.files.end(), own.begin(), own.end());
  return result;
}

}  // namespace hone::tune

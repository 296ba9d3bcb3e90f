#include "tune/spec_files.h"

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "iree/spec_merge.h"

namespace hone::tune {
namespace {

constexpr std::string_view kEnding = ".mlir";

Result<iree::MergedSpec> merged(iree::Compiler& compiler, const std::string& first,
                                const std::string& second) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-merge"));
  HONE_CHECK(writeFile(folder.path() / "a.mlir", first));
  HONE_CHECK(writeFile(folder.path() / "b.mlir", second));
  const auto a = HONE_TRY(iree::readSpec(compiler, folder.path() / "a.mlir"));
  const auto b = HONE_TRY(iree::readSpec(compiler, folder.path() / "b.mlir"));
  return iree::mergeSpecs(a, b, iree::Prefer::neither);
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
  std::vector<SpecFiles::File> own;
  for (const ProgramSpec& program : programs) {
    result.fileOf.push_back(program.text.empty() ? "" : output);
    if (program.text.empty()) {
      continue;
    }
    if (!common.empty()) {
      const auto both = HONE_TRY(merged(compiler, common, program.text));
      if (!both.conflicts.empty()) {
        const std::string file = fileBeside(output, program.label, "mlir");
        result.conflicts.push_back(fmt::format(
            "{} wants {} configured in another way than a program before it: its spec is {}",
            program.label, both.conflicts.front().what, file));
        result.fileOf.back() = file;
        own.push_back({file, program.header + program.text});
        continue;
      }
      common = both.text;
    } else {
      common = program.text;
    }
    headers += program.header;
  }
  if (!common.empty()) {
    result.files.push_back({output, headers + common});
  }
  result.files.insert(result.files.end(), own.begin(), own.end());
  return result;
}

}  // namespace hone::tune

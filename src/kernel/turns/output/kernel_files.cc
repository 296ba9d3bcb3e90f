#include "kernel/turns/output/kernel_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "kernel/judge/judge.h"
#include "kernel/turns/output/outputs.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kExtensions = {".py", ".cc", ".cpp", ".cxx", ".c"};

bool isKernelFile(const fs::path& file) {
  const std::string stem = file.stem().string();
  const bool reference = stem == "reference" || stem.ends_with(".reference");
  return !reference && !stem.starts_with("__") && !isOptimizedFile(file) &&
         std::find(kExtensions.begin(), kExtensions.end(), file.extension().string()) !=
             kExtensions.end();
}

bool isFile(const fs::path& file) {
  std::error_code code;
  return fs::is_regular_file(file, code);
}

}  // namespace

Result<std::vector<fs::path>> findKernels(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         code);
  for (const fs::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;  // a link to itself is no kernel
    if (entry->is_directory(ignored) && (name.starts_with('.') || name == "__pycache__")) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored) && !name.starts_with('.') &&
               isKernelFile(entry->path())) {
      files.push_back(entry->path().lexically_normal());
    }
  }
  if (code) {
    return userError("cannot list kernels in {}: {}", folder.string(), code.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string> hashKernels(const fs::path& folder) {
  Hasher hasher;
  for (const fs::path& kernel : HONE_TRY(findKernels(folder))) {
    // A missing reference counts as an empty one, so adding it later changes the hash.
    const fs::path reference = findReference(kernel, "").value_or(fs::path());
    fs::path python = reference;
    python.replace_extension(".py");
    hasher.field(kernel.lexically_relative(folder.lexically_normal()).string());
    for (const fs::path& file : {kernel, reference, python}) {
      hasher.field(isFile(file) ? readFile(file).value_or("") : "");
    }
  }
  return hasher.hex();
}

Result<fs::path> findKernel(const fs::path& name, const fs::path& folder) {
  std::vector<fs::path> places = {name};
  if (name.is_relative()) {
    places.push_back(folder / name);
  }
  for (const fs::path& place : places) {
    if (isFile(place)) {
      return place;
    }
  }
  for (const fs::path& place : places) {
    for (const std::string_view extension : kExtensions) {
      if (fs::path whole = place.string() + std::string(extension); isFile(whole)) {
        return whole;
      }
    }
  }
  std::vector<std::string> names;
  if (const auto files = findKernels(folder)) {
    for (const fs::path& file : *files) {
      names.push_back(file.lexically_relative(folder).string());
    }
  }
  const auto like = nearest(name.string(), names);
  const std::string elsewhere =
      places.size() > 1 && folder != "." ? fmt::format(" here or in {}", folder.string()) : "";
  return userError("no kernel file {} found{}{}; `hone kernel list-slow {}` lists the kernels",
                   name.string(), elsewhere, like ? fmt::format(" (did you mean {}?)", *like) : "",
                   folder.string());
}

Result<Source> readKernel(const fs::path& file) {
  Source source = HONE_TRY(readSource(file));
  const std::vector<std::string> flags = readHeaderFlags(source.text);
  source.flags.insert(source.flags.end(), flags.begin(), flags.end());
  return source;
}

}  // namespace hone::kernel

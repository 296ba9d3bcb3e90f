#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/library/examples.h"

namespace hone::kernel {

/// Parses an example: lines "technique: …", "language: …", "title: …" and optionally "speedup: …",
/// an empty line, the text, then lines "--- before" and "--- after", each followed by code. Fails
/// with a user error that names the line.
[[nodiscard]] Result<Example> exampleFrom(std::string_view text, const std::string& name);

/// Reads the .txt files of a folder, sorted by name; the file name without extension names the
/// example.
[[nodiscard]] Result<std::vector<Example>> readExamples(const std::filesystem::path& folder);

}  // namespace hone::kernel

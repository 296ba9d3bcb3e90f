#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/library/examples.h"

namespace hone::kernel {

/// Reads the text of one example: lines "technique: …", "language: …", "title: …" and perhaps
/// "speedup: …", an empty line, the text, then a line "--- before" and one "--- after" with the
/// code below each. What is wrong is a user error with the line.
[[nodiscard]] Result<Example> exampleFrom(std::string_view text, const std::string& name);

/// The examples of a folder's .txt files, by name; the file's name is the example's.
[[nodiscard]] Result<std::vector<Example>> readExamples(const std::filesystem::path& folder);

}  // namespace hone::kernel

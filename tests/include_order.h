#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hone {

/// Every include below src/ and app/ that breaks the order of the folders, as
/// "src/model/x.h:3: model may not include trial/y.h"; see docs/architecture.md.
[[nodiscard]] std::vector<std::string> wrongIncludes(const std::filesystem::path& root);

}  // namespace hone

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hone {

/// Returns every include below src/ and app/ that breaks the folder order, as
/// "src/model/x.h:3: model may not include trial/y.h". See docs/architecture.md.
[[nodiscard]] std::vector<std::string> wrongIncludes(const std::filesystem::path& root);

}  // namespace hone

#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// Writes JSON after a line with its hash, atomically (temporary file, then rename). Readers on
/// other machines see the whole file or nothing.
[[nodiscard]] Result<void> writeChecked(const std::filesystem::path& file,
                                        const nlohmann::json& json);

/// Reads such a file. Returns nothing if it is missing or its hash does not match; callers retry or
/// have it written again.
[[nodiscard]] std::optional<nlohmann::json> readChecked(const std::filesystem::path& file);

/// Returns the names in the folder, sorted, without temporary files.
[[nodiscard]] std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// Moves a file; returns true if this process, and no other, moved it. A file server that retries a
/// request may report a missing file after a successful move, so the target is checked, too: no
/// other process may move a file there.
[[nodiscard]] bool moveFile(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace hone::cluster

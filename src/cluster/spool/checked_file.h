#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// JSON behind a line with its hash, written beside and renamed: whoever reads it on another
/// machine sees all of it or nothing.
[[nodiscard]] Result<void> writeChecked(const std::filesystem::path& file,
                                        const nlohmann::json& json);

/// Nothing where there is no such file, or one whose hash is not that of its text: who waits for it
/// looks again, or has it made again.
[[nodiscard]] std::optional<nlohmann::json> readChecked(const std::filesystem::path& file);

/// The names in the folder, sorted, without files that are being written.
[[nodiscard]] std::vector<std::string> namesIn(const std::filesystem::path& folder);

/// Whether this process moved the file, and nobody else. A server of files that was asked twice
/// says that the file is not there although it was moved: then the place it was moved to tells.
[[nodiscard]] bool moveFile(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace hone::cluster

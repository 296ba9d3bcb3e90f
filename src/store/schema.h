#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/error.h"

namespace hone::store {

/// "HONE" in the header of the file (PRAGMA application_id): tells a store from other SQLite files.
inline constexpr std::int32_t kApplicationId = 0x484F4E45;

/// Step i brings a store of version i (PRAGMA user_version) to version i + 1; 0 is an empty file.
/// Steps that were released are never edited, only followed by new ones.
[[nodiscard]] std::span<const std::string_view> migrations();

/// SQLite's exceptions pass through the functions below; Connection turns them into errors.
[[nodiscard]] std::int64_t schemaVersion(SQLite::Database& database);

/// Runs the steps that the store lacks, each in a transaction with its version: a process that dies
/// leaves the version before or the one after. Refuses a store that has more than these steps.
[[nodiscard]] Result<void> migrate(SQLite::Database& database, const std::filesystem::path& file,
                                   std::span<const std::string_view> steps);

/// For readers, which never migrate: the store must have exactly these steps.
[[nodiscard]] Result<void> checkVersion(SQLite::Database& database,
                                        const std::filesystem::path& file,
                                        std::span<const std::string_view> steps);

}  // namespace hone::store

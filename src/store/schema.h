#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/error.h"

namespace hone::store {

/// "HONE" in the file header (PRAGMA application_id); distinguishes stores from other SQLite files.
inline constexpr std::int32_t kApplicationId = 0x484F4E45;

/// Returns the migration steps. Step i upgrades version i (PRAGMA user_version) to i + 1; version 0
/// is an empty file. Never edit a released step; append new ones.
[[nodiscard]] std::span<const std::string_view> migrations();

// The functions below throw SQLite exceptions; Connection converts them to errors.

[[nodiscard]] std::int64_t schemaVersion(SQLite::Database& database);

/// Runs the missing steps, each in one transaction with its version number, so a killed process
/// leaves a consistent version. Fails if the store is newer than `steps`.
[[nodiscard]] Result<void> migrate(SQLite::Database& database, const std::filesystem::path& file,
                                   std::span<const std::string_view> steps);

/// Fails unless the store has exactly the version of `steps`. For readers, which never migrate.
[[nodiscard]] Result<void> checkVersion(SQLite::Database& database,
                                        const std::filesystem::path& file,
                                        std::span<const std::string_view> steps);

}  // namespace hone::store

#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <utility>

namespace hone {

/// Landlock rules that allow a process to change files only below some folders and in /dev. Create
/// them before fork: only enforce() is async-signal-safe.
class WriteRules {
 public:
  /// Returns the rules, or nullopt if the system does not support Landlock. Skips folders that do
  /// not exist.
  [[nodiscard]] static std::optional<WriteRules> below(
      std::span<const std::filesystem::path> folders);
  WriteRules(WriteRules&& other) noexcept : rules_(std::exchange(other.rules_, -1)) {}
  WriteRules& operator=(WriteRules&& other) noexcept {
    std::swap(rules_, other.rules_);
    return *this;
  }
  WriteRules(const WriteRules&) = delete;
  WriteRules& operator=(const WriteRules&) = delete;
  ~WriteRules();

  /// Restricts this thread, and the threads and processes that it starts, irrevocably. Returns
  /// false on failure. Async-signal-safe.
  [[nodiscard]] bool enforce() const;

 private:
  explicit WriteRules(int rules) : rules_(rules) {}
  int rules_ = -1;
};

}  // namespace hone

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::engine {

/// Limits the time of a compile by the times of the same program's other configs: a few configs
/// take a hundred times as long as the others, and are seldom good.
class CompilePatience {
 public:
  /// The compiler's own choice, the measure until there are enough others.
  void defaultTook(std::int64_t wallNs) { defaultNs_ = static_cast<double>(wallNs); }
  /// One that succeeded.
  void took(std::int64_t wallNs) { wallNs_.push_back(static_cast<double>(wallNs)); }
  /// Nothing before there are enough to tell.
  [[nodiscard]] std::optional<std::chrono::milliseconds> limit() const;

 private:
  double defaultNs_ = 0;
  std::vector<double> wallNs_;
};

}  // namespace hone::engine

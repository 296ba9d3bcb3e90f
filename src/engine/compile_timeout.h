#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace hone::engine {

/// Derives the timeout of a compile from the compile times of the program's other configs. A few
/// configs take a hundred times as long as the others and are rarely good.
class CompileTimeout {
 public:
  /// Adds the time of the default config, which sets the timeout until there are enough others.
  void recordDefault(std::int64_t wallNs) { defaultNs_ = static_cast<double>(wallNs); }
  /// Adds the time of a successful compile.
  void record(std::int64_t wallNs) { wallNs_.push_back(static_cast<double>(wallNs)); }
  /// Returns the timeout, or nullopt while too few times are known.
  [[nodiscard]] std::optional<std::chrono::milliseconds> limit() const;

 private:
  double defaultNs_ = 0;
  std::vector<double> wallNs_;
};

}  // namespace hone::engine

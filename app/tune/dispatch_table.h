#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tune/program/tunable_dispatch.h"

namespace hone::app {

/// Minimum width of dispatch names in a table that is too wide.
inline constexpr std::size_t kMinNameWidth = 15;

/// Returns the name of a dispatch without the program's name, which is the same for all of them.
[[nodiscard]] std::string shortName(std::string_view dispatch);
[[nodiscard]] std::string formatSpace(const tune::TunableDispatch& tunable);
[[nodiscard]] std::string formatShare(const tune::TunableDispatch& tunable);
[[nodiscard]] std::string formatWork(const tune::TunableDispatch& tunable);
/// Returns the kind of a dispatch that only moves data, such as "transpose"; "" for all others.
[[nodiscard]] std::string formatMove(const tune::TunableDispatch& tunable);
/// Returns why a dispatch is not tuned; "" if it is.
[[nodiscard]] std::string notTuned(const tune::TunableDispatch& tunable);

/// Small dispatches, which a table sums up in one line.
class SmallDispatches {
 public:
  /// Adds the dispatch if it is small and not tuned; returns false otherwise.
  bool add(const tune::TunableDispatch& tunable);
  /// Returns the cells of the line: name and share; nothing if there is no small dispatch.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>> line() const;

 private:
  std::size_t count_ = 0;
  double share_ = 0;
};

/// Collects reasons to print below a table, each with its dispatches.
class Reasons {
 public:
  void add(const std::string& reason, const tune::TunableDispatch& tunable);
  void print() const;

 private:
  struct Reason {
    std::string reason;
    std::vector<std::string> dispatches{};
  };
  std::vector<Reason> reasons_;
};

}  // namespace hone::app

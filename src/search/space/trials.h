#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hone::search {

/// Points that a strategy requested, and the results reported to it.
class Trials {
 public:
  struct Trial {
    std::size_t point = 0;
    std::optional<double> timeNs;  ///< nothing: the trial failed
  };

  explicit Trials(std::size_t points) : used_(points) {}

  /// Returns true if the point was neither requested nor reported.
  [[nodiscard]] bool isOpen(std::size_t point) const { return !used_[point]; }
  [[nodiscard]] std::size_t openCount() const { return used_.size() - usedCount_; }
  [[nodiscard]] std::size_t points() const { return used_.size(); }
  /// Marks the point as requested.
  void use(std::size_t point);
  /// Records a result; replaces an earlier one of the same point.
  void tell(std::size_t point, std::optional<double> timeNs);

  [[nodiscard]] const std::vector<Trial>& told() const { return told_; }
  [[nodiscard]] std::size_t succeeded() const { return succeeded_; }
  [[nodiscard]] std::size_t failed() const { return told_.size() - succeeded_; }
  /// Returns indices into told() of successful trials, fastest first.
  [[nodiscard]] std::vector<std::size_t> byTime() const;

 private:
  std::vector<bool> used_;
  std::size_t usedCount_ = 0;
  std::size_t succeeded_ = 0;
  std::vector<Trial> told_;
  std::unordered_map<std::size_t, std::size_t> place_;  ///< index of a point in told_
};

}  // namespace hone::search

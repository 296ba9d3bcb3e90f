#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hone::search {

/// What a strategy asked for and was told.
class Trials {
 public:
  struct Trial {
    std::size_t point = 0;
    std::optional<double> timeNs;  ///< nothing: it failed
  };

  explicit Trials(std::size_t points) : used_(points) {}

  /// Neither asked for nor told about.
  [[nodiscard]] bool isOpen(std::size_t point) const { return !used_[point]; }
  [[nodiscard]] std::size_t openCount() const { return used_.size() - usedCount_; }
  [[nodiscard]] std::size_t points() const { return used_.size(); }
  void use(std::size_t point);
  /// What is told of a point again replaces what was told before.
  void tell(std::size_t point, std::optional<double> timeNs);

  [[nodiscard]] const std::vector<Trial>& told() const { return told_; }
  [[nodiscard]] std::size_t succeeded() const { return succeeded_; }
  [[nodiscard]] std::size_t failed() const { return told_.size() - succeeded_; }
  /// Numbers of told trials that did not fail, the fastest first.
  [[nodiscard]] std::vector<std::size_t> byTime() const;

 private:
  std::vector<bool> used_;
  std::size_t usedCount_ = 0;
  std::size_t succeeded_ = 0;
  std::vector<Trial> told_;
  std::unordered_map<std::size_t, std::size_t> place_;  ///< of a point in what was told
};

}  // namespace hone::search

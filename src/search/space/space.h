#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::search {

/// One thing that can be chosen, and the values that it can have, those that are alike beside each
/// other.
struct Knob {
  std::string name;
  std::vector<std::int64_t> values;
  bool ordered = true;  ///< false: the values are numbers of options and nothing lies between them

  bool operator==(const Knob&) const = default;
};

/// All legal configurations of something, listed: who searches it names a point by its number.
class Space {
 public:
  /// Points are values, one a knob; equal ones are kept once, in order.
  Space(std::vector<Knob> knobs, std::vector<std::vector<std::int64_t>> points);

  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::int64_t> point(std::size_t number) const;
  /// The number of the point with these values.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::int64_t> values) const;

 private:
  std::vector<Knob> knobs_;
  std::vector<std::int64_t> values_;  ///< of all points, one after the other, sorted
  std::size_t size_ = 0;
};

}  // namespace hone::search

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone::search {

/// A tunable parameter and its values. Similar values are adjacent.
struct Knob {
  std::string name;
  std::vector<std::int64_t> values;
  bool ordered = true;  ///< false: the values number unrelated options

  bool operator==(const Knob&) const = default;
};

/// The list of all legal configurations. A point is identified by its number.
class Space {
 public:
  /// Points have one value per knob. They are sorted and duplicates removed.
  Space(std::vector<Knob> knobs, std::vector<std::vector<std::int64_t>> points);

  [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::int64_t> point(std::size_t number) const;
  /// Returns the number of the point with these values.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::int64_t> values) const;

 private:
  std::vector<Knob> knobs_;
  std::vector<std::int64_t> values_;  ///< of all points, concatenated in sorted order
  std::size_t size_ = 0;
};

}  // namespace hone::search

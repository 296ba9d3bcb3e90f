#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// A knob of a rewrite with the values that are worth a try, in order.
struct PlanKnob {
  std::string_view name;
  std::vector<std::int64_t> values;
  std::int64_t start = 0;
};

/// A named rewrite, as the search sees it.
struct Technique {
  std::string_view name;  ///< a key of the library of examples: "packing", …
  std::vector<PlanKnob> knobs;
  std::string_view title;  ///< for people: "a packed right-hand side and a register tile"
};

/// All for C++ kernels, in the order in which they are applied.
[[nodiscard]] std::span<const Technique> cppTechniques();
[[nodiscard]] const Technique* findTechnique(std::string_view name);

/// Rewrites and the values of their knobs. Whatever the order they are given in, they are applied
/// in one.
class Plan {
 public:
  using Knobs = std::map<std::string, std::int64_t, std::less<>>;

  [[nodiscard]] bool has(std::string_view technique) const { return steps_.contains(technique); }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// Adds the technique with the first values of its knobs.
  void add(std::string_view technique);
  void set(std::string_view technique, std::string_view knob, std::int64_t value);
  void remove(std::string_view technique);
  [[nodiscard]] const std::map<std::string, Knobs, std::less<>>& steps() const { return steps_; }
  [[nodiscard]] std::vector<std::string> techniques() const;

  /// "packing depth=256 rows=8 vectors=3; vectorization unroll=4 width=16"
  [[nodiscard]] std::string text() const;
  /// Reads what `text` wrote; nothing for what it did not.
  [[nodiscard]] static std::optional<Plan> from(std::string_view text);

  bool operator==(const Plan&) const = default;

 private:
  std::map<std::string, Knobs, std::less<>> steps_;
};

/// Whether the values can be worth anything together: a tile that fits the registers.
[[nodiscard]] bool sensible(const Plan& plan);

/// What the plan makes of the kernel. Nothing where one of its rewrites finds nothing to do, or may
/// not; a kernel outside the subset can only get flags.
[[nodiscard]] std::optional<Source> applied(const Plan& plan, const Source& original);

}  // namespace hone::kernel

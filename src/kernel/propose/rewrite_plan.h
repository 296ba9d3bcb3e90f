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

/// A knob of a rewrite and the values to try, in ascending order.
struct RewriteKnob {
  std::string_view name;
  std::vector<std::int64_t> values;
  std::int64_t start = 0;
};

/// A named rewrite with its knobs.
struct Technique {
  std::string_view name;  ///< key of the technique library, such as "packing"
  std::vector<RewriteKnob> knobs;
  std::string_view title;  ///< description for users
};

/// Returns all techniques for C++ kernels, in the order in which they are applied.
[[nodiscard]] std::span<const Technique> cppTechniques();
[[nodiscard]] const Technique* findTechnique(std::string_view name);

/// A set of rewrites with the values of their knobs. They are applied in the order of
/// cppTechniques(), regardless of the order of add().
class RewritePlan {
 public:
  using Knobs = std::map<std::string, std::int64_t, std::less<>>;

  [[nodiscard]] bool has(std::string_view technique) const { return steps_.contains(technique); }
  [[nodiscard]] bool empty() const { return steps_.empty(); }
  /// Adds the technique with the start values of its knobs.
  void add(std::string_view technique);
  void set(std::string_view technique, std::string_view knob, std::int64_t value);
  void remove(std::string_view technique);
  [[nodiscard]] const std::map<std::string, Knobs, std::less<>>& steps() const { return steps_; }
  [[nodiscard]] std::vector<std::string> techniques() const;

  /// Returns the plan as text: "packing depth=256 rows=8 vectors=3; vectorization unroll=4".
  [[nodiscard]] std::string text() const;
  /// Parses the output of `text`; returns nothing for other input.
  [[nodiscard]] static std::optional<RewritePlan> from(std::string_view text);

  bool operator==(const RewritePlan&) const = default;

 private:
  std::map<std::string, Knobs, std::less<>> steps_;
};

/// Returns true if the knob values are compatible: tiles fit the registers, and all vectors have
/// the same width.
[[nodiscard]] bool isFeasible(const RewritePlan& plan);

/// Applies the plan to a kernel. Returns nothing if one of the rewrites does not apply. A kernel
/// outside the supported subset of C++ can only get other compiler flags.
[[nodiscard]] std::optional<Source> applyPlan(const RewritePlan& plan, const Source& original);

}  // namespace hone::kernel

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text/regex.h"

namespace hone::profile {

/// Filter "--dispatches=<regex>,<regex>". A `*` stands for any text, as in "matmul_128x*_mmasync",
/// unless it follows `.`, `)`, `]` or a backslash. A pattern must match the whole name of the
/// dispatch, of its operation, or of its kind.
class DispatchFilter {
 public:
  /// Accepts all dispatches.
  DispatchFilter() = default;
  /// Parses the value of the option; returns a user error that shows an invalid regex.
  [[nodiscard]] static Result<DispatchFilter> from(std::string_view text,
                                                   std::string_view option = "--dispatches");

  /// Returns true if any pattern matches.
  [[nodiscard]] bool takes(std::string_view kind, const std::string& operation,
                           const std::string& dispatch) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<Regex> patterns_;
};

/// Returns the `count` names most similar to the text, the most similar first, as suggestions.
[[nodiscard]] std::vector<std::string> nearestNames(std::string_view text,
                                                    std::span<const std::string> names,
                                                    std::size_t count);

}  // namespace hone::profile

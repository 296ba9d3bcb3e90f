#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text/regex.h"

namespace hone::profile {

/// "--dispatches=<regex>,<regex>": which dispatches are meant. A `*` that repeats nothing stands
/// for any text, as in "matmul_128x128x256_*_mmasync". A pattern fits a dispatch when it is the
/// whole name of the dispatch, of its operation, or of its kind.
class DispatchFilter {
 public:
  /// Takes all.
  DispatchFilter() = default;
  /// Parses the option; returns a user error that shows a pattern that is not a valid regex.
  [[nodiscard]] static Result<DispatchFilter> from(std::string_view text);

  [[nodiscard]] bool takes(std::string_view kind, const std::string& operation,
                           const std::string& dispatch) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<Regex> patterns_;
};

/// The names that are most like the text, the nearest first: for "nothing matches".
[[nodiscard]] std::vector<std::string> nearestNames(std::string_view text,
                                                    std::span<const std::string> names,
                                                    std::size_t count);

}  // namespace hone::profile

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace re2 {
class RE2;
}

namespace hone {

/// User-supplied regular expression in RE2 syntax: Perl's without backreferences and look-around.
/// Matches bytes, in time linear in the text and constant stack.
class Regex {
 public:
  /// Compiles `pattern`; returns a user error if it is not a valid regex.
  [[nodiscard]] static Result<Regex> compile(std::string_view pattern);

  /// Returns true if the pattern matches all of `text`.
  [[nodiscard]] bool matches(std::string_view text) const;
  /// Returns true if the pattern matches a part of `text`.
  [[nodiscard]] bool matchesAnywhere(std::string_view text) const;

 private:
  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace hone

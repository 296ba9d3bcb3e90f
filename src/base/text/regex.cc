#include "base/text/regex.h"

#include <re2/re2.h>

namespace hone {

Result<Regex> Regex::compile(std::string_view pattern) {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_never_capture(true);
  // Alternations over hundreds of dispatches exceed RE2's default limit of 8 MB.
  options.set_max_mem(std::int64_t{256} << 20U);
  auto compiled = std::make_shared<const RE2>(pattern, options);
  if (!compiled->ok()) {
    return userError("invalid regular expression '{}': {}", pattern, compiled->error());
  }
  return Regex(std::move(compiled));
}

bool Regex::matches(std::string_view text) const { return RE2::FullMatch(text, *compiled_); }

bool Regex::matchesAnywhere(std::string_view text) const {
  return RE2::PartialMatch(text, *compiled_);
}

}  // namespace hone

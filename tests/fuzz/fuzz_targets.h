#pragma once

#include <span>
#include <string_view>

namespace hone::test {

/// A parser of text from outside. It must return for any bytes: no crash, no exception, no hang.
struct FuzzTarget {
  std::string_view name;  ///< also of its folder in corpus/
  void (*parse)(std::string_view text);
};

[[nodiscard]] std::span<const FuzzTarget> fuzzTargets();

}  // namespace hone::test

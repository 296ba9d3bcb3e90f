#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// A part of a TileLang source that affects speed but not results: a number, a loop kind, a loop
/// order, a structure (see tilelang_structure.h) or compiler flags.
struct TextKnob {
  struct Place {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  std::string name;       ///< "block_M", "threads", "num_stages"; "loop" for a loop kind, "order"
                          ///< for two loops, "compile_flags" for flags to add
  std::string technique;  ///< "tiling", "threads", "pipelining", …
  std::string value;      ///< current text
  std::vector<std::string> values;  ///< other values to try, nearest first
  std::vector<Place> places;        ///< all places are changed together
  int line = 0;                     ///< of the first place
};

/// Returns the knobs of a source: numbers assigned to names such as block, tile, thread or stage
/// (as a default, a keyword or an assignment), and loop kinds. For a CPU target also the order of
/// T.serial loops and the compiler flags, for other targets structural changes (see
/// tilelang_structure.h). Ignores comments and strings.
[[nodiscard]] std::vector<TextKnob> tileLangKnobs(std::string_view text);

/// Returns the text with the knob set to `value`.
[[nodiscard]] std::string withKnob(std::string_view text, const TextKnob& knob,
                                   std::string_view value);

/// A changed source.
struct TextMove {
  std::string text;
  std::vector<std::string> changes;  ///< descriptions of the one or two changes
  std::vector<std::string> techniques;

  [[nodiscard]] std::string title() const;
};

/// Returns sources with one or two changed knobs. Those that address findings come first;
/// techniques are mixed.
[[nodiscard]] std::vector<TextMove> tileLangMoves(std::string_view text,
                                                  const std::vector<Finding>& findings,
                                                  std::uint64_t seed);

/// Returns true if the source names the target "c". There g++ vectorizes the loops, and
/// T.vectorized has no effect.
[[nodiscard]] bool targetsCpu(std::string_view text);

}  // namespace hone::kernel

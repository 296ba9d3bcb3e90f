#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/propose/analysis/analysis.h"

namespace hone::kernel {

/// A number, or a kind of loop, in a TileLang source that changes speed and not meaning.
struct TextKnob {
  struct Place {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  std::string name;       ///< "block_M", "threads", "num_stages"; "loop" for a kind of loop,
                          ///< "order" for two loops, "compile_flags" where there are none yet
  std::string technique;  ///< "tiling", "threads", "pipelining", …
  std::string value;      ///< as it stands in the text
  std::vector<std::string> values;  ///< others worth a try, the nearest first
  std::vector<Place> places;        ///< all are changed together
  int line = 0;                     ///< of the first
};

/// Numbers given to names that speak of blocks, tiles, threads, stages and the like (as a default,
/// a keyword or an assignment), loops over T.serial, their order, and for a CPU the compiler's
/// flags. Comments and strings are left alone.
[[nodiscard]] std::vector<TextKnob> tileLangKnobs(std::string_view text);

[[nodiscard]] std::string withKnob(std::string_view text, const TextKnob& knob,
                                   std::string_view value);

/// A changed source.
struct TextMove {
  std::string text;
  std::vector<std::string> changes;  ///< one or two, as a reader is told of them
  std::vector<std::string> techniques;

  [[nodiscard]] std::string title() const;
};

/// One knob changed, or two at a time; those that answer findings first, techniques mixed.
[[nodiscard]] std::vector<TextMove> tileLangMoves(std::string_view text,
                                                  const std::vector<Finding>& findings,
                                                  std::uint64_t seed);

/// Whether the source names the target "c": g++ makes vectors of its loops, and T.vectorized is of
/// no use there.
[[nodiscard]] bool isForCpu(std::string_view text);

/// The text with comments and strings made blank, every character at its place.
[[nodiscard]] std::string withoutComments(std::string_view text);

}  // namespace hone::kernel

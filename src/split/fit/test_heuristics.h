#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "split/fit/heuristic.h"

namespace hone::split::test {

/// A stand-in for the compiler's file, in this form.
inline std::string standIn(SourceForm form) {
  const char* name = form == SourceForm::chain ? "chain_form.cpp" : "functions_form.cpp";
  return readFile(std::filesystem::path(HONE_SPLIT_TESTDATA) / name).value();
}

/// 1 to 2^38, small values as likely as large ones.
inline std::int64_t someSize(Random& random) {
  return static_cast<std::int64_t>(random.below(std::size_t{1} << (1 + random.below(38)))) + 1;
}

inline Ladder someLadder(Random& random) {
  Ladder ladder{.bands = {}, .cap = someSize(random)};
  std::int64_t output = 0;
  for (std::size_t i = random.below(5); i > 0; --i) {
    output += someSize(random);
    Band band{.outputBelow = output, .steps = {}, .limit = someSize(random)};
    std::int64_t summed = 0;
    for (std::size_t steps = random.below(2) * random.below(4); steps > 0; --steps) {
      summed += someSize(random);
      band.steps.push_back({summed, someSize(random)});
    }
    ladder.bands.push_back(std::move(band));
  }
  return ladder;
}

inline Heuristic someHeuristic(Random& random, SourceForm form, model::ReductionKind kind) {
  return {.kind = kind,
          .form = form,
          .returns = {someSize(random) - 1, someSize(random) - 1,
                      static_cast<std::int64_t>(random.below(1000))},
          .ladder = someLadder(random)};
}

/// One for each kind.
inline std::vector<Heuristic> someHeuristics(Random& random, SourceForm form) {
  return {someHeuristic(random, form, model::ReductionKind::convolution),
          someHeuristic(random, form, model::ReductionKind::matmul)};
}

}  // namespace hone::split::test

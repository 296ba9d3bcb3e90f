#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "split/fit/heuristic.h"

namespace hone::split::test {

/// Returns a replica of the compiler's file in this form.
inline std::string replicaSource(SourceForm form) {
  const char* name = form == SourceForm::chain ? "chain_form.cpp" : "functions_form.cpp";
  return readFile(std::filesystem::path(HONE_SPLIT_TESTDATA) / name).value();
}

/// Returns a random size from 1 to 2^38, small and large magnitudes being equally likely.
inline std::int64_t randomSize(Random& random) {
  return static_cast<std::int64_t>(random.below(std::size_t{1} << (1 + random.below(38)))) + 1;
}

inline Ladder randomLadder(Random& random) {
  Ladder ladder{.bands = {}, .cap = randomSize(random)};
  std::int64_t output = 0;
  for (std::size_t i = random.below(5); i > 0; --i) {
    output += randomSize(random);
    Band band{.outputBelow = output, .steps = {}, .limit = randomSize(random)};
    std::int64_t summed = 0;
    for (std::size_t steps = random.below(2) * random.below(4); steps > 0; --steps) {
      summed += randomSize(random);
      band.steps.push_back({summed, randomSize(random)});
    }
    ladder.bands.push_back(std::move(band));
  }
  return ladder;
}

inline Heuristic randomHeuristic(Random& random, SourceForm form, model::ReductionKind kind) {
  return {.kind = kind,
          .form = form,
          .returns = {randomSize(random) - 1, randomSize(random) - 1,
                      static_cast<std::int64_t>(random.below(1000))},
          .ladder = randomLadder(random)};
}

/// Returns one heuristic per kind.
inline std::vector<Heuristic> randomHeuristics(Random& random, SourceForm form) {
  return {randomHeuristic(random, form, model::ReductionKind::convolution),
          randomHeuristic(random, form, model::ReductionKind::matmul)};
}

}  // namespace hone::split::test

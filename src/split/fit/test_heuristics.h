#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "split/fit/heuristic.h"
#include "tests/source_folder.h"

namespace hone::split::test {

/// A replica of the compiler's file, with the forms of its two kinds.
struct Replica {
  const char* file;
  SourceForm convolution, matmul;

  [[nodiscard]] std::string text() const {
    return readFile(sourceFolder() / "src/split/source/testdata" / file).value();
  }
  [[nodiscard]] SourceForm form(model::ReductionKind kind) const {
    return kind == model::ReductionKind::convolution ? convolution : matmul;
  }
};

inline constexpr std::array<Replica, 5> kReplicas = {
    {{"members_form.cpp", SourceForm::chain, SourceForm::chain},
     {"chain_form.cpp", SourceForm::chain, SourceForm::chain},
     {"products_form.cpp", SourceForm::functions, SourceForm::functions},
     {"functions_form.cpp", SourceForm::functions, SourceForm::functions},
     {"own_form.cpp", SourceForm::functions, SourceForm::chain}}};

/// Returns the replica of the compiler's file in the older or the current form.
inline std::string replicaSource(SourceForm form) {
  return kReplicas.at(form == SourceForm::chain ? 1 : 3).text();
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

/// Returns a range of small and large sizes.
inline MeasuredRange randomRange(Random& random) {
  const auto size = [&](std::size_t bits) {
    return static_cast<std::int64_t>(random.below(std::size_t{1} << (1 + random.below(bits)))) + 1;
  };
  MeasuredRange range{.shapes = size(8)};
  range.minOutput = size(12);
  range.maxOutput = range.minOutput + size(28);
  range.minReduction = size(10);
  range.maxReduction = range.minReduction + size(28);
  return range;
}

inline Heuristic randomHeuristic(Random& random, SourceForm form, model::ReductionKind kind) {
  Heuristic heuristic{.kind = kind,
                      .form = form,
                      .returns = {randomSize(random) - 1, randomSize(random) - 1,
                                  static_cast<std::int64_t>(random.below(1000)),
                                  form == SourceForm::chain ? 0 : randomSize(random) - 1},
                      .ladder = randomLadder(random),
                      .range = randomRange(random)};
  for (Band& band : heuristic.ladder.bands) {
    band.limit = random.below(4) == 0 ? kNoSplit : band.limit;
  }
  return heuristic;
}

/// Returns one heuristic per kind.
inline std::vector<Heuristic> randomHeuristics(Random& random, const Replica& replica) {
  return {randomHeuristic(random, replica.convolution, model::ReductionKind::convolution),
          randomHeuristic(random, replica.matmul, model::ReductionKind::matmul)};
}
inline std::vector<Heuristic> randomHeuristics(Random& random, SourceForm form) {
  return {randomHeuristic(random, form, model::ReductionKind::convolution),
          randomHeuristic(random, form, model::ReductionKind::matmul)};
}

}  // namespace hone::split::test

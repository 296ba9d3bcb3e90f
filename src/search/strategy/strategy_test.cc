#include "search/strategy/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "search/space/test_spaces.h"
#include "search/strategy/forest.h"
#include "search/strategy/gaussian_process.h"
#include "search/strategy/replay.h"
#include "stats/summary.h"

namespace hone::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kAll = {"random", "exhaustive", "evolve", "model"};

Space gridSpace(std::int64_t rows, std::int64_t columns) {
  std::vector<std::vector<std::int64_t>> points;
  Knob a{"a", {}};
  Knob b{"b", {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    a.values.push_back(std::int64_t{1} << i);
    for (std::int64_t j = 0; j < columns; ++j) {
      points.push_back({std::int64_t{1} << i, j, j % 3});
    }
  }
  for (std::int64_t j = 0; j < columns; ++j) {
    b.values.push_back(j);
  }
  return {{a, b, {"c", {0, 1, 2}, false}}, points};
}

/// Runs a strategy until it is exhausted, asking for `portion` points at a time; every n-th point
/// fails. Returns the points in order.
std::vector<std::size_t> runStrategy(std::string_view name, const Space& space, std::uint64_t seed,
                                     std::size_t portion, std::size_t failing) {
  const auto strategy = makeStrategy(name, space, {.seed = seed});
  EXPECT_TRUE(strategy);
  std::vector<std::size_t> asked;
  while (true) {
    const auto points = (*strategy)->ask(portion);
    EXPECT_LE(points.size(), portion);
    if (points.empty()) {
      return asked;
    }
    for (const std::size_t point : points) {
      asked.push_back(point);
      (*strategy)->tell(point, point % failing == 0
                                   ? std::nullopt
                                   : std::optional(100.0 + static_cast<double>(point * 7 % 31)));
    }
  }
}

RC_GTEST_PROP(Strategies, TryEveryPointOnceInDeterministicOrder, ()) {
  const auto below = [](int end) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, end));
  };
  const Space space = gridSpace(below(6), 1 + below(12));
  const std::string name = *rc::gen::elementOf(kAll);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto portion = *rc::gen::inRange<std::size_t>(1, 20);
  const auto failing = *rc::gen::inRange<std::size_t>(1, 6);  // 1: all fail
  RC_CLASSIFY(space.size() > 20, "more than 20 points");
  auto asked = runStrategy(name, space, seed, portion, failing);
  RC_ASSERT(asked == runStrategy(name, space, seed, portion, failing));
  std::sort(asked.begin(), asked.end());
  std::vector<std::size_t> all(space.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  RC_ASSERT(asked == all);
}

TEST(Strategies, UnknownNameListsAllNames) {
  const Space space = gridSpace(2, 2);
  const auto strategy = makeStrategy("guess", space, {});
  ASSERT_FALSE(strategy);
  EXPECT_EQ(strategy.error().fault, Fault::user);
  EXPECT_THAT(strategy.error().message, HasSubstr("random, exhaustive, evolve, model"));
}

TEST(Strategies, StartWithGivenPoints) {
  const Space space = gridSpace(5, 9);
  for (const char* name : {"exhaustive", "evolve", "model"}) {
    const auto strategy = makeStrategy(name, space, {.first = {17, 3, 17}});
    const auto points = (*strategy)->ask(4);
    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0], 17u) << name;
    EXPECT_EQ(points[1], 3u) << name;
  }
  const auto exhaustive = makeStrategy("exhaustive", space, {.first = {2}});
  EXPECT_THAT((*exhaustive)->ask(4), ElementsAre(2u, 0u, 1u, 3u));
}

TEST(Strategies, DoNotAskForReportedPoints) {
  const Space space = gridSpace(3, 3);
  for (const char* name : kAll) {
    const auto strategy = makeStrategy(name, space, {});
    for (const std::size_t point : {0, 1, 2, 3, 5, 6, 7, 8}) {
      (*strategy)->tell(point, 10);
    }
    EXPECT_THAT((*strategy)->ask(5), ElementsAre(4u)) << name;
    EXPECT_TRUE((*strategy)->ask(5).empty()) << name;
  }
}

TEST(Strategies, UseStaticModelForFirstPoints) {
  const Space space = gridSpace(6, 30);
  for (const char* name : {"evolve", "model"}) {
    const auto strategy = makeStrategy(
        name, space, {.guess = [](std::size_t point) { return point == 77 ? 1.0 : 50.0; }});
    EXPECT_EQ((*strategy)->ask(1).front(), 77u) << name;
  }
}

/// Returns the median over synthetic spaces of the trials until within 5 % of the best.
double medianTrials(std::string_view name, std::uint64_t spaces) {
  constexpr std::size_t kMost = 150;
  std::vector<double> trials;
  for (std::uint64_t seed = 1; seed <= spaces; ++seed) {
    const Recording recording = SyntheticSpace(seed).record();
    const auto best = replay(recording, name, {.seed = seed, .trials = kMost});
    EXPECT_TRUE(best);
    trials.push_back(static_cast<double>(trialsUntil(recording, *best, 0.05).value_or(kMost)));
  }
  return stats::median(trials);
}

TEST(Strategies, LearnersNeedFarFewerTrialsThanRandom) {
  const double random = medianTrials("random", 5);
  EXPECT_LT(medianTrials("evolve", 5), random / 3);
  EXPECT_LT(medianTrials("model", 5), random / 2);
}

/// Returns the number of failures in a hundred trials.
int countFailures(std::string_view name, const Recording& recording) {
  std::vector<std::vector<std::int64_t>> points;
  for (const RecordedPoint& point : recording.points) {
    points.push_back(point.values);
  }
  const Space space(recording.knobs, points);
  const auto strategy = makeStrategy(name, space, {});
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t point = (*strategy)->ask(1).front();
    failed += recording.points[point].timeNs ? 0 : 1;
    (*strategy)->tell(point, recording.points[point].timeNs);
  }
  return failed;
}

TEST(Strategies, AvoidPointsSimilarToFailures) {
  std::map<std::string, int> failed;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Recording recording = SyntheticSpace(seed).record();
    for (const char* name : {"random", "evolve", "model"}) {
      failed[name] += countFailures(name, recording);
    }
  }
  ASSERT_GT(failed["random"], 60);
  EXPECT_LT(failed["evolve"], failed["random"] / 2);
  EXPECT_LT(failed["model"], failed["random"] / 2);
}

TEST(GaussianProcess, InterpolatesAndIsUncertainElsewhere) {
  const std::vector<std::vector<float>> rows = {{0, 0}, {0.3F, 1}, {0.5F, 0}, {1, 1}};
  const std::vector<std::span<const float>> spans(rows.begin(), rows.end());
  GaussianProcess process({true, false});
  process.fit(spans, {1, 2, 3, 5});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Prediction at = process.predict(rows[i]);
    EXPECT_NEAR(at.mean, std::vector<double>({1, 2, 3, 5})[i], 0.25);
    EXPECT_DOUBLE_EQ(at.mean, process.mean(rows[i]));
  }
  const std::vector<float> between = {0.75F, 0};
  EXPECT_GT(process.predict(between).deviation, 1.5 * process.predict(rows[2]).deviation);
}

TEST(GaussianProcess, LearnsRelevantFeature) {
  Random random(7);
  std::vector<std::vector<float>> rows;
  std::vector<double> targets;
  for (int i = 0; i < 40; ++i) {
    rows.push_back({static_cast<float>(random.uniform()), static_cast<float>(random.uniform())});
    targets.push_back(std::sin(6 * static_cast<double>(rows.back()[0])));
  }
  GaussianProcess process({true, true});
  process.learn({rows.begin(), rows.end()}, targets);
  const std::vector<float> here = {0.5F, 0.5F};
  const std::vector<float> aside = {0.5F, 0.9F};
  const std::vector<float> along = {0.9F, 0.5F};
  EXPECT_GT(process.similarity(here, aside), process.similarity(here, along));
}

TEST(ExpectedImprovement, GrowsWithGainAndUncertainty) {
  EXPECT_DOUBLE_EQ(expectedImprovement({3, 0}, 5), 2);
  EXPECT_DOUBLE_EQ(expectedImprovement({6, 0}, 5), 0);
  EXPECT_GT(expectedImprovement({6, 1}, 5), 0);
  EXPECT_GT(expectedImprovement({6, 2}, 5), expectedImprovement({6, 1}, 5));
  EXPECT_GT(expectedImprovement({4, 1}, 5), 1);
}

TEST(Forest, FitsStepsAndIsUncertainBetween) {
  std::vector<std::vector<float>> rows;
  std::vector<double> targets;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({static_cast<float>(i % 10), static_cast<float>(i) / 10});
    targets.push_back(i % 10 < 5 ? 1 : 9);
  }
  Forest forest(3);
  forest.fit({rows.begin(), rows.end()}, targets);
  EXPECT_NEAR(forest.predict(std::vector<float>{2, 3}).mean, 1, 0.5);
  EXPECT_NEAR(forest.predict(std::vector<float>{8, 3}).mean, 9, 0.5);
  EXPECT_GT(forest.predict(std::vector<float>{4.5F, 3}).deviation,
            forest.predict(std::vector<float>{8, 3}).deviation);
  EXPECT_EQ(Forest(1).predict(std::vector<float>{1, 1}).mean, 0);
}

}  // namespace
}  // namespace hone::search

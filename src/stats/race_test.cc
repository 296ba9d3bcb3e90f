#include "stats/race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "stats/test_noise.h"

namespace hone::stats {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Row = std::vector<std::optional<double>>;

/// Runs a race between racers with the given true times to its end and keeps the rounds.
struct Simulation {
  Race race;
  std::vector<Row> rows;
  std::size_t samples = 0;

  Simulation(const std::vector<double>& truth, Noise noise, const RaceOptions& options)
      : race(truth.size(), options) {
    std::vector<double> own(truth.size());
    while (!race.done()) {
      Row row(truth.size());
      const double shared = noise.round();
      for (const std::size_t racer : race.order()) {
        row[racer] = truth[racer] * std::exp(shared + noise.sample(own[racer]));
        ++samples;
      }
      race.addRound(row);
      rows.push_back(row);
    }
  }
};

/// Returns a baseline of 1000, a best racer 5 % faster, and others up to 20 % slower.
std::vector<double> racerTimes() {
  std::vector<double> truth = {1000, 950};
  for (int i = 0; i < 14; ++i) {
    truth.push_back(1000 + 200.0 * i / 13);
  }
  return truth;
}

void feed(Race& race, const Row& row, int times) {
  for (int i = 0; i < times; ++i) {
    race.addRound(row);
  }
}

TEST(Race, KeepsBestUnderEveryNoise) {
  int kept = 0;
  int runs = 0;
  std::size_t samples = 0;
  std::size_t all = 0;
  for (const auto kind : {Noise::Kind::quiet, Noise::Kind::heavyTailed, Noise::Kind::spikes,
                          Noise::Kind::bursts, Noise::Kind::ownDrift}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Simulation run(racerTimes(), Noise(kind, 0.02, seed), {.seed = seed});
      const std::vector<std::size_t> best = run.race.ranking();
      kept += std::find(best.begin(), best.end(), 1U) != best.end() ? 1 : 0;
      samples += run.samples;
      all += racerTimes().size() * 20;
      ++runs;
    }
  }
  testing::Test::RecordProperty("keptOf250", kept);
  testing::Test::RecordProperty("percentOfSamples", static_cast<int>(100 * samples / all));
  EXPECT_GE(kept, runs * 99 / 100);
  EXPECT_LT(samples, all * 2 / 3);
}

TEST(Race, RarelyDropsRacerAsFastAsLeader) {
  int dropped = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    const auto seed = static_cast<std::uint64_t>(run) + 1;
    const Simulation both({1000, 1000}, Noise(Noise::Kind::heavyTailed, 0.05, seed),
                          {.keep = 0, .seed = seed});
    dropped += both.race.alive(1) ? 0 : 1;
  }
  testing::Test::RecordProperty("droppedOf400", dropped);
  EXPECT_LE(dropped, kRuns * 5 / 100);
}

TEST(Race, DropsSignificantlySlowerAndRanksOthers) {
  Race race(4, {.keep = 1});
  feed(race, {100.0, 90.0, 120.0, 80.0}, 5);
  EXPECT_TRUE(race.alive(2)) << "5 of 5 is not significant";
  race.addRound(Row{100.0, 90.0, 120.0, 80.0});
  EXPECT_FALSE(race.alive(1));
  EXPECT_FALSE(race.alive(2));
  EXPECT_TRUE(race.alive(0));
  EXPECT_THAT(race.ranking(), ElementsAre(3));
  EXPECT_TRUE(race.done());
}

TEST(Race, RanksByMedianLogRatioToBaseline) {
  Race race(4, {});
  race.addRound(Row{100.0, 99.0, 80.0, 90.0});
  race.addRound(Row{200.0, 198.0, 160.0, 180.0});
  race.addRound(Row{100.0, 99.0, 900.0, 90.0});
  EXPECT_THAT(race.ranking(), ElementsAre(2, 3, 1));
}

TEST(Race, BaselineLeadsIfNoneIsFaster) {
  Race race(3, {.keep = 0});
  feed(race, {100.0, 110.0, 120.0}, 8);
  EXPECT_THAT(race.ranking(), IsEmpty());
  EXPECT_TRUE(race.alive(0));
  EXPECT_TRUE(race.done());
}

TEST(Race, NeverDropsBaseline) {
  Race race(2, {});
  feed(race, {1000.0, 10.0}, 20);
  race.addRound(Row{std::nullopt, 10.0});
  EXPECT_TRUE(race.alive(0));
  EXPECT_THAT(race.ranking(), ElementsAre(1));
}

TEST(Race, KeepsEqualRacers) {
  Race race(6, {});
  feed(race, Row(6, 100.0), 20);
  EXPECT_EQ(race.ranking().size(), 5U);
  EXPECT_TRUE(race.done());
}

TEST(Race, DropsFailedRacer) {
  Race race(4, {});
  race.addRound(Row{100.0, std::nullopt, 100.0, -1.0});
  EXPECT_FALSE(race.alive(1));
  EXPECT_FALSE(race.alive(3));
  race.addRound(Row{100.0, 1.0, 100.0, 1.0});
  EXPECT_FALSE(race.alive(1)) << "dropped racers stay dropped";
  EXPECT_THAT(race.ranking(), ElementsAre(2));
}

TEST(Race, TreatsMissingTimesAsFailures) {
  Race race(3, {});
  race.addRound(Row{100.0, 50.0});
  EXPECT_THAT(race.ranking(), ElementsAre(1));
}

TEST(Race, IsDoneWhenAllFail) {
  Race race(3, {});
  EXPECT_FALSE(race.done());
  race.addRound(Row{100.0, std::nullopt, std::nullopt});
  EXPECT_TRUE(race.done());
  EXPECT_THAT(race.ranking(), IsEmpty());
  EXPECT_THAT(race.order(), ElementsAre(0));
}

TEST(Race, IsDoneWithoutCandidates) {
  const Race alone(1, {});
  EXPECT_TRUE(alone.done());
  EXPECT_THAT(alone.order(), ElementsAre(0));
  const Race empty(0, {});
  EXPECT_TRUE(empty.done());
  EXPECT_THAT(empty.order(), IsEmpty());
  EXPECT_FALSE(empty.alive(0));
}

TEST(Race, RunsAtLeastMinRoundsAndAtMostMaxRounds) {
  Race few(3, {.minRounds = 4, .maxRounds = 9, .keep = 3});
  feed(few, Row(3, 100.0), 3);
  EXPECT_FALSE(few.done());
  few.addRound(Row(3, 100.0));
  EXPECT_TRUE(few.done());

  Race many(6, {.minRounds = 4, .maxRounds = 9, .keep = 3});
  feed(many, Row(6, 100.0), 8);
  EXPECT_FALSE(many.done());
  many.addRound(Row(6, 100.0));
  EXPECT_TRUE(many.done());
  EXPECT_EQ(many.rounds(), 9U);
}

TEST(Race, AcceptsUnlimitedRounds) {
  Race race(3, {.maxRounds = static_cast<std::size_t>(-1), .keep = 0});
  feed(race, {100.0, 90.0, 120.0}, 30);
  EXPECT_THAT(race.ranking(), ElementsAre(1));
}

TEST(Race, OrdersDifferBetweenRoundsAndSeeds) {
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Race race(8, {.seed = seed});
    for (int round = 0; round < 4; ++round) {
      orders.insert(race.order());
      race.addRound(Row(8, 100.0));
    }
  }
  EXPECT_EQ(orders.size(), 12U);
}

TEST(Race, OrderIsUniform) {
  std::vector<int> baselineAt(4);
  Race race(4, {});
  for (int round = 0; round < 1000; ++round) {
    const std::vector<std::size_t> order = race.order();
    ++baselineAt[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0U) -
                                          order.begin())];
    race.addRound(Row(4, 100.0));
  }
  for (const int count : baselineAt) {
    EXPECT_NEAR(count, 250, 50);
  }
}

RC_GTEST_PROP(RaceProperty, ReplaysRecordedRounds, (std::uint64_t seed)) {
  const RaceOptions options = {.seed = seed};
  const Simulation first(racerTimes(), Noise(Noise::Kind::bursts, 0.02, seed), options);
  Race again(racerTimes().size(), options);
  for (const Row& row : first.rows) {
    RC_ASSERT(!again.done());
    std::vector<std::size_t> order = again.order();
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> took;
    for (std::size_t racer = 0; racer < row.size(); ++racer) {
      if (row[racer]) {
        took.push_back(racer);
      }
    }
    RC_ASSERT(order == took);
    again.addRound(row);
  }
  RC_ASSERT(again.done());
  RC_ASSERT(again.ranking() == first.race.ranking());
  RC_ASSERT(again.order() == first.race.order());
}

}  // namespace
}  // namespace hone::stats

#include "search/space/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/file.h"
#include "search/strategy/replay.h"

namespace hone::search {
namespace {

using ::testing::HasSubstr;

Recording anyRecording() {
  Recording recording{*rc::gen::element<std::string>("", "a \"matmul\"", "größe"),
                      {{"tile", {1, 2, 4, 8}}, {"kind", {0, -3}, *rc::gen::arbitrary<bool>()}},
                      {}};
  for (const std::int64_t tile : {1, 2, 4, 8}) {
    for (const std::int64_t kind : {-3, 0}) {
      RecordedPoint point{{tile, kind}};
      if (*rc::gen::arbitrary<bool>()) {
        point.timeNs = *rc::gen::inRange(1, 1'000'000'000) / 7.0;
      } else {
        point.failure = *rc::gen::element<std::string>("", "compile_failed: shared memory");
      }
      if (*rc::gen::arbitrary<bool>()) {
        point.guess = *rc::gen::inRange(-5, 1000) / 3.0;
      }
      if (*rc::gen::inRange(0, 4) > 0) {
        recording.points.push_back(point);
        if (*rc::gen::inRange(0, 4) == 0) {
          recording.first.push_back(point.values);
        }
      }
    }
  }
  return recording;
}

RC_GTEST_PROP(Recording, RoundTrips, ()) {
  const Recording recording = anyRecording();
  const auto again = recordingFrom(toText(recording));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == recording);
}

TEST(Recording, ReportsErrorsWithLocation) {
  const auto error = [](std::string_view text) {
    const auto recording = recordingFrom(text);
    return recording ? std::string() : recording.error().message;
  };
  const auto withPoints = [](std::string_view points, std::string_view more = "") {
    return fmt::format(
        R"({{"name": "n", "knobs": [{{"name": "x", "values": [1, 2]}}], "points": [{}]{}}})",
        points, more);
  };
  EXPECT_EQ(error("{\n\"name\": 1,\n]"), "recording, line 3: invalid JSON");
  EXPECT_THAT(error("[]"), HasSubstr("recording: must be an object"));
  EXPECT_THAT(error("{}"), HasSubstr("'name' is missing"));
  EXPECT_EQ(error(withPoints(R"({"values": [1], "time_ns": 5}, {"values": [2], "failure": "x"})")),
            "");
  EXPECT_EQ(error(withPoints(R"({"values": [3], "time_ns": 5})")),
            "points[0]: invalid value of knob 'x': 3");
  EXPECT_EQ(error(withPoints(R"({"values": [1, 1], "time_ns": 5})")),
            "points[0]: expected 1 values, got 2");
  EXPECT_EQ(error(withPoints(R"({"values": [1.5], "time_ns": 5})")),
            "points[0]: expected an integer, got 1.5");
  EXPECT_THAT(error(withPoints(R"({"values": 1, "time_ns": 5})")), HasSubstr("expected a list"));
  EXPECT_EQ(error(withPoints(R"({"values": [1]})")),
            "points[0]: expected either 'time_ns' or 'failure'");
  EXPECT_THAT(error(withPoints(R"({"values": [1], "time_ns": -5})")), HasSubstr("above 0"));
  EXPECT_THAT(error(withPoints(R"({"values": [1], "time": 5})")),
              HasSubstr("points[0]: unknown member 'time'"));
  EXPECT_EQ(error(withPoints(R"({"values": [1], "time_ns": 5}, {"values": [1], "time_ns": 6})")),
            "points: duplicate point [1]");
  EXPECT_EQ(error(withPoints(R"({"values": [1], "time_ns": 5})", R"(, "first": [[2]])")),
            "first[0]: no such point");
  EXPECT_THAT(error(withPoints("", R"(, "first": 3)")), HasSubstr("expected lists"));
}

TEST(Recording, ErrorNamesTheFile) {
  const auto folder = ScratchFolder::create("hone-recording-test").value();
  ASSERT_TRUE(writeFile(folder.path() / "bad.json", "{"));
  const auto bad = readRecording(folder.path() / "bad.json");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("bad.json: recording, line 1: "));
}

/// Returns a recording whose times decrease from the first point to the last. Every fifth point
/// fails.
Recording falling() {
  Recording recording{"falling", {{"x", {}}}, {}};
  for (std::int64_t x = 1; x <= 50; ++x) {
    recording.knobs[0].values.push_back(x);
    RecordedPoint point{{x}};
    if (x % 5 == 0) {
      point.failure = "failed";
    } else {
      point.timeNs = 1000.0 - 10 * static_cast<double>(x);
    }
    recording.points.push_back(point);
  }
  return recording;
}

TEST(Replay, ReturnsBestAfterEachTrial) {
  const Recording recording = falling();
  EXPECT_EQ(recording.best(), 510);
  const auto best = replay(recording, "exhaustive", {.batch = 7});
  ASSERT_TRUE(best) << best.error().message;
  ASSERT_EQ(best->size(), 50u);
  EXPECT_EQ((*best)[0], 990);
  EXPECT_EQ((*best)[4], 960);  // the fifth failed
  EXPECT_EQ(best->back(), 510);
  EXPECT_EQ(trialsUntil(recording, *best, 0), 49u);
  EXPECT_EQ(trialsUntil(recording, *best, 0.05), 47u);  // 530 is within 535.5
  const auto some = replay(recording, "exhaustive", {.trials = 10});
  EXPECT_EQ(some->size(), 10u);
  EXPECT_EQ(trialsUntil(recording, *some, 0.05), std::nullopt);
  EXPECT_FALSE(replay(recording, "unknown", {}));
}

TEST(Replay, PassesRecordedFirstPointsToStrategy) {
  Recording recording = falling();
  recording.first = {{49}};
  const auto best = replay(recording, "evolve", {.trials = 1});
  EXPECT_EQ(best->front(), 510);
  recording.first.clear();
  for (RecordedPoint& point : recording.points) {
    point.guess = point.values[0] == 48 ? 1 : 2;
  }
  EXPECT_EQ(replay(recording, "evolve", {.trials = 1})->front(), 520);
  EXPECT_EQ(trialsUntil(Recording{"none", {}, {}}, {}, 0.1), std::nullopt);
}

}  // namespace
}  // namespace hone::search

#include "split/analysis_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "split/test_sweeps.h"

namespace hone::split {
namespace {

using testing::HasSubstr;
using testing::Not;
TEST(AnalysisText, Golden) {
  SweepResult sweep{{8, 64}, {testShape(16, 16, 65536), testShape(512, 512, 65536)}, {}, 0};
  sweep.shapes[0].limits = {{8, {4000, 0, 0, 0, 0}}, {64, {1000, 0, 0, 0, 0}}};
  sweep.shapes[0].baseline = {2000, 0, 0, 0, 0};
  sweep.shapes[1].limits = {{8, {100, 0, 0, 0, 0}}, {64, {400, 0, 0, 0, 0}}};
  std::fputs(analysisText(analyze(sweep)).c_str(), stdout);
}
}  // namespace
}  // namespace hone::split

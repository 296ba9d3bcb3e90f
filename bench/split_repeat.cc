// Measures how well a sweep of `hone split` can be reproduced on a busy machine: sweeps the same
// shapes twice while child processes load all cores, and compares the best limit of each shape.
// Two best limits agree if they are equal or if their times differ by less than 5 % in both sweeps.
// WORKLOAD sets the workload (default: examples/workloads/weight_gradients.txt).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/machine.h"
#include "load.h"
#include "model/result/summary/split_shape.h"
#include "report/render/table.h"
#include "split/sweep/validation/validation.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr double kAim = 0.95;
constexpr std::int64_t kShapes = 30;

using Shapes = std::vector<model::ShapeResult>;

Result<Shapes> sweep(const std::filesystem::path& folder, const std::string& workload,
                     std::int64_t count) {
  const HoneOutput swept = HONE_TRY(runHone(
      folder, {"split", "full", workload, "--type", "f32", "--limits", "1,8,16,32,64", "--limit",
               std::to_string(count), "--force-rerun", "--results", folder / "results"}));
  Shapes shapes;
  for (const nlohmann::json& one : swept.json.at("shapes")) {
    shapes.push_back(HONE_TRY(model::shapeRecordFrom(one)).shape);
  }
  return shapes;
}

/// Returns the limit with the lowest time; nullopt if none was measured.
std::optional<std::int64_t> bestLimit(const model::ShapeResult& shape) {
  const auto best = std::ranges::min_element(
      shape.limits, {}, [](const auto& entry) { return entry.second.timeUs(); });
  return best == shape.limits.end() ? std::nullopt : std::optional(best->first);
}

/// Returns true if the times of two limits differ by less than the margin of the reports. A limit
/// that was not measured is close to none.
bool areClose(const model::ShapeResult& shape, std::int64_t a, std::int64_t b) {
  const auto first = shape.limits.find(a);
  const auto second = shape.limits.find(b);
  return first != shape.limits.end() && second != shape.limits.end() &&
         split::compareTimes(first->second.timeUs(), second->second.timeUs()) ==
             stats::Verdict::neutral;
}

std::string formatLimit(const model::ShapeResult& shape, std::optional<std::int64_t> limit) {
  return limit ? fmt::format("{} ({:.1f} us)", *limit, shape.limits.at(*limit).timeUs())
               : std::string("N.A.");
}

Result<void> measure(const Options& options) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-bench-split-repeat"));
  const char* given = std::getenv("WORKLOAD");
  const std::string workload = given != nullptr ? given : HONE_EXAMPLE_WORKLOAD;
  const std::int64_t count = options.quick ? 3 : kShapes;
  const Load load(cpuCount());
  const Shapes first = HONE_TRY(sweep(folder.path(), workload, count));
  const Shapes second = HONE_TRY(sweep(folder.path(), workload, count));
  report::Table table(
      {{"shape", report::Align::left, 20}, {"first sweep"}, {"second sweep"}, {""}});
  std::int64_t same = 0;
  std::int64_t agree = 0;
  const std::size_t shapes = std::min(first.size(), second.size());
  for (std::size_t i = 0; i < shapes; ++i) {
    const auto a = bestLimit(first[i]);
    const auto b = bestLimit(second[i]);
    const bool equal = a && a == b;
    const bool close = a && b && areClose(first[i], *a, *b) && areClose(second[i], *a, *b);
    same += equal ? 1 : 0;
    agree += equal || close ? 1 : 0;
    table.add({first[i].arguments, formatLimit(first[i], a), formatLimit(second[i], b),
               equal   ? "same"
               : close ? "within noise"
                       : "DIFFERENT"});
  }
  fmt::print("{}", table.text());
  const auto share = chanceInterval(agree, static_cast<std::int64_t>(shapes));
  fmt::print(
      "{} shapes: {} with the same best limit, {} within noise: {:.0f} % (95 % CI {:.0f}-{:.0f}, "
      "aim {:.0f} %)\n",
      shapes, same, agree - same, 100 * share.estimate, 100 * share.low, 100 * share.high,
      100 * kAim);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("split_repeat", argc, argv, hone::bench::measure);
}

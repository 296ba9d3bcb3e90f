// Checks hone's rule from a limit to tile sizes, and its model of the compiler's limits, against
// the compiler's pass on random matmuls and convolutions.

#include <algorithm>
#include <cstdio>

#include "split/fit/test_rule_check.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::int64_t kShapes = 5000;
constexpr std::int64_t kQuickShapes = 500;
/// Shapes per module.
constexpr std::int64_t kShapesPerModule = 500;

Result<void> measure(const Options& options) {
  Toolchain toolchain = HONE_TRY(Toolchain::start());
  const std::int64_t shapes = options.quick ? kQuickShapes : kShapes;
  split::ShapeMaker maker(1);
  split::RuleCheck all;
  while (all.shapes < shapes) {
    std::vector<model::Problem> problems(kShapesPerModule);
    std::generate(problems.begin(), problems.end(), [&] { return maker.next(); });
    const auto check = HONE_TRY(split::checkRule(toolchain.compiler, toolchain.installation,
                                                 toolchain.folder.path(), problems));
    all.shapes += check.shapes;
    all.split += check.split;
    all.unrecognized += check.unrecognized;
    for (const std::string& one : check.disagreements) {
      fmt::print("{}\n", one);
      all.disagreements.push_back(one);
    }
  }
  fmt::print("{} shapes, {} split by the compiler; disagreements: {} (aim: 0)\n", all.shapes,
             all.split, all.disagreements.size());
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("split_rule", argc, argv, hone::bench::measure);
}

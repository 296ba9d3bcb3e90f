// Lists the whole space of the compiler's constraints on gfx942 for an f16 matmul of 2048x2048x2048
// and a 3x3 convolution of 2x32x32x1280, and creates 100 diverse candidates. Compares the CPU time
// and the points with z3, which enumerates the same constraints with blocking clauses.

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/clock.h"
#include "base/hash.h"
#include "iree/compile/constraints.h"
#include "iree/compile/toolchain/target.h"
#include "iree/mlir/problem_mlir.h"
#include "report/render/table.h"
#include "search/constraints/listing.h"
#include "search/constraints/test_constraints.h"
#include "search/constraints/test_z3.h"
#include "search/space/diverse.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::size_t kCandidates = 100;
/// Points to enumerate with z3 in a quick run; its time is for these only.
constexpr std::size_t kQuickPoints = 200;

double cpuSeconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

/// Returns the CPU time of this process and of its finished children.
std::int64_t allCpuNs() { return ownCpuNs() + childrenCpuNs(); }

struct Listed {
  search::Space space;
  double listSeconds = 0;
  double makeSeconds = 0;  ///< of creating the candidates, including the start of a compiler
};

/// Uses a separate compiler, whose CPU time is known when it has ended.
Result<std::vector<std::string>> materialize(const Toolchain& toolchain,
                                             const iree::CompileRequest& request,
                                             std::span<const iree::KnobAssignment> assignments) {
  auto compiler =
      HONE_TRY(startCompiler(toolchain.installation, toolchain.folder.path() / "unused"));
  return iree::compilationInfos(compiler, request, assignments);
}

Result<Listed> list(const Toolchain& toolchain, const iree::CompileRequest& request,
                    const iree::PipelineConstraints& pipeline, std::size_t number) {
  const std::int64_t start = ownCpuNs();
  const auto constraints = HONE_TRY(search::Constraints::parse(pipeline.smtLib));
  auto listing = HONE_TRY(search::listPoints(constraints, search::listKnobs(pipeline)));
  Listed listed{std::move(listing.space), cpuSeconds(ownCpuNs() - start)};
  const std::int64_t listedAt = allCpuNs();
  std::vector<iree::KnobAssignment> assignments;
  for (const std::size_t point : search::diversePoints(listed.space, kCandidates, 1)) {
    iree::KnobAssignment& assignment = assignments.emplace_back();
    assignment.constraints = number;
    for (std::size_t i = 0; i < listed.space.knobs().size(); ++i) {
      assignment.values[listed.space.knobs()[i].name] = listed.space.point(point)[i];
    }
  }
  const auto infos = HONE_TRY(materialize(toolchain, request, assignments));
  listed.makeSeconds = cpuSeconds(allCpuNs() - listedAt);
  if (std::set<std::string>(infos.begin(), infos.end()).size() != assignments.size()) {
    return machineError("{}: duplicate candidates", pipeline.pipeline);
  }
  return listed;
}

struct Enumerated {
  std::size_t points = 0;
  bool same =
      true;  ///< all points are in the list, and none is missing if the enumeration was complete
  double seconds = 0;
};

Enumerated enumerate(const iree::PipelineConstraints& pipeline, const search::Space& space,
                     std::size_t most) {
  Enumerated found;
  const std::int64_t start = ownCpuNs();
  search::Z3Constraints solver(pipeline.smtLib, space.knobs());
  while (found.points < most) {
    const auto point = solver.any();
    if (!point) {
      break;
    }
    ++found.points;
    found.same = found.same && space.find(*point).has_value();
    solver.block(*point);
  }
  found.seconds = cpuSeconds(ownCpuNs() - start);
  found.same = found.same && (found.points == most || found.points == space.size());
  return found;
}

Result<void> compare(Toolchain& toolchain, const std::string& name, const model::Problem& problem,
                     bool quick, report::Table& table) {
  const std::string text = iree::emitMlir(problem);
  const iree::CompileRequest request{toolchain.folder.path() / (name + ".mlir"),
                                     hashBytes(text),
                                     HONE_TRY(iree::targetFrom("rocm:gfx942")).flags,
                                     {}};
  HONE_CHECK(writeFile(request.source, text));
  const auto all = HONE_TRY(iree::queryConstraints(toolchain.compiler, request));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Listed listed = HONE_TRY(list(toolchain, request, all[i], i));
    const Enumerated solver =
        enumerate(all[i], listed.space, quick ? kQuickPoints : listed.space.size() + 1);
    const double own = listed.listSeconds + listed.makeSeconds;
    table.add({name, all[i].pipeline, fmt::to_string(listed.space.size()),
               fmt::format("{:.4f}", listed.listSeconds), fmt::format("{:.3f}", listed.makeSeconds),
               fmt::format("{}{}", solver.points, solver.same ? "" : " (differ!)"),
               fmt::format("{:.2f}", solver.seconds),
               fmt::format("{:.0f}x", solver.seconds / listed.listSeconds),
               fmt::format("{:.1f}x", (solver.seconds + listed.makeSeconds) / own)});
    fmt::print("{} {}: done\n", name, all[i].pipeline);
  }
  return {};
}

Result<void> measure(const Options& options) {
  using report::Align;
  Toolchain toolchain = HONE_TRY(Toolchain::start());
  report::Table table({{"problem"},
                       {"pipeline"},
                       {"points", Align::right},
                       {"list s", Align::right},
                       {"100 made s", Align::right},
                       {"z3 points", Align::right},
                       {"z3 s", Align::right},
                       {"z3 / list", Align::right},
                       {"with 100 made", Align::right}});
  HONE_CHECK(compare(toolchain, "matmul", search::largeMatmul(), options.quick, table));
  HONE_CHECK(compare(toolchain, "conv", search::largeConv(), options.quick, table));
  fmt::print("{}", table.text());
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("space_listing", argc, argv, hone::bench::measure);
}

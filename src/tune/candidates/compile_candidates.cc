#include "tune/candidates/compile_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/builder.h"
#include "iree/compile/evidence/code_evidence.h"
#include "knobs/point_name.h"
#include "tune/candidates/candidate_order.h"
#include "tune/candidates/draw.h"
#include "tune/program/space_proposer.h"

namespace hone::tune {
namespace {

/// Failures of one batch guide the next. The first ones are small, because the preferred points
/// resemble each other: the compiler may refuse all of them.
constexpr std::size_t kFirstBatch = 4;
constexpr std::size_t kMaxBatch = 16;
constexpr std::int64_t kLongCompileNs = 1'000'000'000;

/// Drawing state of one dispatch.
class CandidateDrawer {
 public:
  CandidateDrawer(const TunableDispatch& tunable, const DrawOptions& options)
      : space_(tunable.knobs->space),
        guess_(tunable.knobs->guess),
        executable_(tunable.root.dispatch),
        target_(options.target),
        draw_(space_, options.seed, firstPoints(*tunable.knobs, options.count)) {
    DispatchCandidates known = options.known;
    result_.order = std::move(known.order);
    result_.dispatch = tunable.name;
    result_.space = space_.size();
    for (CompiledCandidate& candidate : known.candidates) {
      if (const auto point = knobs::findPointByName(space_, candidate.config.name)) {
        candidate.sameAs.clear();
        add(*point, std::move(candidate));
      }
    }
  }

  /// Adds a compiled candidate with the resources of its code.
  [[nodiscard]] Result<void> addCompiled(std::size_t point, model::Config config,
                                         const iree::Compiled& compiled) {
    CompiledCandidate candidate = toCandidate(std::move(config), compiled);
    if (candidate.outcome == model::Outcome::ok) {
      const auto evidence = HONE_TRY(iree::readEvidence(compiled.module, target_));
      candidate.code = resourcesFor(evidence, executable_, target_);
      const auto source = candidate.code ? evidence.source : iree::EvidenceSource::none;
      if (result_.order.empty() || source != iree::EvidenceSource::none) {
        result_.order = describeOrder(source);
      }
    }
    add(point, std::move(candidate));
    return {};
  }

  void add(std::size_t point, CompiledCandidate candidate) {
    const bool ok = candidate.outcome == model::Outcome::ok;
    candidate.expectedCost = expectedCost(guess_ ? guess_(point) : 0, candidate.code);
    if (ok) {
      const auto [first, isNew] = points_.emplace(candidate.content, point);
      if (!isNew) {
        candidate.sameAs = knobs::pointName(space_, first->second);
        draw_.tellSame(point, first->second);
        ++duplicates_;
      }
    }
    draw_.tell(point, ok);
    result_.candidates.push_back(std::move(candidate));
  }

  /// Returns the next batch; empty once there are `count` distinct candidates, or as many
  /// duplicates.
  [[nodiscard]] std::vector<std::size_t> next(std::size_t count) {
    const std::size_t fresh = result_.candidates.size() - duplicates_;
    if (fresh >= count) {
      return {};
    }
    if (duplicates_ >= count) {
      result_.note =
          fmt::format("{} more candidates compiled to the same code as others", duplicates_);
      return {};
    }
    const std::size_t batch = std::clamp(result_.candidates.size(), kFirstBatch, kMaxBatch);
    auto points = draw_.next(std::min(batch, count - fresh));
    if (points.empty() && draw_.reach() < space_.size()) {
      result_.note = fmt::format("sampled all {} reachable configurations of {}", draw_.reach(),
                                 space_.size());
    }
    return points;
  }

  [[nodiscard]] const DispatchCandidates& result() const { return result_; }
  /// Returns the result with the most promising candidates first.
  [[nodiscard]] DispatchCandidates ordered() const {
    DispatchCandidates sorted = result_;
    orderCandidates(sorted.candidates);
    return sorted;
  }

 private:
  /// Returns the points that the machine model prefers, a third of the requested candidates.
  static std::vector<std::size_t> firstPoints(const knobs::KnobModel& model, std::size_t count) {
    const std::size_t most = std::min(model.first.size(), count / 3);
    return {model.first.begin(), model.first.begin() + static_cast<std::ptrdiff_t>(most)};
  }

  const search::Space& space_;
  std::function<double(std::size_t)> guess_;
  std::string executable_;
  std::string target_;
  Draw draw_;
  DispatchCandidates result_;
  std::map<std::string, std::size_t> points_;  ///< first point with each code
  std::size_t duplicates_ = 0;
};

/// Draws and compiles until there are enough candidates.
Result<void> drawCandidates(iree::Compiler& compiler, const TunableDispatch& tunable,
                            const std::vector<std::string>& flags, const DrawOptions& options,
                            CandidateDrawer& drawer) {
  using Route = iree::CompileRequest::Route;
  iree::CompileRequest asIs{tunable.program.source, tunable.program.hash,    flags, {},
                            Route::shared,          tunable.program.function};
  asIs.from = tunable.program.from;
  asIs.fresh = true;  // to measure the compile time
  engine::Builder builder(compiler);
  const std::int64_t defaultNs = HONE_TRY(builder.buildOne(asIs)).report.ending.wallNs;
  builder.timeout().recordDefault(defaultNs);
  for (const CompiledCandidate& one : drawer.result().candidates) {
    if (one.outcome == model::Outcome::ok && one.compileWallNs > 0) {
      builder.timeout().record(one.compileWallNs);
    }
  }
  // Batching shares the per-module work. For long compiles the saving is small, and a compilation
  // that hangs would block the others in its batch.
  // The code of a batch has the kernels of all its candidates, so there is no evidence on each.
  const bool batches = defaultNs < kLongCompileNs && !iree::hasEvidence(options.target);
  const Route route = batches ? Route::batched : Route::shared;
  const SpaceProposer proposer(*tunable.knobs, nullptr, tunable.pattern());
  while (!options.enough()) {
    const auto points = drawer.next(options.count);
    if (points.empty()) {
      break;
    }
    std::vector<iree::CompileRequest> requests;
    auto configs = HONE_TRY(proposer.makeConfigs(points));
    for (const model::Config& config : configs) {
      iree::CompileRequest request = asIs;
      request.fresh = false;
      request.attributes = config.attributes;
      request.route = route;
      requests.push_back(std::move(request));
    }
    const auto compiled = HONE_TRY(builder.build(std::move(requests)));
    for (std::size_t i = 0; i < points.size(); ++i) {
      HONE_CHECK(drawer.addCompiled(points[i], std::move(configs[i]), compiled[i]));
      options.onDone();
    }
    HONE_CHECK(options.onBatch(drawer.ordered()));
  }
  return {};
}

}  // namespace

Result<DispatchCandidates> compileCandidates(iree::Compiler& compiler,
                                             const TunableDispatch& tunable,
                                             const std::vector<std::string>& flags,
                                             const DrawOptions& options) {
  CandidateDrawer drawer(tunable, options);
  for (std::size_t i = 0; i < drawer.result().candidates.size(); ++i) {
    options.onDone();
  }
  const auto drawn = drawCandidates(compiler, tunable, flags, options, drawer);
  if (!drawn && drawn.error().isFatal()) {
    return std::unexpected(drawn.error());
  }
  DispatchCandidates result = drawer.ordered();
  if (!drawn) {
    result.note = drawn.error().message;  // other dispatches may succeed
  }
  return result;
}

}  // namespace hone::tune

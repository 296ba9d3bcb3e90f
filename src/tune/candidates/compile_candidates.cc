#include "tune/candidates/compile_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/builder.h"
#include "knobs/point_name.h"
#include "tune/candidates/draw.h"
#include "tune/program/space_proposer.h"

namespace hone::tune {
namespace {

/// Drawn and compiled at a time: what fails among them is learnt from for the next.
constexpr std::size_t kChunk = 16;
constexpr std::int64_t kLongCompileNs = 1'000'000'000;

/// One dispatch on its way: what was drawn, and what was learnt from it.
class Drawing {
 public:
  Drawing(const Subject& subject, DispatchCandidates known, std::uint64_t seed)
      : space_(subject.knobs->space), draw_(space_, seed) {
    made_.dispatch = subject.name;
    made_.space = space_.size();
    for (CompiledCandidate& candidate : known.candidates) {
      if (const auto point = knobs::findPointByName(space_, candidate.config.name)) {
        candidate.sameAs.clear();
        add(*point, std::move(candidate));
      }
    }
  }

  void add(std::size_t point, CompiledCandidate candidate) {
    const bool ok = candidate.outcome == model::Outcome::ok;
    if (ok) {
      const auto [first, isNew] = points_.emplace(candidate.content, point);
      if (!isNew) {
        candidate.sameAs = knobs::pointName(space_, first->second);
        draw_.tellSame(point, first->second);
        ++twins_;
      }
    }
    draw_.tell(point, ok);
    made_.candidates.push_back(std::move(candidate));
  }

  /// Some more, until there are `count` that are not the code of another, or so many that are.
  [[nodiscard]] std::vector<std::size_t> next(std::size_t count) {
    const std::size_t fresh = made_.candidates.size() - twins_;
    if (fresh >= count) {
      return {};
    }
    if (twins_ >= count) {
      made_.note = fmt::format("{} more are the same code as others", twins_);
      return {};
    }
    auto points = draw_.next(std::min(kChunk, count - fresh));
    if (points.empty() && draw_.reach() < space_.size()) {
      made_.note = fmt::format("no more than {} of its {} configurations are drawn from",
                               draw_.reach(), space_.size());
    }
    return points;
  }

  [[nodiscard]] const DispatchCandidates& made() const { return made_; }

 private:
  const search::Space& space_;
  Draw draw_;
  DispatchCandidates made_;
  std::map<std::string, std::size_t> points_;  ///< the first of each code
  std::size_t twins_ = 0;
};

/// Draws and compiles until there are enough.
Result<void> drawAll(iree::Compiler& compiler, const Subject& subject,
                     const std::vector<std::string>& flags, const DrawOptions& options,
                     Drawing& drawing) {
  using Route = iree::CompileRequest::Route;
  iree::CompileRequest asIs{subject.program.source, subject.program.hash,    flags, {},
                            Route::shared,          subject.program.function};
  asIs.from = subject.program.from;
  asIs.fresh = true;  // for its time
  engine::Builder builder(compiler);
  const std::int64_t defaultNs = HONE_TRY(builder.buildOne(asIs)).report.ending.wallNs;
  builder.patience().defaultTook(defaultNs);
  for (const CompiledCandidate& one : drawing.made().candidates) {
    if (one.outcome == model::Outcome::ok && one.compileWallNs > 0) {
      builder.patience().took(one.compileWallNs);
    }
  }
  // Several in one module save the work that is done once a module; of long compiles that is
  // little, and one that never ends would take its neighbours along.
  const Route route = defaultNs < kLongCompileNs ? Route::batched : Route::shared;
  const SpaceProposer proposer(*subject.knobs, nullptr, subject.pattern());
  while (!options.enough()) {
    const auto points = drawing.next(options.count);
    if (points.empty()) {
      break;
    }
    std::vector<iree::CompileRequest> requests;
    auto configs = HONE_TRY(proposer.configsOf(points));
    for (const model::Config& config : configs) {
      iree::CompileRequest request = asIs;
      request.fresh = false;
      request.attributes = config.attributes;
      request.route = route;
      requests.push_back(std::move(request));
    }
    const auto compiled = HONE_TRY(builder.build(std::move(requests)));
    for (std::size_t i = 0; i < points.size(); ++i) {
      drawing.add(points[i], candidateOf(std::move(configs[i]), compiled[i]));
      options.onDone();
    }
    HONE_CHECK(options.onSome(drawing.made()));
  }
  return {};
}

}  // namespace

Result<DispatchCandidates> compileCandidates(iree::Compiler& compiler, const Subject& subject,
                                             const std::vector<std::string>& flags,
                                             DrawOptions options) {
  Drawing drawing(subject, std::move(options.known), options.seed);
  for (std::size_t i = 0; i < drawing.made().candidates.size(); ++i) {
    options.onDone();
  }
  const auto drawn = drawAll(compiler, subject, flags, options, drawing);
  if (!drawn && drawn.error().isFatal()) {
    return std::unexpected(drawn.error());
  }
  DispatchCandidates made = drawing.made();
  if (!drawn) {
    made.note = drawn.error().message;  // the others may do better
  }
  return made;
}

}  // namespace hone::tune

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "engine/plan/session.h"
#include "tune/program/space_proposer.h"
#include "tune/program/subject.h"

namespace hone::tune {

/// How a dispatch is searched.
struct SearchOptions {
  std::string scope;  ///< tells it apart from the other searches of the run
  std::string strategy = "evolve";
  std::uint64_t seed = 1;
  std::vector<std::string> flags;       ///< of the compiler, for every candidate
  std::vector<std::string> inputSpecs;  ///< the user's, for the whole program
  std::vector<std::size_t> first;       ///< points that were good for like problems
  std::vector<model::Config> planned;   ///< tried before what the strategy proposes
  std::int64_t rounds = 10;             ///< of the final
  engine::Budget budget;                ///< of time: race and final end with it
};

/// The search of one dispatch's knobs, a few trials at a time, so that others can have their turns.
class DispatchSearch {
 public:
  /// Submits the compiler's own choice to be compiled, verified and timed; ready() waits for it.
  /// The subject must outlive the search.
  [[nodiscard]] static Result<std::unique_ptr<DispatchSearch>> begin(
      const engine::TrialContext& bench, const Subject& subject, const SearchOptions& options);

  /// Waits for what begin() submitted.
  [[nodiscard]] Result<void> ready();
  /// Submits the next few candidates, at most `most`, and returns their number; endStep() waits for
  /// them.
  [[nodiscard]] Result<std::size_t> beginStep(std::size_t most);
  [[nodiscard]] Result<void> endStep();
  [[nodiscard]] bool underWay() const { return underWay_; }
  /// Returns the tickets that endStep() waits for.
  [[nodiscard]] std::vector<engine::Ticket> tickets() const { return session_->tickets(); }
  /// The space is used up, or the last many trials gave nothing.
  [[nodiscard]] bool done() const { return done_; }
  /// What a further step may still save, as a share of the program's time.
  [[nodiscard]] double promise() const;
  /// Submits the race of the best and their proof on the dispatch alone; finish() waits for it.
  [[nodiscard]] Result<void> beginFinish();
  /// How all of them ended.
  [[nodiscard]] Result<std::vector<engine::Finding>> finish();

  [[nodiscard]] const Subject& subject() const { return subject_; }
  /// How many were tried beside the compiler's own choice.
  [[nodiscard]] std::size_t tried() const { return session_->tried() - 1; }
  /// The first times of the compiler's own choice and of the best: good for a look, no proof.
  [[nodiscard]] double baselineNs() const { return session_->baselineNs(); }
  [[nodiscard]] double bestNs() const { return session_->incumbentNs(); }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return session_->referenceCpuNs(); }

 private:
  [[nodiscard]] Result<void> prepareStrategy(const SearchOptions& options);
  DispatchSearch(const Subject& subject, ScratchFolder folder)
      : subject_(subject), folder_(std::move(folder)) {}

  const Subject& subject_;
  ScratchFolder folder_;
  engine::Plan plan_;
  std::unique_ptr<SpaceProposer> proposer_;
  std::unique_ptr<engine::Session> session_;
  double beforeNs_ = 0;  ///< the best time before the step
  std::size_t stepTried_ = 0;
  bool underWay_ = false;
  std::size_t steps_ = 0;
  std::size_t barrenSteps_ = 0;  ///< the last ones without a gain
  double lastGain_ = 0;          ///< of the last step, relative
  bool givesUp_ = true;          ///< after steps without a gain
  bool done_ = false;
};

}  // namespace hone::tune

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "engine/plan/session.h"
#include "model/result/summary/tune_result.h"
#include "tune/program/space_proposer.h"
#include "tune/program/tunable_dispatch.h"

namespace hone::tune {

/// Options of the search of one dispatch.
struct SearchOptions {
  std::string scope;  ///< identifies the search within the run
  std::string strategy = "evolve";
  std::uint64_t seed = 1;
  std::vector<std::string> flags;       ///< compiler flags of every candidate
  std::vector<std::string> inputSpecs;  ///< the user's inputs of the whole program
  std::vector<std::size_t> first;       ///< points that were good for similar problems
  std::vector<model::Config> planned;   ///< tried before the strategy's proposals
  std::int64_t rounds = 10;             ///< of the final comparison
  engine::Budget budget;  ///< time budget, including the race and the final comparison
};

/// Searches the knobs of one dispatch in short steps, so that several searches can be interleaved.
class DispatchSearch {
 public:
  /// Submits the compiler's default to be compiled, verified and timed; ready() waits for it. The
  /// tunable must outlive the search.
  [[nodiscard]] static Result<std::unique_ptr<DispatchSearch>> begin(
      const engine::TrialContext& bench, const TunableDispatch& tunable,
      const SearchOptions& options);

  /// Waits for the baseline submitted by begin().
  [[nodiscard]] Result<void> ready();
  /// Submits the next candidates, at most `most`, and returns their number. endStep() waits for
  /// them.
  [[nodiscard]] Result<std::size_t> beginStep(std::size_t most);
  [[nodiscard]] Result<void> endStep();
  [[nodiscard]] bool underWay() const { return underWay_; }
  /// Returns the tickets that endStep() waits for.
  [[nodiscard]] std::vector<engine::Ticket> tickets() const { return session_->tickets(); }
  /// Returns true if the space is exhausted or the last steps brought no gain.
  [[nodiscard]] bool done() const { return done_; }
  /// Returns why the search ended; the budget unless done().
  [[nodiscard]] model::SearchEnd end() const;
  /// Estimates the gain of another step, as a fraction of the program's time.
  [[nodiscard]] double expectedGain() const;
  /// Submits the race of the best candidates and their proof on the dispatch; finish() waits for
  /// it.
  [[nodiscard]] Result<void> beginFinish();
  /// Waits for the race and returns the results of all candidates.
  [[nodiscard]] Result<std::vector<engine::Finding>> finish();

  [[nodiscard]] const TunableDispatch& tunable() const { return tunable_; }
  /// Returns the number of candidates tried, without the baseline.
  [[nodiscard]] std::size_t tried() const { return session_->tried() - 1; }
  /// Return the screening times of the baseline and of the best candidate; not statistically
  /// proven.
  [[nodiscard]] double baselineNs() const { return session_->baselineNs(); }
  [[nodiscard]] double bestNs() const { return session_->incumbentNs(); }
  [[nodiscard]] std::int64_t referenceCpuNs() const { return session_->referenceCpuNs(); }

 private:
  [[nodiscard]] Result<void> prepareStrategy(const SearchOptions& options);
  DispatchSearch(const TunableDispatch& tunable, ScratchFolder folder)
      : tunable_(tunable), folder_(std::move(folder)) {}

  const TunableDispatch& tunable_;
  ScratchFolder folder_;
  engine::Plan plan_;
  std::unique_ptr<SpaceProposer> proposer_;
  std::unique_ptr<engine::Session> session_;
  double beforeNs_ = 0;  ///< best time before the step
  std::size_t stepTried_ = 0;
  bool underWay_ = false;
  std::size_t steps_ = 0;
  std::size_t stepsWithoutGain_ = 0;  ///< consecutive steps without a gain
  double lastGain_ = 0;               ///< relative gain of the last step
  bool stopsEarly_ = true;            ///< stop after several steps without a gain
  bool done_ = false;
};

}  // namespace hone::tune

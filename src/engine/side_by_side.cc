#include "engine/side_by_side.h"

#include <algorithm>
#include <limits>

#include "stats/compare.h"
#include "stats/summary.h"

namespace hone::engine {
namespace {

/// Enough to see whether a time is known well enough; a report's interval has more.
constexpr std::size_t kQuickResamples = 500;

class Field {
 public:
  Field(std::span<const Participant> participants, const SideBySideOptions& options)
      : options_(options), times_(participants.size()) {
    for (std::size_t i = 0; i < participants.size(); ++i) {
      running_.push_back(i);
    }
  }

  [[nodiscard]] const std::vector<std::size_t>& running() const { return running_; }
  [[nodiscard]] std::vector<std::vector<double>> take() { return std::move(times_); }

  /// The times of a round, one for each of those running.
  void add(std::span<const std::optional<double>> times) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const std::size_t who = running_[i];
      if (times[i]) {
        times_[who].push_back(*times[i]);
        left.push_back(who);
      } else {
        times_[who].clear();
      }
    }
    running_ = std::move(left);
  }

  [[nodiscard]] bool knownWellEnough() const {
    return std::all_of(running_.begin(), running_.end(), [this](std::size_t who) {
      const auto interval =
          stats::bootstrapMedian(times_[who], 0.95, options_.seed, kQuickResamples);
      const double allowed = options_.precision * interval.estimate;
      return interval.high - interval.estimate <= allowed &&
             interval.estimate - interval.low <= allowed;
    });
  }

  void dropSlow() {
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t who : running_) {
      best = std::min(best, stats::median(times_[who]));
    }
    if (options_.tooSlow > 0) {
      std::erase_if(running_, [&](std::size_t who) {
        return stats::median(times_[who]) > options_.tooSlow * best;
      });
    }
  }

 private:
  const SideBySideOptions& options_;
  std::vector<std::vector<double>> times_;
  std::vector<std::size_t> running_;
};

}  // namespace

Result<std::vector<std::vector<double>>> sideBySide(const Sampler& sampler, store::Store& store,
                                                    model::Stage stage,
                                                    std::span<const Participant> participants,
                                                    std::span<const store::TrialSample> recorded,
                                                    const SideBySideOptions& options) {
  Rounds rounds(sampler.rankBy(), store, stage);
  rounds.restore(recorded);
  Field field(participants, options);
  for (std::int64_t round = 0; round < options.mostRounds; ++round) {
    if (round >= options.fewestRounds) {
      field.dropSlow();
      if (field.knownWellEnough()) {
        break;
      }
    }
    std::vector<Participant> running;
    for (const std::size_t who : field.running()) {
      running.push_back(participants[who]);
    }
    if (running.empty()) {
      break;
    }
    field.add(HONE_TRY(rounds.take(round, running, shuffled(running.size(), options.seed, round))));
  }
  return field.take();
}

}  // namespace hone::engine

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/rounds/rounds.h"
#include "engine/rounds/sampler.h"
#include "engine/trial_log.h"
#include "engine/verifier.h"
#include "iree/run/execution.h"
#include "model/result/summary/profile_row.h"
#include "profile/build.h"
#include "profile/library_provider.h"
#include "profile/roofline.h"

namespace hone::profile {

struct ProfileOptions {
  bool verify = true;
  bool measure = true;
  bool iree = true;      ///< model::kIreeProvider
  bool library = false;  ///< the provider "oneDNN"
  std::int64_t fewestRounds = 5;
  std::int64_t mostRounds = 20;
  double precision = 0.02;  ///< rounds end when the interval is no further from the median
  std::uint64_t seed = 1;
};

/// Dispatches through verification and measuring. What is measured is side by side within an
/// operation: its configurations and providers take turns, in rounds of fresh processes. Every
/// dispatch and every round is in the store before the next begins; what the store has already is
/// not done again.
class Profiler {
 public:
  /// All must outlive it; the log is restored.
  Profiler(const iree::ModuleRunner& runner, const LibraryProvider& library, engine::TrialLog& log,
           const ProfileOptions& options)
      : runner_(runner), library_(library), log_(log), options_(options), sampler_(runner) {}

  /// The rows of one operation, a dispatch and provider each. `roofline`: nothing where this
  /// machine's is not known.
  [[nodiscard]] Result<std::vector<model::ProfileRow>> profile(
      const Built& built, const std::optional<Roofline>& roofline);
  /// CPU time spent on references in this process; it is not hone's own.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Entry;
  struct Running;

  [[nodiscard]] Result<Entry> verifyOne(const Built& built, const BuiltDispatch& dispatch,
                                        engine::Verifier& verifier, const engine::Inputs& inputs);
  [[nodiscard]] Result<Entry> libraryEntry(const Built& built);
  [[nodiscard]] Result<void> record(Entry& entry);
  [[nodiscard]] Result<engine::Participant> participantOf(const Entry& entry) const;
  /// Those that can be measured, at their pace; what cannot is noted.
  [[nodiscard]] Result<std::vector<Running>> admit(std::vector<Entry>& entries);
  /// Shows why an entry failed in a round.
  void leave(Entry& entry) const;
  [[nodiscard]] Result<void> measure(std::vector<Entry>& entries);

  const iree::ModuleRunner& runner_;
  const LibraryProvider& library_;
  engine::TrialLog& log_;
  ProfileOptions options_;
  engine::Sampler sampler_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::profile

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
#include "profile/roofline/roofline.h"

namespace hone::profile {

struct ProfileOptions {
  bool verify = true;
  bool measure = true;
  bool iree = true;      ///< model::kIreeProvider
  bool library = false;  ///< the provider "oneDNN"
  std::int64_t fewestRounds = 5;
  std::int64_t mostRounds = 20;
  double precision = 0.02;  ///< target half-width of the CI, relative to the median
  std::uint64_t seed = 1;
};

/// Verifies and measures dispatches. The configurations and providers of an operation are measured
/// alternately, in rounds of fresh processes. Every dispatch and round is stored before the next
/// one starts; results already in the store are reused.
class Profiler {
 public:
  /// All arguments must outlive the profiler; the log must be restored.
  Profiler(const iree::ModuleRunner& runner, const LibraryProvider& library, engine::TrialLog& log,
           const ProfileOptions& options)
      : runner_(runner), library_(library), log_(log), options_(options), sampler_(runner) {}

  /// Returns the rows of one operation, one per dispatch and provider. `roofline` is nullopt if it
  /// is unknown for this machine.
  [[nodiscard]] Result<std::vector<model::ProfileRow>> profile(
      const Built& built, const std::optional<Roofline>& roofline);
  /// Returns the CPU time spent on references in this process; it does not count as hone's
  /// overhead.
  [[nodiscard]] std::int64_t referenceCpuNs() const { return referenceCpuNs_; }

 private:
  struct Entry;
  struct Running;

  [[nodiscard]] Result<Entry> verifyOne(const Built& built, const BuiltDispatch& dispatch,
                                        engine::Verifier& verifier, const engine::Inputs& inputs);
  [[nodiscard]] Result<Entry> libraryEntry(const Built& built);
  [[nodiscard]] Result<void> record(Entry& entry);
  [[nodiscard]] Result<engine::Participant> makeParticipant(const Entry& entry) const;
  /// Returns the entries that can be measured, with their pace; records the failure of the others.
  [[nodiscard]] Result<std::vector<Running>> admitRunnable(std::vector<Entry>& entries);
  /// Copies the reason of a failure in a round to the entry's row.
  void recordFailure(Entry& entry) const;
  [[nodiscard]] Result<void> measure(std::vector<Entry>& entries);

  const iree::ModuleRunner& runner_;
  const LibraryProvider& library_;
  engine::TrialLog& log_;
  ProfileOptions options_;
  engine::Sampler sampler_;
  std::int64_t referenceCpuNs_ = 0;
};

}  // namespace hone::profile

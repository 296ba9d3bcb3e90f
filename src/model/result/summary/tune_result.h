#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/problem/layer.h"
#include "model/problem/root_operation.h"
#include "model/result/summary/dispatch_graph.h"
#include "model/result/summary/profile_result.h"
#include "stats/compare.h"

namespace hone::model {

/// The configuration with a statistically significant gain for a dispatch alone.
struct TunedWinner {
  std::string point;            ///< knob values
  std::string compilationInfo;  ///< the attribute, as MLIR
  std::optional<stats::Interval> speedup;
  std::string verified;  ///< reference the results were compared with
};

/// The fastest candidate of a final without a statistically significant gain.
struct TunedFinalist {
  std::string point;  ///< knob values
  stats::Comparison comparison;
};

/// Reason why a search ended. Stored by name.
enum class SearchEnd : std::uint8_t {
  budget,     ///< time or trials used up
  plateau,    ///< several steps without a gain
  exhausted,  ///< no further candidates
};

[[nodiscard]] std::string_view nameOf(SearchEnd end);

/// A tunable dispatch and its search result.
struct TunedDispatch {
  std::string name;
  std::vector<std::string> dispatches;  ///< its names in the program
  std::optional<std::int64_t> calls;    ///< in one call of the program
  std::optional<double> share;          ///< of the program's time
  std::optional<RootOperation> root;
  std::optional<bool> alone;          ///< compiled and timed outside the program
  std::optional<std::int64_t> space;  ///< legal configurations
  std::string skipReason;             ///< reason why it is not tuned; "" if it is
  // For dispatches that were searched:
  std::optional<std::int64_t> tried, failed;
  std::optional<double> defaultNs;
  std::optional<bool> inSpec;
  std::string note;  ///< reason why a winner is not in the spec
  std::optional<TunedWinner> winner;
  std::optional<SearchEnd> searchEnd;
  std::optional<std::int64_t> finalists;      ///< candidates compared with the default in the final
  std::optional<TunedFinalist> bestFinalist;  ///< only without a winner
};

[[nodiscard]] nlohmann::json toJson(const TunedDispatch& dispatch);

/// The program's dispatches under one set of flags.
struct TunedVariant {
  std::string name;  ///< "" for the given flags
  std::vector<std::string> flags;
  std::vector<TunedDispatch> dispatches;
};

/// Time per dispatch in one call of the program, from the runtime's profiler.
struct TunedDispatchTimes {
  std::vector<TimedDispatch> before, after;
};

/// The gain if every call gets fresh memory instead of that of the call before.
struct FreshMemoryGain {
  std::optional<double> defaultNs, tunedNs;
  std::optional<stats::Interval> speedup;
};

/// Measured gain of the whole program.
struct TunedProof {
  std::vector<std::string> flags;
  std::optional<double> tunedNs;
  std::optional<stats::Interval> speedup;
  std::optional<stats::Verdict> verdict;
  std::string spec;
  std::vector<std::string> specFaults;
  std::optional<TunedDispatchTimes> dispatchTimes;
  std::optional<FreshMemoryGain> freshMemory;  ///< absent if the device makes no difference
};

/// Returns the gain on fresh memory if it differs from the gain with memory kept between calls:
/// its estimate lies outside the other's interval. Else nullptr.
[[nodiscard]] const FreshMemoryGain* differentFreshMemoryGain(const TunedProof& proof);

/// A layer whose ways were measured alone.
struct TunedLayer {
  Layer layer;
  std::string way;                   ///< the fastest
  std::map<std::string, double> ns;  ///< per way; failed ones are missing
  std::optional<double> defaultNs;   ///< time of the operation as the program has it
  bool remembered = false;           ///< measured by an earlier run
};

/// Time of another runtime, measured in the same rounds as the program.
struct AlternativeTime {
  std::string name;  ///< "onnxruntime"
  std::optional<double> timeNs;
  std::optional<stats::Interval> speedup;  ///< over the default
  std::string error;                       ///< reason if it was not measured
};

/// The tuned program with other sizes of dynamic dimensions, measured beside the default.
struct SizeProof {
  std::string sizes;  ///< "batch=8"
  std::optional<double> defaultNs{}, tunedNs{};
  std::optional<stats::Interval> speedup{};
  std::optional<stats::Verdict> verdict{};
  std::string error{};  ///< reason if it was not measured
};

struct TunedProgram {
  std::string program;
  std::vector<TunedLayer> layers;
  std::vector<TunedVariant> variants;
  std::vector<std::string> noGain;       ///< candidates without a gain on the whole program
  std::optional<std::int64_t> flagSets;  ///< sets of program-wide flags that were tried
  std::optional<double> defaultNs;
  std::optional<TunedProof> proof;  ///< absent if the compiler's default is kept
  // For models:
  std::string sizes{};     ///< of dynamic dimensions: "batch=1"; "" if there are none
  std::string verified{};  ///< reference of the results: "reference", "baseline"
  std::string note{};      ///< on the reference: "differs from ONNX Runtime: …"
  std::optional<AlternativeTime> alternative{};
  std::vector<SizeProof> otherSizes{};
  std::optional<DispatchGraph> graph{};
};

/// A winner of this run, a starting point for later runs with similar operations.
struct Precedent {
  RootOperation root;
  std::string point;
};

/// A program that was skipped because of an error.
struct SkippedProgram {
  std::string program;
  std::string error;
};

/// Summary of a run of `hone tune`.
struct TuneResult {
  std::vector<TunedProgram> programs;
  std::vector<Precedent> precedents;
  std::vector<SkippedProgram> skipped;
  std::optional<std::int64_t> ownCpuNs;  ///< CPU time of hone itself
};

[[nodiscard]] nlohmann::json toJson(const TuneResult& result);
/// Decodes a result. Skips precedents in a form this version does not know.
[[nodiscard]] Result<TuneResult> tuneResultFrom(const nlohmann::json& json);

}  // namespace hone::model

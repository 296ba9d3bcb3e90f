#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/problem/root_operation.h"
#include "model/result/summary/profile_result.h"
#include "stats/compare.h"

namespace hone::model {

/// The configuration that was proven faster for a dispatch alone.
struct TunedWinner {
  std::string point;            ///< the values of its knobs
  std::string compilationInfo;  ///< the attribute, as MLIR
  std::optional<stats::Interval> speedup;
  std::string verified;  ///< what its results were compared with
};

/// A dispatch that can be tuned, and what the search found.
struct TunedDispatch {
  std::string name;
  std::vector<std::string> dispatches;  ///< the names that it has in the program
  std::optional<std::int64_t> calls;    ///< in one call of the program
  std::optional<double> share;          ///< of the program's time
  std::optional<RootOperation> root;
  std::optional<bool> alone;          ///< compiled and timed outside of the program
  std::optional<std::int64_t> space;  ///< legal configurations
  std::string whyNot;                 ///< why it is not tuned; "" where it is
  // Of one that was searched:
  std::optional<std::int64_t> tried, failed;
  std::optional<double> defaultNs;
  std::optional<bool> inSpec;
  std::string note;  ///< why a winner is not in the spec
  std::optional<TunedWinner> winner;
};

[[nodiscard]] nlohmann::json toJson(const TunedDispatch& dispatch);

/// The dispatches of the program under one set of flags.
struct TunedVariant {
  std::string name;  ///< "" for the flags as given
  std::vector<std::string> flags;
  std::vector<TunedDispatch> dispatches;
};

/// Time by dispatch in one call of the program, as the runtime's profiler has it.
struct DispatchTimes {
  std::vector<TimedDispatch> before, after;
};

/// The gain of the whole program.
struct TunedProof {
  std::vector<std::string> flags;
  std::optional<double> tunedNs;
  std::optional<stats::Interval> speedup;
  std::optional<stats::Verdict> verdict;
  std::string spec;
  std::vector<std::string> specFaults;
  std::optional<DispatchTimes> dispatchTimes;
};

struct TunedProgram {
  std::string program;
  std::vector<TunedVariant> variants;
  std::vector<std::string> noGain;  ///< candidates that gained nothing on the whole program
  std::optional<double> defaultNs;
  std::optional<TunedProof> proof;  ///< nothing where the compiler's own choice stays
};

/// A winner of this run, for later runs with similar operations.
struct Precedent {
  RootOperation root;
  std::string point;
};

struct LeftOutProgram {
  std::string program;
  std::string error;
};

/// The summary of a run of `hone tune`.
struct TuneResult {
  std::vector<TunedProgram> programs;
  std::vector<Precedent> precedents;
  std::vector<LeftOutProgram> leftOut;
  std::optional<std::int64_t> ownCpuNs;  ///< CPU time of hone itself
};

[[nodiscard]] nlohmann::json toJson(const TuneResult& result);
/// Leaves out precedents of a form that this version does not know.
[[nodiscard]] Result<TuneResult> tuneResultFrom(const nlohmann::json& json);

}  // namespace hone::model

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/compile/compiler.h"
#include "iree/compile/target.h"
#include "iree/spec/spec.h"
#include "model/result/config.h"
#include "model/result/outcome.h"
#include "tune/program/subject.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// A candidate that was compiled where it could not run.
struct CompiledCandidate {
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string content;  ///< a hash of its code
  std::int64_t compileWallNs = 0;
  std::string sameAs;  ///< the candidate before it that is the same code

  /// It compiled, and to code that no other has.
  [[nodiscard]] bool worthMeasuring() const {
    return outcome == model::Outcome::ok && sameAs.empty();
  }
};

/// What the compiler made of a config; one that it did not use is invalid.
[[nodiscard]] CompiledCandidate candidateOf(model::Config config, const iree::Compiled& compiled);

/// The candidates of one dispatch.
struct DispatchCandidates {
  std::string dispatch;
  std::size_t space = 0;  ///< how many there could be
  std::vector<CompiledCandidate> candidates;
  std::string note;  ///< why there are fewer than asked for, where it can be said

  [[nodiscard]] std::size_t compiled() const;
  /// How many different binaries they are.
  [[nodiscard]] std::size_t different() const;
};

/// A program with candidates for its dispatches, to be measured on a machine that has the device.
struct CandidateFolder {
  std::string target;
  std::string function;
  std::vector<std::string> flags;  ///< the user's own, without the target's
  std::vector<std::string> inputs;
  std::uint64_t seed = 1;
  std::string compiler;  ///< its revision
  std::vector<DispatchCandidates> dispatches;
};

/// The matcher of a dispatch, which may be called by its entry: "main_dispatch_1_matmul_8x8x8_f32"
/// is of main_dispatch_1. nullptr where there is none.
[[nodiscard]] const iree::DispatchMatcher* matcherFor(
    std::span<const iree::DispatchMatcher> matchers, std::string_view dispatch);

/// The files of a folder, written beside and renamed: program.mlir, candidates.json, and a spec for
/// each candidate that compiled and that a spec can name.
[[nodiscard]] Result<void> writeCandidates(iree::Compiler& compiler, const WholeProgram& whole,
                                           const CandidateFolder& candidates,
                                           const std::filesystem::path& folder);
/// What a folder has for the same program, made in the same way as `wanted`; nothing where it is of
/// another or is not there.
[[nodiscard]] std::vector<DispatchCandidates> knownCandidates(const WholeProgram& whole,
                                                              const CandidateFolder& wanted,
                                                              const std::filesystem::path& folder);
/// Reads candidates.json; what is wrong with it is a user error.
[[nodiscard]] Result<CandidateFolder> readCandidates(const std::filesystem::path& folder);

inline constexpr const char* kProgramFile = "program.mlir";

}  // namespace hone::tune

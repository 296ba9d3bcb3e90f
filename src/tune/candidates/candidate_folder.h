#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/target.h"
#include "iree/spec/spec.h"
#include "model/result/config.h"
#include "model/result/outcome.h"
#include "tune/program/tunable_dispatch.h"
#include "tune/program/whole_program.h"

namespace hone::tune {

/// Resources of a candidate's kernel, read from its compiled code.
struct CodeResources {
  std::int64_t registers = 0;     ///< vector registers per thread
  std::int64_t spilledBytes = 0;  ///< per thread
  std::int64_t sharedBytes = 0;   ///< per workgroup
  std::int64_t threads = 0;       ///< per workgroup
  double occupancy = 0;           ///< fraction of the subgroups that a compute unit can hold

  bool operator==(const CodeResources&) const = default;
};

/// A candidate compiled on a machine that may not have the device.
struct CompiledCandidate {
  model::Config config;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  std::string content;  ///< hash of its code
  std::int64_t compileWallNs = 0;
  std::string sameAs;  ///< the earlier candidate with identical code; "" if there is none
  std::optional<CodeResources> code{};
  double expectedCost = 0;  ///< in an arbitrary unit, see expectedCost()

  /// Returns true if it compiled to code that no earlier candidate has.
  [[nodiscard]] bool worthMeasuring() const {
    return outcome == model::Outcome::ok && sameAs.empty();
  }
};

/// Converts a compilation result; a config that the compiler did not use is `invalid`.
[[nodiscard]] CompiledCandidate toCandidate(model::Config config, const iree::Compiled& compiled);

/// Candidates of one dispatch.
struct DispatchCandidates {
  std::string dispatch;
  std::size_t space = 0;  ///< size of the search space
  std::vector<CompiledCandidate> candidates;
  std::string note;   ///< reason for having fewer candidates than requested, if known
  std::string order;  ///< evidence for the order of the candidates

  [[nodiscard]] std::size_t compiled() const;
  /// Returns the number of distinct binaries.
  [[nodiscard]] std::size_t different() const;
};

/// A program and the candidates of its dispatches, for measuring on a machine that has the device.
struct CandidateFolder {
  std::string target;
  std::string function;
  std::vector<std::string> flags;  ///< the user's, without the target's
  std::vector<std::string> inputs;
  std::uint64_t seed = 1;
  std::string compiler;  ///< revision of the compiler
  std::vector<DispatchCandidates> dispatches;
};

/// Returns the matcher of a dispatch; nullptr if there is none. Also accepts an entry point's name:
/// "main_dispatch_1_matmul_8x8x8_f32" belongs to main_dispatch_1.
[[nodiscard]] const iree::DispatchMatcher* matcherFor(
    std::span<const iree::DispatchMatcher> matchers, std::string_view dispatch);

/// Writes the files of a folder, each atomically (temporary file, then rename): program.mlir,
/// candidates.json, and a spec for each candidate that compiled and that a spec can express.
[[nodiscard]] Result<void> writeCandidates(iree::Compiler& compiler, const WholeProgram& whole,
                                           const CandidateFolder& candidates,
                                           const std::filesystem::path& folder);
/// Returns the candidates in `folder` if they are for the same program and settings as `wanted`;
/// empty otherwise, or if there is no folder.
[[nodiscard]] std::vector<DispatchCandidates> knownCandidates(const WholeProgram& whole,
                                                              const CandidateFolder& wanted,
                                                              const std::filesystem::path& folder);
/// Parses candidates.json; fails with a user error if it is invalid.
[[nodiscard]] Result<CandidateFolder> readCandidates(const std::filesystem::path& folder);
/// Fails with a user error if the folder, which may come from another machine, has flags that may
/// name a program or a file, or inputs outside of the folder.
[[nodiscard]] Result<void> checkForeign(const CandidateFolder& candidates,
                                        const std::filesystem::path& folder);

inline constexpr const char* kProgramFile = "program.mlir";

}  // namespace hone::tune

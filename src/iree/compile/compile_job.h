#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/subprocess.h"
#include "model/result/config.h"
#include "model/result/outcome.h"

namespace hone::iree {

/// Phases that hone names; any phase of `iree-compile --compile-to=` works.
inline constexpr const char* kPhaseStart = "start";
inline constexpr const char* kPhaseGlobalOptimization = "global-optimization";
inline constexpr const char* kPhaseFlow = "flow";
inline constexpr const char* kPhaseExecutableSources = "executable-sources";
inline constexpr const char* kPhaseExecutableConfigurations = "executable-configurations";
inline constexpr const char* kPhaseExecutableTargets = "executable-targets";
inline constexpr const char* kPhaseEnd = "end";

/// Values for the knobs of one of a program's constraints.
struct KnobAssignment {
  std::size_t constraints = 0;  ///< its place in the list of them
  std::map<std::string, std::int64_t> values;
};

/// The sizes of the parts, one a loop of the sum, for each operation that can be split, in the
/// program's order; {} leaves one to the compiler.
using SplitSizes = std::vector<std::vector<std::int64_t>>;

/// What one child of the pool is asked to do.
struct CompileJob {
  enum class Kind : std::uint8_t {
    compile,      ///< writes a module (.vmfb) when `to` is the end, IR as bytecode otherwise
    describe,     ///< parses only; writes JSON: the functions and what they compute
    roots,        ///< runs up to the configurations; writes JSON: see rootsIn
    dispatches,   ///< runs up to `flow`; writes JSON: see dispatchesIn
    problems,     ///< parses only; writes JSON: the problems of its operations, see problemsIn
    constraints,  ///< the same; writes JSON: what each pipeline asks of its knobs, see
                  ///< constraints.h
    reductions,   ///< writes JSON: what can be split, and, where it goes to `flow`, how the
                  ///< compiler does; see split_compile.h
    specEntries,  ///< parses a tuning spec; writes JSON, and beside it (kMarkedSpec) the spec with
                  ///< marks, see module_spec.h
    specMarks,    ///< runs up to the configurations; writes JSON: what a marked spec was applied to
    matchers,     ///< the same; writes JSON: what matches the root operation of each dispatch
    annotate,     ///< puts the first of the splits on the program and writes it as text
  };
  Kind kind = Kind::compile;
  std::filesystem::path source;
  std::string from = kPhaseStart;
  std::string to = kPhaseEnd;
  std::vector<std::string> flags;
  /// Put on the parsed IR before the passes run; a compile of them writes kContents as well.
  std::vector<model::OpAttribute> attributes;
  /// A copy of the program for each, see module_variants.h; beside the output goes a file with
  /// their contents (kContents), {"contents": [hashes], "ignored": [see Compiled::ignored]}.
  std::vector<std::vector<model::OpAttribute>> variants;
  /// A copy of the program for each, from IR after global optimization; beside the output goes a
  /// file (kSplits) with how each was really split.
  std::vector<SplitSizes> splits;
  std::vector<KnobAssignment> assignments;  ///< of the kind constraints: to be made attributes
  bool verifyIr = true;  ///< off for IR that the compiler itself wrote: an eighth less work
  bool threads = false;  ///< on where the job has the machine to itself
  std::filesystem::path output;
  Limits limits;
};

/// How the compile ended, for those who asked for it.
struct CompileReport {
  enum class Status : std::uint8_t {
    ok,
    badFlag,     ///< a compiler flag is unknown or ill-formed
    badSource,   ///< the source does not parse
    noMatch,     ///< an attribute of the config found no operation, or is no attribute
    noVariants,  ///< the program cannot be copied: its configs need modules of their own
    failed,      ///< the passes failed, or the compiler crashed
    outOfMemory,
    timedOut,
  };
  std::uint64_t id = 0;
  Status status = Status::ok;
  std::string message;      ///< one line for a person; "" when ok
  std::string diagnostics;  ///< all that the compiler said
  Ending ending;
};

/// What a compile that ended so is for a trial.
[[nodiscard]] model::Outcome outcomeOf(CompileReport::Status status);

/// The ending of the file with what became of attributes and variants.
inline constexpr std::string_view kContents = ".contents";
/// The ending of the file with the spec that leaves marks.
inline constexpr std::string_view kMarkedSpec = ".marked";
/// The ending of the file with the splits that were made.
inline constexpr std::string_view kSplits = ".splits";

[[nodiscard]] nlohmann::json toJson(const CompileJob& job);
/// Trusts its input: it comes from toJson on the other side of the pool's socket.
[[nodiscard]] CompileJob compileJobFrom(const nlohmann::json& json);

}  // namespace hone::iree

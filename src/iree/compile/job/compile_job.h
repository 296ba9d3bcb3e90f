#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/process/subprocess.h"
#include "iree/compile/report/compile_report.h"
#include "iree/module/dispatches/module_dispatches.h"
#include "iree/module/matcher/module_matchers.h"
#include "iree/module/module_constraints.h"
#include "iree/module/module_description.h"
#include "iree/module/module_shapes.h"
#include "iree/module/module_spec.h"
#include "iree/module/module_spec_marks.h"
#include "iree/module/module_splits.h"
#include "iree/module/phases.h"
#include "model/problem/layer.h"
#include "model/problem/problem.h"
#include "model/problem/root_operation.h"
#include "model/result/config.h"
#include "model/result/summary/dispatch_graph.h"

namespace hone::iree {

// The kinds of jobs of a compile child. Each has a name (kName), a reply type (Reply) and the
// extension of the file that it writes (kFile), "" if it writes none.

/// The reply of a job that only writes a file.
struct NoReply {};

/// The reply of a job that compiles configurations.
struct ConfiguredCode {
  std::vector<std::string> contents;  ///< a hash of each variant's code, see variantContents()
  std::vector<std::string> ignored;   ///< per variant, see Compiled::ignored
};

/// The operations that can be split, and the compiler's own splits.
struct ProgramReductions {
  std::vector<FunctionReduction> operations;
  SplitsByFunction splits;
};

/// Compiles a program to a module.
struct CompileModuleJob {
  static constexpr std::string_view kName = "module";
  static constexpr std::string_view kFile = "vmfb";
  using Reply = NoReply;
};

/// Runs the passes up to a phase and writes the IR as bytecode.
struct LowerModuleJob {
  static constexpr std::string_view kName = "lower";
  static constexpr std::string_view kFile = "mlirbc";
  using Reply = NoReply;
  std::string to = kPhaseExecutableSources;
  bool bareNames = false;  ///< also call renameFunctions()
  /// With a name, also call fixInputShapes(); `to` must be kPhaseAbi.
  std::string function{};
  std::vector<std::vector<std::int64_t>> shapes{};  ///< empty: as declared
};

/// Compiles a program from IR before configuration, with attributes attached to its operations.
/// Replies even if a pass after configuration fails.
struct CompileConfiguredJob {
  static constexpr std::string_view kName = "configured";
  static constexpr std::string_view kFile = "vmfb";
  using Reply = ConfiguredCode;
  std::vector<model::OpAttribute> attributes;
};

/// Like CompileConfiguredJob, with a copy of the program per variant; see module_variants.h.
struct CompileVariantsJob {
  static constexpr std::string_view kName = "variants";
  static constexpr std::string_view kFile = "vmfb";
  using Reply = ConfiguredCode;
  std::vector<std::vector<model::OpAttribute>> variants;
};

/// Compiles a copy of the program per choice, from IR after global optimization. Replies with the
/// splits that the compiler made.
struct CompileSplitsJob {
  static constexpr std::string_view kName = "splits";
  static constexpr std::string_view kFile = "vmfb";
  using Reply = SplitsByFunction;
  std::vector<SplitSizes> choices;
};

/// Attaches the sizes to the program's operations and writes it as text.
struct AnnotateSplitsJob {
  static constexpr std::string_view kName = "annotate";
  static constexpr std::string_view kFile = "mlir";
  using Reply = NoReply;
  SplitSizes sizes;
};

/// Parses only; describes the functions.
struct DescribeModuleJob {
  static constexpr std::string_view kName = "describe";
  static constexpr std::string_view kFile{};
  using Reply = ModuleDescription;
};

/// Parses only; lists the problems of the operations, see problemsIn().
struct ListProblemsJob {
  static constexpr std::string_view kName = "problems";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<model::Problem>;
};

/// Runs up to preprocessing; lists the layers, see layersIn().
struct ListLayersJob {
  static constexpr std::string_view kName = "layers";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<model::Layer>;
};

/// Runs up to the configurations; lists the root operations, see rootsIn().
struct ListRootsJob {
  static constexpr std::string_view kName = "roots";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<model::RootOperation>;
};

/// Runs up to `flow`; lists the dispatches, see dispatchesIn() and benchmarkDispatchesIn().
struct ListDispatchesJob {
  static constexpr std::string_view kName = "dispatches";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<DispatchDescription>;
};

/// Runs up to the configurations; lists the constraints, see constraintsIn().
struct ListConstraintsJob {
  static constexpr std::string_view kName = "constraints";
  static constexpr std::string_view kFile{};
  using Reply = ProgramConstraints;
  std::vector<KnobAssignment> assignments;
};

/// Lists the reductions of a program without running passes. With `compilersOwn`, then runs up to
/// `flow` to read the compiler's own splits.
struct ListReductionsJob {
  static constexpr std::string_view kName = "reductions";
  static constexpr std::string_view kFile{};
  using Reply = ProgramReductions;
  bool compilersOwn = false;
};

/// Parses and describes a tuning spec; writes the spec with marks, see markedSpec().
struct ReadSpecJob {
  static constexpr std::string_view kName = "spec";
  static constexpr std::string_view kFile = "mlir";
  using Reply = SpecDescription;
};

/// Runs up to the configurations; reads the marks of a marked spec.
struct ReadSpecMarksJob {
  static constexpr std::string_view kName = "marks";
  static constexpr std::string_view kFile{};
  using Reply = SpecMarks;
};

/// Runs up to the configurations; builds a matcher for each root operation.
struct ListMatchersJob {
  static constexpr std::string_view kName = "matchers";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<RootMatcher>;
};

/// Runs up to the configurations; lists the operations that specs can match, see operationsIn().
struct ListOperationsJob {
  static constexpr std::string_view kName = "operations";
  static constexpr std::string_view kFile{};
  using Reply = std::vector<ProgramOperation>;
};

/// Runs up to `flow`; returns the data flow between the dispatches, see dispatchGraphIn().
struct ListDispatchGraphJob {
  static constexpr std::string_view kName = "graph";
  static constexpr std::string_view kFile{};
  using Reply = model::DispatchGraph;
};

/// The configured IR of a dispatch.
struct DispatchIr {
  std::string text;
};

/// Runs up to the configurations, with marked roots; prints a dispatch, see dispatchText().
struct PrintDispatchJob {
  static constexpr std::string_view kName = "print";
  static constexpr std::string_view kFile{};
  using Reply = DispatchIr;
  std::string dispatch;
};

using JobRequest =
    std::variant<CompileModuleJob, LowerModuleJob, CompileConfiguredJob, CompileVariantsJob,
                 CompileSplitsJob, AnnotateSplitsJob, DescribeModuleJob, ListProblemsJob,
                 ListLayersJob, ListRootsJob, ListDispatchesJob, ListConstraintsJob,
                 ListReductionsJob, ReadSpecJob, ReadSpecMarksJob, ListMatchersJob,
                 ListOperationsJob, ListDispatchGraphJob, PrintDispatchJob>;

/// A job for one child of the pool.
struct CompileJob {
  std::filesystem::path source;
  std::string from = kPhaseStart;  ///< the last phase that the source has completed
  std::vector<std::string> flags;
  JobRequest request;
  bool verifyIr = true;          ///< off for IR written by the compiler itself: 12 % less work
  bool threads = false;          ///< multithreaded passes; on if the job has the machine to itself
  std::filesystem::path output;  ///< the job's file; its reply goes to replyPath(output)
  Limits limits;
  std::int64_t deadlineNs = 0;  ///< monotonic; the pool does not start the job after it; 0: none
};

/// Returns the reply file of a job with this output.
[[nodiscard]] std::filesystem::path replyPath(const std::filesystem::path& output);

}  // namespace hone::iree

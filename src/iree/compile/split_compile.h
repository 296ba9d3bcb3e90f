#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/module_splits.h"
#include "model/problem/reduction.h"

namespace hone::iree {

// Tries split reductions without rebuilding the compiler: its pass keeps the split sizes that an
// operation already has as an attribute. The attribute is attached to the IR after global
// optimization, just before that pass. On the source, earlier rewrites silently drop it for some
// shapes.

/// Enables the compiler's own heuristic for splitting reductions.
inline constexpr const char* kEnableSplitFlag = "--iree-dispatch-creation-enable-split-reduction";

/// Lists the operations of a program that the compiler's pass could split, in program order,
/// without running any passes.
[[nodiscard]] Result<std::vector<FunctionReduction>> queryReductions(Compiler& compiler,
                                                                     const CompileRequest& request);

/// A program lowered to the input of the compiler's splitting pass.
struct Splittable {
  CompileReport report;  ///< ok, or the reason why the other members are empty
  std::filesystem::path ir;
  std::string irHash;
  std::string function;
  std::vector<std::string> flags;
  std::vector<model::Reduction> operations;  ///< those that a limit can split, in IR order
  SplitSizes compilersOwn;                   ///< the compiler's own splits, in the same order
};

/// Lowers programs of one function each, several at a time.
[[nodiscard]] Result<std::vector<Splittable>> prepareSplits(
    Compiler& compiler, std::span<const CompileRequest> requests);

/// Attaches the sizes to the operations of the program's IR after global optimization. Returns the
/// IR as a text file in the cache, to be compiled with --compile-from=global-optimization.
[[nodiscard]] Result<std::filesystem::path> annotated(Compiler& compiler, const Splittable& program,
                                                      const SplitSizes& sizes);

/// A request to compile a program once per choice, all into one module.
struct SplitOrder {
  const Splittable* program = nullptr;
  std::vector<SplitSizes> choices;  ///< an empty choice means no split
};

/// One compiled choice.
struct SplitCompiled {
  CompileReport report;
  std::filesystem::path module;  ///< "" on failure
  std::string function;
};

/// Compiles the choices of all orders, several orders at a time. A choice fails on its own if it
/// does not compile or is not split as requested after `flow`; the report says why.
[[nodiscard]] Result<std::vector<std::vector<SplitCompiled>>> compileSplits(
    Compiler& compiler, std::span<const SplitOrder> orders);

}  // namespace hone::iree

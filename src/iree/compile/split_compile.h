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

// Split reductions, tried without rebuilding the compiler: its pass leaves an operation alone that
// already says how it is to be split. That is put on the IR after global optimization, where the
// pass will look; on the source, earlier rewrites drop it without a word for some shapes.

/// Lets the compiler split reductions where it thinks that it helps.
inline constexpr const char* kEnableSplitFlag = "--iree-dispatch-creation-enable-split-reduction";

/// Lists the operations of a program as it stands that the compiler's pass could split, in the
/// program's order.
[[nodiscard]] Result<std::vector<FunctionReduction>> reductionsOf(Compiler& compiler,
                                                                  const CompileRequest& request);

/// A program up to where the compiler's pass sees what it may split.
struct Splittable {
  CompileReport report;  ///< ok, or why the rest is empty
  std::filesystem::path ir;
  std::string irHash;
  std::string function;
  std::vector<std::string> flags;
  std::vector<model::Reduction> operations;  ///< those that a limit can split, in the IR's order
  SplitSizes compilersOwn;  ///< the splits that the compiler makes by itself, in the same order
};

/// Brings programs so far, several at a time. Those of the requests are one function each.
[[nodiscard]] Result<std::vector<Splittable>> prepareSplits(
    Compiler& compiler, std::span<const CompileRequest> requests);

/// The program's IR after global optimization with the sizes on its operations, as text: a file of
/// the cache. The compiler goes on from it with --compile-from=global-optimization.
[[nodiscard]] Result<std::filesystem::path> annotated(Compiler& compiler, const Splittable& program,
                                                      const SplitSizes& sizes);

/// A program to be compiled once for each choice, all into one module.
struct SplitOrder {
  const Splittable* program = nullptr;
  std::vector<SplitSizes> choices;  ///< an empty one: not split at all
};

/// One choice, compiled.
struct SplitCompiled {
  CompileReport report;
  std::filesystem::path module;  ///< "" when it failed
  std::string function;
};

/// Compiles the choices of all orders, several orders at a time. A choice that fails, or is not
/// split after `flow` as it was asked for, is a report that says so; the others are not touched by
/// it.
[[nodiscard]] Result<std::vector<std::vector<SplitCompiled>>> compileSplits(
    Compiler& compiler, std::span<const SplitOrder> orders);

}  // namespace hone::iree

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "model/problem/root_operation.h"

namespace hone::iree {

/// Lists the root operations of a program's dispatches, in its order, as the compiler configures
/// them by itself. Names and numbers are those of the IR that attributes are put on. A dispatch
/// without a root, and so without knobs, has an entry with op "".
[[nodiscard]] Result<std::vector<model::RootOperation>> listRoots(Compiler& compiler,
                                                                  const CompileRequest& request);

/// A dispatch of a program as a program of its own: a function of the tensors that it reads, so
/// that it can be compiled, run, checked and timed alone. Dispatches that are alike are one.
struct DispatchProgram {
  std::string name;                     ///< the first entry point, for people
  std::vector<std::string> dispatches;  ///< the names of those that are alike
  std::vector<std::string> entries;     ///< their entry points, as DispatchTime names them
  std::int64_t calls = 0;               ///< places in the program that call one of them
  model::RootOperation root;            ///< of the first
  std::filesystem::path source;         ///< "" where it cannot stand alone
  std::string from = kPhaseFlow;        ///< the phase that the source has been brought to
  std::string function;
  std::vector<std::string> inputTypes;
  std::vector<std::string> resultTypes;
  std::string whyNot;  ///< why there is no source; "" when there is
};

/// The dispatches of a program, in its order; the sources of those that can stand alone are
/// written to the folder. A file that the compiler wrote to benchmark a dispatch, which describe
/// says to be at the phase executable-sources, has the one that is in it, with its buffers as
/// inputs and results and without the configuration that it was written with.
[[nodiscard]] Result<std::vector<DispatchProgram>> dispatchPrograms(
    Compiler& compiler, const CompileRequest& request, const std::filesystem::path& folder);

}  // namespace hone::iree

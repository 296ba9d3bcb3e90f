#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "model/problem/root_operation.h"

namespace hone::iree {

/// Lists the root operations of a program's dispatches, in program order, with the compiler's
/// default configuration. Names and ordinals refer to the IR to which attributes are attached. A
/// dispatch without a root, and so without knobs, has an entry with op "".
[[nodiscard]] Result<std::vector<model::RootOperation>> listRoots(Compiler& compiler,
                                                                  const CompileRequest& request);

/// A dispatch extracted into a standalone program, so that it can be compiled, run, checked and
/// timed separately. Its function takes the tensors that the dispatch reads. Identical dispatches
/// share one program.
struct DispatchProgram {
  std::string name;                     ///< the first entry point; display name
  std::vector<std::string> dispatches;  ///< the names of all identical dispatches
  std::vector<std::string> entries;     ///< their entry points, as in DispatchTime::name
  std::int64_t calls = 0;               ///< call sites of these dispatches in the program
  model::RootOperation root;            ///< of the first dispatch
  std::filesystem::path source;         ///< "" if the dispatch cannot be extracted
  std::string from = kPhaseFlow;        ///< the last phase that the source has completed
  std::string function;
  std::vector<std::string> inputTypes;
  std::vector<std::string> resultTypes;
  std::string skipReason;  ///< the reason if there is no source; "" otherwise
};

/// Extracts the dispatches of a program, in program order, and writes their sources to the folder.
///
/// Also accepts an executable benchmark dumped by the compiler (describe() reports the phase
/// executable-sources). It has one dispatch, whose buffers become inputs and results and whose
/// configuration is dropped.
[[nodiscard]] Result<std::vector<DispatchProgram>> dispatchPrograms(
    Compiler& compiler, const CompileRequest& request, const std::filesystem::path& folder);

}  // namespace hone::iree

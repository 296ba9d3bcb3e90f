#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"

namespace hone::tune {

/// The spec that one of several programs was proven with.
struct ProgramSpec {
  std::string label;             ///< the program's
  std::string header;            ///< lines of comment for the file
  std::string text;              ///< "": it has none
  iree::CompileRequest request;  ///< the program with the flags that it was proven with
};

/// The specs of several programs as files.
struct SpecFiles {
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files;             ///< the first is for all that agree
  std::vector<std::string> fileOf;     ///< one a program; "" for one without a spec
  std::vector<std::string> conflicts;  ///< a sentence each: who got a file of its own, and why
};

/// All in one file, as far as the compiler does with it to each program what the program's own spec
/// does: one whose spec configures something in another way than those before it, or would be put
/// on their dispatches, or theirs on its own, gets a file of its own beside it, for a merged one
/// would not be what was proven.
[[nodiscard]] Result<SpecFiles> specFiles(iree::Compiler& compiler,
                                          std::span<const ProgramSpec> programs,
                                          const std::string& output);

/// "out/spec.LABEL.ENDING" for "out/spec.mlir"; without a label that part is left out.
[[nodiscard]] std::string fileBeside(const std::string& output, std::string_view label,
                                     std::string_view ending);

}  // namespace hone::tune

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compiler.h"

namespace hone::tune {

/// The spec that one of several programs was proven with.
struct ProgramSpec {
  std::string label;   ///< the program's
  std::string header;  ///< lines of comment for the file
  std::string text;    ///< "": it has none
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

/// All in one file; a program whose spec configures something in another way than those before it
/// gets a file of its own beside it, for a merged one would not be what was proven.
[[nodiscard]] Result<SpecFiles> specFiles(iree::Compiler& compiler,
                                          std::span<const ProgramSpec> programs,
                                          const std::string& output);

/// "out/spec.LABEL.ENDING" for "out/spec.mlir"; without a label that part is left out.
[[nodiscard]] std::string fileBeside(const std::string& output, std::string_view label,
                                     std::string_view ending);

}  // namespace hone::tune

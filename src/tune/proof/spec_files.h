#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"

namespace hone::tune {

/// A program's proven spec.
struct ProgramSpec {
  std::string label;             ///< of the program
  std::string header;            ///< comment lines for the file
  std::string text;              ///< "": no spec
  iree::CompileRequest request;  ///< the program with the flags it was proven with
};

/// Spec files of several programs.
struct SpecFiles {
  struct File {
    std::string name;
    std::string text;
  };
  std::vector<File> files;             ///< the first is shared by all compatible programs
  std::vector<std::string> specPaths;  ///< one per program; "" if it has no spec
  std::vector<std::string> conflicts;  ///< one message for each program with a separate file
};

/// Merges the specs into one file if each program compiles with it as with its original spec. A
/// program gets a separate file if its spec conflicts with earlier ones, or if one spec would
/// affect dispatches of another program. A merged spec would then not be what was proven.
[[nodiscard]] Result<SpecFiles> specFiles(iree::Compiler& compiler,
                                          std::span<const ProgramSpec> programs,
                                          const std::string& output);

/// Returns "out/spec.LABEL.ENDING" for "out/spec.mlir", or without ".LABEL" if the label is empty.
[[nodiscard]] std::string fileBeside(const std::string& output, std::string_view label,
                                     std::string_view ending);

}  // namespace hone::tune

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/module/module_spec.h"
#include "iree/spec/spec.h"

namespace hone::iree {

/// One entry of a spec that was read.
struct ReadEntry : SpecEntryDescription {
  std::string comment;  ///< the lines of comment before the matcher
};

/// A tuning spec that the compiler has read and verified.
struct Spec {
  std::filesystem::path file;
  std::string hash;              ///< of what the file says
  std::filesystem::path marked;  ///< the same spec, leaving marks: see module_spec_marks.h
  std::vector<ReadEntry> entries;
  std::map<std::string, SpecAction> actions;
  std::map<std::string, std::string> helpers;  ///< other sequences, as MLIR
  std::vector<std::string> entryPoints;
};

/// Reads a spec through the compiler. What it does not take is a user error with the compiler's own
/// words, the line, and, where the spec has what this compiler does not know, that it may be of
/// another version.
[[nodiscard]] Result<Spec> readSpec(Compiler& compiler, const std::filesystem::path& file);

/// The lines of comment right before each named sequence of a spec, without their slashes.
[[nodiscard]] std::map<std::string, std::string> commentsIn(std::string_view text);

/// The configuration in few words: "DoubleTilingExpert, distribution [64, 64, 0], …".
[[nodiscard]] std::string shownConfig(const ReadEntry& entry);

}  // namespace hone::iree

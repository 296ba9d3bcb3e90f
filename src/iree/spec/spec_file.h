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

/// An entry of a parsed spec.
struct ReadEntry : SpecEntryDescription {
  std::string comment;  ///< the comment lines above the matcher
};

/// A tuning spec that the compiler has parsed and verified.
struct Spec {
  std::filesystem::path file;
  std::string hash;              ///< of the file's content
  std::filesystem::path marked;  ///< the same spec with marks: see module_spec_marks.h
  std::vector<ReadEntry> entries;
  std::map<std::string, SpecAction> actions;
  std::map<std::string, std::string> helpers;  ///< other sequences, as MLIR
  std::vector<std::string> entryPoints;
};

/// Parses and verifies a spec with the compiler. Fails with a user error that quotes the compiler's
/// message with its line. The error mentions a version mismatch if the spec does not parse.
[[nodiscard]] Result<Spec> readSpec(Compiler& compiler, const std::filesystem::path& file);

/// Returns the comment above each named sequence of a spec, by symbol, without the slashes.
[[nodiscard]] std::map<std::string, std::string> commentsIn(std::string_view text);

/// Returns a short form of the configuration: "DoubleTilingExpert, distribution = [64, 64, 0], …".
[[nodiscard]] std::string shownConfig(const ReadEntry& entry);

}  // namespace hone::iree

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/spec/near_miss.h"
#include "iree/spec/spec_check.h"

namespace hone::iree {

/// An entry of an upgraded spec.
struct UpgradedEntry {
  std::string entry;
  std::vector<std::string> changes;  ///< one sentence per change; empty if nothing changed
  std::string failure;               ///< the reason if it cannot be upgraded; "" otherwise
};

/// The result of upgradeSpec().
struct SpecUpgrade {
  std::string text;  ///< the spec; "" if no entry can be upgraded
  std::vector<UpgradedEntry> entries;
  bool current = false;                  ///< the spec was already written for this compiler
  std::optional<SpecCompiled> compiled;  ///< the program with the upgraded spec, if one was given

  /// Returns true if every entry was upgraded and applies to the program, if one was given.
  [[nodiscard]] bool good() const;
};

struct UpgradeOptions {
  std::filesystem::path folder;           ///< for temporary files
  std::optional<CompileRequest> program;  ///< matchers are fitted to its operations
  /// Rewrites a compilation_info of the newest version for the installed compiler.
  std::function<std::string(std::string)> fitConfig;
};

/// Rewrites a spec of another compiler version for the installed compiler. With a program, a
/// matcher that matches nothing because the compiler writes the same computation differently is
/// replaced. Every entry is verified by the compiler. Fails with a user error if the file is not a
/// spec.
[[nodiscard]] Result<SpecUpgrade> upgradeSpec(Compiler& compiler, const std::filesystem::path& file,
                                              const UpgradeOptions& options);

/// Describes the first construct in the text of a spec that the installed compiler does not accept;
/// "" if there is none.
[[nodiscard]] std::string findOldSyntax(std::string_view text);

}  // namespace hone::iree

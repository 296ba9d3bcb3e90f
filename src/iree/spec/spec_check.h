#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/target.h"
#include "iree/spec/near_miss.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {

/// An application of a spec entry to a dispatch.
struct SpecUse {
  std::string dispatch;
  /// The compiler uses the entry's configuration; false if it chose another one.
  bool configured = false;
  /// The entry was attached to the root operation (the one that decides the tiling).
  bool onRoot = false;
  /// The compiler chooses the same configuration without the spec.
  bool asDefault = false;
};

/// All applications of one entry in a program.
struct EntryUse {
  std::string entry;
  std::vector<SpecUse> uses;  ///< empty if the entry matches nothing
  /// The closest operation of the program if the entry matches nothing.
  std::optional<NearMiss> nearMiss{};
  /// The earlier entry that applies to the closest operation, if the entry would match it; ""
  /// otherwise.
  std::string shadowedBy{};
};

/// The effect of a spec on a program, read from the compiler's configured IR.
struct SpecCheck {
  std::vector<EntryUse> entries;       ///< one per entry of the spec
  std::vector<std::string> untouched;  ///< dispatches that no entry matches
  std::vector<std::string> backends;   ///< the program's target backends: "llvm-cpu"
  /// All backends support --iree-codegen-tuning-spec-path; others silently ignore it.
  bool takesSpecFlag = true;
  std::string flag;     ///< the flag that passes the spec to the compiler for these backends
  std::string refused;  ///< the compiler's error if the program does not compile with the spec

  /// Returns true if every entry matches and every match uses the entry's configuration.
  [[nodiscard]] bool good() const;
};

/// Reports which entry configures which dispatch of a program. Fails with a user error if the
/// program does not compile even without the spec.
[[nodiscard]] Result<SpecCheck> checkSpec(Compiler& compiler, const CompileRequest& request,
                                          const Spec& spec);

/// Returns the flag that passes a spec to backends that support --iree-codegen-tuning-spec-path, or
/// to others.
[[nodiscard]] std::string specFlag(bool takesSpecFlag, const std::filesystem::path& file);
/// Returns true if the compiler supports --iree-codegen-tuning-spec-path for the target.
[[nodiscard]] bool takesSpecFlag(const Target& target);
/// Returns the flag that passes a spec to the compiler for the target.
[[nodiscard]] std::string specFlagFor(const Target& target, const std::filesystem::path& file);

/// A program compiled with a spec.
struct SpecCompiled {
  Compiled compiled;
  SpecCheck check;
  bool sameAsDefault = false;  ///< the module is byte-identical to the default's
};

/// Compiles a program with a spec, for any target, and checks that the spec takes effect. Also
/// writes the module to `output` unless it is empty.
[[nodiscard]] Result<SpecCompiled> compileWithSpec(Compiler& compiler,
                                                   const CompileRequest& request, const Spec& spec,
                                                   const std::filesystem::path& output);

}  // namespace hone::iree

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/target.h"
#include "iree/spec/spec_file.h"

namespace hone::iree {

/// An entry put on a dispatch.
struct SpecUse {
  std::string dispatch;
  /// The compiler's configuration has what the entry says; false: it took something else.
  bool configured = false;
  /// It was put on the operation that the compiler tiles by, not on one that follows it.
  bool onRoot = false;
  /// The compiler would have chosen the same without the spec.
  bool asDefault = false;
};

/// What became of an entry in a program.
struct EntryUse {
  std::string entry;
  std::vector<SpecUse> uses;  ///< none: it matches nothing there
};

/// A spec on a program, seen in the compiler's configured IR.
struct SpecCheck {
  std::vector<EntryUse> entries;       ///< one an entry of the spec
  std::vector<std::string> untouched;  ///< dispatches that no entry was put on
  std::vector<std::string> backends;   ///< that the program is compiled for: "llvm-cpu"
  /// --iree-codegen-tuning-spec-path works for all of them; others ignore it without a word.
  bool takesSpecFlag = true;
  std::string flag;     ///< what gives the spec to the compiler for these
  std::string refused;  ///< the compiler's words where it does not compile with the spec

  /// Every entry matches something, and everything that was matched is configured as it says.
  [[nodiscard]] bool good() const;
};

/// Which dispatches of a program get their configuration from which entry. A program that does not
/// compile without the spec either is a user error.
[[nodiscard]] Result<SpecCheck> checkSpec(Compiler& compiler, const CompileRequest& request,
                                          const Spec& spec);

/// Whether the compiler takes --iree-codegen-tuning-spec-path for the target.
[[nodiscard]] bool takesSpecFlag(const Target& target);
/// The flag that gives a spec to the compiler for the target.
[[nodiscard]] std::string specFlagFor(const Target& target, const std::filesystem::path& file);

/// A program compiled with a spec.
struct SpecCompiled {
  Compiled compiled;
  SpecCheck check;
  bool sameAsDefault = false;  ///< not a byte of the module differs from the default's
};

/// Compiles a program with a spec, for any target, and makes sure that the spec reached it. With an
/// output the module is also written there.
[[nodiscard]] Result<SpecCompiled> compileWithSpec(Compiler& compiler,
                                                   const CompileRequest& request, const Spec& spec,
                                                   const std::filesystem::path& output);

}  // namespace hone::iree

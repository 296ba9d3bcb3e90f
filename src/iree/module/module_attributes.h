#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"
#include "model/result/config.h"

namespace hone::iree {

// Configurations put on operations before the compiler chooses its own, in a compile child.

/// A lowering configuration that was put on an operation.
struct AttachedConfig {
  std::string executable;  ///< as it is named in the module
  std::string dispatch;    ///< as it is named in the program
  std::string op;
  MlirAttribute loweringConfig;
};

/// The operations of an executable that the text names: all of "linalg.generic", or only the second
/// of them by "linalg.generic#1".
[[nodiscard]] std::vector<MlirOperation> operationsNamed(const CompilerApi& api,
                                                         MlirOperation executable,
                                                         std::string_view name);

/// Whether the attribute is meant for an executable of this name.
[[nodiscard]] bool isMeant(const model::OpAttribute& attribute, const std::string& dispatch);

/// The attribute's value; nothing, said on stderr, where it is none.
[[nodiscard]] std::optional<MlirAttribute> valueOf(const CompilerApi& api, MlirContext context,
                                                   const model::OpAttribute& attribute);

/// Puts the value on the operations that the attribute names in the executable. How many there are.
std::size_t attachTo(const CompilerApi& api, MlirOperation executable, const std::string& dispatch,
                     const model::OpAttribute& attribute, MlirAttribute value,
                     std::vector<AttachedConfig>& attached);

/// Says on stderr that no dispatch has what the attribute names.
void sayNoMatch(const model::OpAttribute& attribute);

/// Puts the attributes on all operations they name, inside the dispatches. Says on stderr which
/// found no operation or do not parse; nothing then.
[[nodiscard]] std::optional<std::vector<AttachedConfig>> attachAttributes(
    const CompilerApi& api, MlirContext context, MlirOperation module,
    std::span<const model::OpAttribute> attributes);

/// Which of the configurations no operation of their dispatch carries in configured IR, in a
/// sentence; "" when the compiler took all of them.
[[nodiscard]] std::string ignoredConfigs(const CompilerApi& api, MlirOperation module,
                                         std::span<const AttachedConfig> attached);

}  // namespace hone::iree

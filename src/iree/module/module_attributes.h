#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"
#include "model/result/config.h"

namespace hone::iree {

// Attaches configurations to operations before the compiler chooses its own, in a compile child.

/// A lowering configuration attached to an operation.
struct AttachedConfig {
  std::string executable;  ///< its name in the module
  std::string dispatch;    ///< its name in the program
  std::string op;
  MlirAttribute loweringConfig;
};

/// Returns the operations of an executable with this name: all for "linalg.generic", only the
/// second for "linalg.generic#1".
[[nodiscard]] std::vector<MlirOperation> findOperations(const CompilerApi& api,
                                                        MlirOperation executable,
                                                        std::string_view name);

/// Returns true if the attribute's pattern matches the dispatch.
[[nodiscard]] bool matchesDispatch(const model::OpAttribute& attribute,
                                   const std::string& dispatch);

/// Parses the attribute's value. Returns nothing and prints the error to stderr if it is invalid.
[[nodiscard]] std::optional<MlirAttribute> parseValue(const CompilerApi& api, MlirContext context,
                                                      const model::OpAttribute& attribute);

/// Attaches the value to the operations of the executable that the attribute names. Returns their
/// number.
std::size_t attachAttribute(const CompilerApi& api, MlirOperation executable,
                            const std::string& dispatch, const model::OpAttribute& attribute,
                            MlirAttribute value, std::vector<AttachedConfig>& attached);

/// Prints to stderr that the attribute matches no operation.
void printNoMatch(const model::OpAttribute& attribute);

/// Attaches the attributes to all operations that they name, inside the dispatches. Returns nothing
/// and prints the error to stderr if one matches no operation or does not parse.
[[nodiscard]] std::optional<std::vector<AttachedConfig>> attachAttributes(
    const CompilerApi& api, MlirContext context, MlirOperation module,
    std::span<const model::OpAttribute> attributes);

/// Describes the configurations that no operation of their dispatch has in configured IR; returns
/// "" if the compiler used all of them.
[[nodiscard]] std::string ignoredConfigs(const CompilerApi& api, MlirOperation module,
                                         std::span<const AttachedConfig> attached);

}  // namespace hone::iree

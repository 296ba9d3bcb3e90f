#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "iree/module/compiler_api.h"
#include "iree/module/module_attributes.h"
#include "model/result/config.h"

namespace hone::iree {

// Puts several configs of one program into one module, because most of the compile time is spent
// per module and not per dispatch. Works on the IR before configuration, in a compile child.

/// Returns the function name of a variant.
[[nodiscard]] std::string variantName(std::string_view name, std::size_t variant);

/// Inserts a copy of a function or executable after the original, with the variant's name.
MlirOperation insertCopy(const CompilerApi& api, MlirContext context, MlirOperation original,
                         std::size_t variant);

enum class Expansion : std::uint8_t {
  done,
  noMatch,      ///< an attribute matches no operation or is invalid; printed to stderr
  notPossible,  ///< the module is not one public function with its dispatches
};

/// Replaces the program by one copy per variant, with the variant's attributes. Dispatches that a
/// variant does not change are shared. Appends the configurations of each variant to `attached`.
[[nodiscard]] Expansion expandVariants(const CompilerApi& api, MlirContext context,
                                       MlirOperation module,
                                       std::span<const std::vector<model::OpAttribute>> variants,
                                       std::vector<std::vector<AttachedConfig>>& attached);

/// Returns a hash of each variant's code, from IR after translation: equal if the machine code is
/// equal.
[[nodiscard]] std::vector<std::string> variantContents(const CompilerApi& api, MlirOperation module,
                                                       std::size_t variants);

}  // namespace hone::iree

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

// Several configs of one program in one module: most of what a compile costs is spent once a
// module, not once a dispatch. Works on the IR before configuration, in a compile child.

/// The function that variant number `variant` of a program is called by.
[[nodiscard]] std::string variantName(std::string_view name, std::size_t variant);

/// A copy of a function or executable right after the original, under the variant's name.
MlirOperation copyOf(const CompilerApi& api, MlirContext context, MlirOperation original,
                     std::size_t variant);

enum class Expansion : std::uint8_t {
  done,
  noMatch,      ///< an attribute found no operation, or is none; said on stderr
  notPossible,  ///< the module is not one public function with its dispatches
};

/// Replaces the program by a copy of it for each variant, with the variant's attributes. Dispatches
/// that a variant does not touch are shared. `attached` gets the configurations of each.
[[nodiscard]] Expansion expandVariants(const CompilerApi& api, MlirContext context,
                                       MlirOperation module,
                                       std::span<const std::vector<model::OpAttribute>> variants,
                                       std::vector<std::vector<AttachedConfig>>& attached);

/// A hash of each variant's code, from IR after translation: equal where the machine code is equal.
[[nodiscard]] std::vector<std::string> variantContents(const CompilerApi& api, MlirOperation module,
                                                       std::size_t variants);

}  // namespace hone::iree

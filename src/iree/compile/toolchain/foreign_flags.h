#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::iree {

/// Returns true if a compiler flag can only change the generated code: it neither loads nor runs a
/// program, nor reads or writes a file.
[[nodiscard]] bool isHarmlessFlag(std::string_view flag);

/// Fails with a user error unless all flags of a file from another machine are harmless.
[[nodiscard]] Result<void> checkForeignFlags(std::span<const std::string> flags,
                                             std::string_view file);

/// Fails with a user error if an input ("4x8xf32=@x.npy") of a file from another machine names a
/// file outside of `folder`.
[[nodiscard]] Result<void> checkForeignInputs(std::span<const std::string> inputs,
                                              const std::filesystem::path& folder,
                                              std::string_view file);

}  // namespace hone::iree

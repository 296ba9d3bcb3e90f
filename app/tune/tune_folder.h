#pragma once

#include <cstdint>
#include <filesystem>

#include "app/common/context.h"
#include "app/common/toolchain.h"
#include "app/tune/tuned_result.h"

namespace hone::app {

/// Returns true if `-o` names a folder for all results rather than a spec.
[[nodiscard]] bool isTunedFolder(const std::string& output);

/// Writes the folder of a tuned program: spec, script, flags.txt, the compiled module, weights and
/// result.json. Prints the result and how to use it, unless --json is set.
[[nodiscard]] Result<void> writeTunedFolder(const Context& context, Toolchain& toolchain,
                                            const TunedProgram& program,
                                            const std::filesystem::path& folder);

}  // namespace hone::app

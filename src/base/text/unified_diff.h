#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

/// Returns a patch from `before` to `after` for `git apply` and `patch -p1`, with three lines of
/// context, or "" if they are equal. Preserves line ends. `path` is relative to the patched tree.
[[nodiscard]] std::string unifiedDiff(std::string_view before, std::string_view after,
                                      std::string_view path);

/// Returns the path that a patch uses for `file`: relative to the root of its git work tree.
/// Outside git, returns the given path, or only the file name if it is absolute or starts with
/// "..".
[[nodiscard]] std::string patchPath(const std::filesystem::path& file);

}  // namespace hone

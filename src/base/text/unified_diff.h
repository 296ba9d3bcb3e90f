#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hone {

/// A patch that makes `after` of `before`, as `git apply` and `patch -p1` take it, with three lines
/// of context; "" when they are equal. Line ends stay as they are. `path` is the file's in the tree
/// that the patch is for.
[[nodiscard]] std::string unifiedDiff(std::string_view before, std::string_view after,
                                      std::string_view path);

/// How a patch names a file: from the top folder of its git work tree on; where it is in none, as
/// given, or by its name alone when that is an absolute path or leads upwards.
[[nodiscard]] std::string patchPath(const std::filesystem::path& file);

}  // namespace hone

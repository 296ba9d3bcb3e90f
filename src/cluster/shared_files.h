#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::cluster {

/// Files that all nodes need, by their content, in the shared folder.
class SharedFiles {
 public:
  explicit SharedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Where all nodes find the file, under its own name.
  [[nodiscard]] Result<std::filesystem::path> keep(const std::filesystem::path& file);
  /// The texts with every file that one names, as in "--flag=/a/file" or "4x4xf32=@file", kept.
  [[nodiscard]] Result<std::vector<std::string>> keepNamed(std::vector<std::string> texts);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::filesystem::path> kept_;
};

}  // namespace hone::cluster

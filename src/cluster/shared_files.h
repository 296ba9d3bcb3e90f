#pragma once

#include <filesystem>
#include <map>

#include "base/error.h"
#include "engine/executor/unit.h"

namespace hone::cluster {

/// Content-addressed files in the shared folder, visible to all nodes.
class SharedFiles : public engine::FileShare {
 public:
  explicit SharedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the path of a copy with the same file name.
  [[nodiscard]] Result<std::filesystem::path> share(const std::filesystem::path& file) override;

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::filesystem::path> shared_;
};

}  // namespace hone::cluster

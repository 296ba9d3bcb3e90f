#pragma once

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"

namespace hone::kernel {

/// A folder for shared tensors, removed on destruction. In memory if they fit, because disk writes
/// disturb timings. create() also removes folders that killed processes left in memory.
class TensorFolder {
 public:
  [[nodiscard]] static Result<TensorFolder> create(double bytes);
  TensorFolder(TensorFolder&& other) noexcept;
  TensorFolder& operator=(TensorFolder&&) = delete;
  TensorFolder(const TensorFolder&) = delete;
  TensorFolder& operator=(const TensorFolder&) = delete;
  ~TensorFolder();

  [[nodiscard]] const std::filesystem::path& path() const {
    return onDisk_ ? onDisk_->path() : inMemory_;
  }

 private:
  TensorFolder() = default;
  std::filesystem::path inMemory_;
  std::optional<ScratchFolder> onDisk_;
};

}  // namespace hone::kernel

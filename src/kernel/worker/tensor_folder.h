#pragma once

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"

namespace hone::kernel {

/// A folder for shared tensors, removed with all in it at the end: in memory where there is room
/// for them, as a disk that is written meanwhile disturbs the times. What a killed process left in
/// memory is removed when the next one is made.
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

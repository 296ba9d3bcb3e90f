#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "model/problem/tensor_type.h"

namespace hone::kernel {

/// Where in its pages a tensor lies: what goes beyond its other side meets random bytes, what goes
/// beyond this side a page without access.
enum class Placement : std::uint8_t { begin, end };

/// The judge's side of a tensor in a file that a worker maps too.
class SharedTensor {
 public:
  [[nodiscard]] static Result<SharedTensor> create(std::filesystem::path file,
                                                   const model::TensorType& type,
                                                   Placement placement);
  SharedTensor(SharedTensor&& other) noexcept;
  SharedTensor& operator=(SharedTensor&& other) noexcept;
  SharedTensor(const SharedTensor&) = delete;
  SharedTensor& operator=(const SharedTensor&) = delete;
  ~SharedTensor();

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const model::TensorType& type() const { return type_; }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::span<std::byte> data() { return {map_ + offset_, type_.bytes()}; }
  [[nodiscard]] std::span<const std::byte> data() const { return {map_ + offset_, type_.bytes()}; }

  /// Random bytes around the data, to be found again.
  void guard(Random& random);
  [[nodiscard]] bool guardIntact() const;
  /// Marks every element as not written: a NaN of random bits, or a random number.
  void markUnwritten(Random& random);
  /// The first element of a copy of the data that still has the mark.
  [[nodiscard]] std::optional<std::int64_t> firstUnwritten(std::span<const std::byte> copy) const;
  /// Takes its file's name away: only who has mapped it already sees it from now on.
  void hide();

 private:
  SharedTensor() = default;
  [[nodiscard]] std::vector<std::byte> outside() const;
  template <typename Bits>
  [[nodiscard]] std::optional<std::int64_t> firstMarked(std::span<const std::byte> copy) const;

  std::filesystem::path file_;
  model::TensorType type_;
  std::byte* map_ = nullptr;
  std::size_t mapBytes_ = 0;
  std::size_t offset_ = 0;
  std::vector<std::byte> guard_;
  std::uint64_t mark_ = 0;
};

}  // namespace hone::kernel

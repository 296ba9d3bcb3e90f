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

/// Position of a tensor in its pages. Accesses beyond this side hit an inaccessible page; writes
/// beyond the other side change random guard bytes.
enum class Placement : std::uint8_t { begin, end };

/// The judge's mapping of a tensor in a file that a worker maps, too.
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

  /// Fills the bytes around the data with random values and remembers them.
  void guard(Random& random);
  [[nodiscard]] bool guardIntact() const;
  /// Marks every element as unwritten with a NaN of random bits, or a random integer.
  void markUnwritten(Random& random);
  /// Marks every element as unwritten with the bits of the last mark.
  void markAgain();
  /// Returns the first element of a copy of the data that still has the mark.
  [[nodiscard]] std::optional<std::int64_t> firstUnwritten(std::span<const std::byte> copy) const;
  /// Unlinks the file; existing mappings stay valid.
  void unlinkFile();

 private:
  SharedTensor() = default;
  [[nodiscard]] std::vector<std::byte> guardBytes() const;
  template <typename Bits>
  void fillWithMark();
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

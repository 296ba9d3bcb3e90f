#include "verify/tensor/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/text/text.h"

namespace hone::verify {
namespace {

using model::ElementType;

std::uint64_t littleEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

/// Returns the value of a key in the header's Python dictionary, up to its closing character.
std::string_view headerValue(std::string_view header, std::string_view key) {
  const auto at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view value = trim(header.substr(at + key.size() + 3));
  const char close = value.starts_with('(') ? ')' : ',';
  const auto end = value.find(close);
  return trim(value.substr(0, end + (close == ')' ? 1 : 0)));
}

std::optional<ElementType> elementFrom(std::string_view descr) {
  constexpr std::array<std::pair<std::string_view, ElementType>, 14> kTypes = {
      {{"'<f4'", ElementType::f32},
       {"'<f8'", ElementType::f64},
       {"'<f2'", ElementType::f16},
       {"'<i8'", ElementType::i64},
       {"'<i4'", ElementType::i32},
       {"'<i2'", ElementType::i16},
       {"'|i1'", ElementType::i8},
       {"'|b1'", ElementType::i1},
       {"'<u8'", ElementType::i64},
       {"'<u4'", ElementType::i32},
       {"'<u2'", ElementType::i16},
       {"'|u1'", ElementType::i8},
       {"'<V2'", ElementType::bf16},
       {"'|V2'", ElementType::bf16}}};
  for (const auto& [name, type] : kTypes) {
    if (name == descr) {
      return type;
    }
  }
  return std::nullopt;
}

/// Parses "(2, 3)", "(2,)" or "()". Returns nullopt for everything else.
std::optional<std::vector<std::int64_t>> shapeFrom(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('(') || !text.ends_with(')')) {
    return std::nullopt;
  }
  std::vector<std::int64_t> shape;
  std::string_view rest = trim(text.substr(1, text.size() - 2));
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto size = parseInt(trim(rest.substr(0, comma)));
    if (!size || *size < 0) {
      return std::nullopt;
    }
    shape.push_back(*size);
    rest = trim(rest.substr(std::min(comma + 1, rest.size())));
  }
  return shape;
}

Result<Tensor> tensorFrom(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  constexpr std::size_t kFixed = 10;  // magic, version and a 16-bit length
  if (bytes.size() < kFixed + 2 || !bytes.starts_with(kMagic)) {
    return userError("{} is not a NumPy array", name);
  }
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3) {
    return userError("{}: unsupported format version {}; write it with numpy.save", name, version);
  }
  const bool isLong = version > 1;  // a 32-bit length
  const std::size_t begin = isLong ? kFixed + 2 : kFixed;
  const std::uint64_t length = littleEndian(bytes.substr(8, isLong ? 4 : 2));
  if (length > bytes.size() - begin) {
    return userError("{} is truncated", name);
  }
  const std::string_view header = bytes.substr(begin, length);
  const std::string_view values = bytes.substr(begin + length);
  const auto element = elementFrom(headerValue(header, "descr"));
  if (!element) {
    return userError(
        "{}: unsupported type {}; convert it with astype to float16, float32, float64, an integer "
        "or bool, little endian",
        name, headerValue(header, "descr"));
  }
  if (headerValue(header, "fortran_order") != "False") {
    return userError("{} is in column-major order; save numpy.ascontiguousarray of it", name);
  }
  Tensor tensor;
  tensor.type.element = *element;
  const auto shape = shapeFrom(headerValue(header, "shape"));
  tensor.type.shape = shape.value_or(std::vector<std::int64_t>());
  if (!shape || !tensor.type.countable()) {
    return userError("{}: invalid shape '{}'; write it with numpy.save", name,
                     headerValue(header, "shape"));
  }
  if (values.size() != tensor.type.bytes()) {
    return userError("{}: expected {} bytes for {}, got {}", name, tensor.type.bytes(),
                     tensor.type.text(), values.size());
  }
  tensor.data.resize(values.size());
  std::memcpy(tensor.data.data(), values.data(), values.size());
  return tensor;
}

/// Fields of an entry of a ZIP archive's directory, without its names.
constexpr std::size_t kDirectoryEntry = 46;
constexpr std::size_t kLocalHeader = 30;
constexpr std::size_t kEndRecord = 22;

/// Returns the bytes of the archive member that the directory entry describes.
Result<std::string_view> memberBytes(std::string_view zip, std::string_view entry,
                                     const std::string& name) {
  if (littleEndian(entry.substr(10, 2)) != 0) {
    return userError("{} is compressed; write it with numpy.savez", name);
  }
  std::uint64_t size = littleEndian(entry.substr(20, 4));
  const std::uint64_t at = littleEndian(entry.substr(42, 4));
  if (at + kLocalHeader > zip.size()) {
    return userError("{} is truncated", name);
  }
  const std::string_view local = zip.substr(at, kLocalHeader);
  const std::uint64_t begin =
      at + kLocalHeader + littleEndian(local.substr(26, 2)) + littleEndian(local.substr(28, 2));
  if (begin > zip.size() || size > zip.size() - begin) {
    return userError("{} is truncated or larger than 4 GB", name);
  }
  return zip.substr(begin, size);
}

}  // namespace

Result<Tensor> readNpy(const std::filesystem::path& file) {
  return tensorFrom(HONE_TRY(readFile(file)), file.string());
}

Result<std::vector<NamedTensor>> readNpz(const std::filesystem::path& file) {
  const std::string zip = HONE_TRY(readFile(file));
  const std::size_t end = zip.rfind("PK\x05\x06");
  if (end == std::string::npos || end + kEndRecord > zip.size()) {
    return userError("{} is not an archive of NumPy arrays", file.string());
  }
  const std::string_view record = std::string_view(zip).substr(end, kEndRecord);
  std::uint64_t at = littleEndian(record.substr(16, 4));
  std::vector<NamedTensor> tensors;
  for (std::uint64_t left = littleEndian(record.substr(10, 2)); left > 0; --left) {
    if (at + kDirectoryEntry > zip.size()) {
      return userError("{} is truncated", file.string());
    }
    const std::string_view entry = std::string_view(zip).substr(at);
    const std::uint64_t nameLength = littleEndian(entry.substr(28, 2));
    std::string name(entry.substr(kDirectoryEntry, nameLength));
    const std::string where = fmt::format("{}: {}", file.string(), name);
    Tensor tensor = HONE_TRY(tensorFrom(HONE_TRY(memberBytes(zip, entry, where)), where));
    tensors.push_back(
        {name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name, std::move(tensor)});
    at += kDirectoryEntry + nameLength + littleEndian(entry.substr(30, 2)) +
          littleEndian(entry.substr(32, 2));
  }
  if (tensors.empty()) {
    return userError("{} has no arrays", file.string());
  }
  return tensors;
}

}  // namespace hone::verify

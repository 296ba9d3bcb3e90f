#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::iree {

struct AttributeMember;

/// A printed MLIR attribute as a tree. Reads attributes of other compiler versions, which the
/// compiler itself cannot parse.
struct AttributeText {
  enum class Kind : std::uint8_t {
    plain,       ///< "64 : i64", "true", "LLVMGPUTileAndFuse", a string: see `text`
    dictionary,  ///< "{a = 1, b}"
    list,        ///< "[1, 2]"
    named,       ///< "#iree_gpu.mma_layout<…>": `text` is the part before the bracket
  };
  Kind kind = Kind::plain;
  std::string text;
  /// Members in order. The name of a list element is ""; the value of a unit attribute is empty
  /// plain text.
  std::vector<AttributeMember> members;

  /// Returns the member with this name, or null.
  [[nodiscard]] const AttributeText* find(std::string_view name) const;
  [[nodiscard]] AttributeText* find(std::string_view name);
  /// Returns the member without a name that is a dictionary, or null.
  [[nodiscard]] AttributeText* findDictionary();
  /// Sets a member, replacing one with the same name.
  void set(std::string_view name, AttributeText value);
  void erase(std::string_view name);
  /// Returns the integers of a list or of a plain number.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  [[nodiscard]] std::string print() const;

  static AttributeText plain(std::string text);
  static AttributeText numberList(const std::vector<std::int64_t>& numbers);
};

/// A member of a dictionary, a list or a named attribute.
struct AttributeMember {
  std::string name;
  AttributeText value;
};

/// Parses a printed attribute. Returns nothing if brackets or strings are not closed, or if text
/// follows it.
[[nodiscard]] std::optional<AttributeText> parseAttribute(std::string_view text);

}  // namespace hone::iree

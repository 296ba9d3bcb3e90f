#include "model/problem/element_type.h"

#include <array>

namespace hone::model {
namespace {

struct Row {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
  bool isFloat;
};

constexpr std::array<Row, 9> kRows = {{{ElementType::f64, "f64", 8, true},
                                       {ElementType::f32, "f32", 4, true},
                                       {ElementType::f16, "f16", 2, true},
                                       {ElementType::bf16, "bf16", 2, true},
                                       {ElementType::i64, "i64", 8, false},
                                       {ElementType::i32, "i32", 4, false},
                                       {ElementType::i16, "i16", 2, false},
                                       {ElementType::i8, "i8", 1, false},
                                       {ElementType::i1, "i1", 1, false}}};

const Row& findRow(ElementType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view nameOf(ElementType type) { return findRow(type).name; }
std::size_t byteWidth(ElementType type) { return findRow(type).bytes; }
bool isFloat(ElementType type) { return findRow(type).isFloat; }

std::optional<ElementType> elementTypeFrom(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.type;
    }
  }
  return std::nullopt;
}

}  // namespace hone::model

#include "model/workload/miopen_types.h"

#include <algorithm>
#include <array>

namespace hone::model {
namespace {

constexpr std::array<CommandTypes, 4> kTypes = {{{"", ElementType::f32, ElementType::f32},
                                                 {"fp16", ElementType::f16, ElementType::f32},
                                                 {"bfp16", ElementType::bf16, ElementType::f32},
                                                 {"int8", ElementType::i8, ElementType::i32}}};

}  // namespace

std::span<const CommandTypes> commandTypes() { return kTypes; }

const CommandTypes& findCommandTypes(ElementType input) {
  const auto* at = std::find_if(kTypes.begin(), kTypes.end(),
                                [&](const CommandTypes& types) { return types.input == input; });
  return at == kTypes.end() ? kTypes.front() : *at;
}

}  // namespace hone::model

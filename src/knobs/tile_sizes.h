#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Sorted, each once.
[[nodiscard]] std::vector<std::int64_t> divisorsOf(std::int64_t number);

/// The multiples of a tile that are worth trying as a tile above it: powers of two and divisors of
/// how often it fits, thinned to at most `most`; the last one takes the whole loop.
[[nodiscard]] std::vector<std::int64_t> multiplesOf(std::int64_t tile, std::int64_t size,
                                                    std::int64_t largest, std::size_t most);

[[nodiscard]] std::int64_t ceilDiv(std::int64_t number, std::int64_t by);

/// How many bytes an element takes, "f32" or "i8"; 4 for a type that is not known.
[[nodiscard]] std::int64_t elementBytes(const std::string& element);

/// What an operand holds of a tile, which has a size for each loop.
[[nodiscard]] double footprintBytes(const model::RootOperand& operand,
                                    const std::vector<std::int64_t>& tile);

}  // namespace hone::knobs

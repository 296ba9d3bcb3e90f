#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/problem/root_operation.h"

namespace hone::knobs {

/// Returns the divisors in ascending order.
[[nodiscard]] std::vector<std::int64_t> divisorsOf(std::int64_t number);

/// Returns multiples of `tile` to try as the tile of the level above, at most `most` of them. The
/// tile counts are powers of two and divisors of ceil(size / tile); the largest covers the whole
/// loop.
[[nodiscard]] std::vector<std::int64_t> multiplesOf(std::int64_t tile, std::int64_t size,
                                                    std::int64_t largest, std::size_t most);

[[nodiscard]] std::int64_t ceilDiv(std::int64_t number, std::int64_t by);

/// Returns the size of an element such as "f32" or "i8"; 4 for unknown types.
[[nodiscard]] std::int64_t elementBytes(const std::string& element);

/// Returns the bytes of `operand` that one tile touches; `tile` has one size per loop.
[[nodiscard]] double footprintBytes(const model::RootOperand& operand,
                                    const std::vector<std::int64_t>& tile);

}  // namespace hone::knobs

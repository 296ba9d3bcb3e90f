#include "model/seed_name.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/shown.h"

namespace hone::model {
namespace {

constexpr std::array<std::pair<ElementType, std::string_view>, 5> kIntegers = {
    {{ElementType::i64, "s64"},
     {ElementType::i32, "s32"},
     {ElementType::i16, "s16"},
     {ElementType::i8, "s8"},
     {ElementType::i1, "b1"}}};
constexpr std::array<std::string_view, 3> kDirections = {"fwd", "bwd", "wrw"};
constexpr std::array<std::string_view, 2> kLayouts = {"nhwc", "nchw"};

std::string_view seedType(ElementType type) {
  const auto* at = std::find_if(kIntegers.begin(), kIntegers.end(),
                                [&](const auto& row) { return row.first == type; });
  return at == kIntegers.end() ? nameOf(type) : at->second;
}

std::string matmulName(const Matmul& matmul) {
  return fmt::format("{}{}x{}x{}_{}{}_{}{}_{}t",
                     matmul.batch > 0 ? fmt::format("batch_matmul_{}x", matmul.batch) : "matmul_",
                     matmul.m, matmul.n, matmul.k, seedType(matmul.lhs),
                     matmul.transposeLhs ? 'n' : 't', seedType(matmul.rhs),
                     matmul.transposeRhs ? 'n' : 't', seedType(matmul.result));
}

std::string convName(const Conv& conv) {
  const std::string_view layout = kLayouts[static_cast<std::size_t>(conv.layout)];
  const std::string_view input = seedType(conv.input);
  return fmt::format("conv2d_{}_{}x{}x{}x{}_{}x{}x{}_s{}x{}_p{}x{}_d{}x{}_g{}_{}{}_{}{}_{}{}",
                     kDirections[static_cast<std::size_t>(conv.direction)], conv.n, conv.h, conv.w,
                     conv.c, conv.k, conv.y, conv.x, conv.strideH, conv.strideW, conv.padH,
                     conv.padW, conv.dilationH, conv.dilationW, conv.groups, input, layout, input,
                     layout, seedType(conv.result), layout);
}

Result<void> readSizes(std::string_view text, std::string_view prefix,
                       std::initializer_list<std::int64_t*> into) {
  const std::vector<std::string> parts =
      split(text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view(), 'x');
  if (parts.size() != into.size()) {
    return userError("'{}' is not {} sizes", shown(text), into.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto size = parseInt(parts[i]);
    if (!size) {
      return userError("'{}' is not a size", shown(parts[i]));
    }
    *into.begin()[i] = *size;
  }
  return {};
}

/// "f16" of "f16t" or "f16nhwc", its layout already cut off.
Result<ElementType> readType(std::string_view name) {
  const auto* at = std::find_if(kIntegers.begin(), kIntegers.end(),
                                [&](const auto& row) { return row.second == name; });
  const auto type = at == kIntegers.end() ? elementTypeFrom(name) : at->first;
  if (!type) {
    return userError("unknown type '{}'", shown(name));
  }
  return *type;
}

/// A type and whether it is column-major.
Result<std::pair<ElementType, bool>> readOperand(std::string_view text) {
  if (!text.ends_with('t') && !text.ends_with('n')) {
    return userError("'{}' does not end in t (row-major) or n (column-major)", shown(text));
  }
  const ElementType type = HONE_TRY(readType(text.substr(0, text.size() - 1)));
  return std::pair(type, text.ends_with('n'));
}

Result<Problem> readMatmul(std::span<const std::string> parts, bool batched) {
  if (parts.size() != 4) {
    return userError("it has {} parts behind its kind, not sizes and three types", parts.size());
  }
  Matmul matmul;
  HONE_CHECK(batched ? readSizes(parts[0], "", {&matmul.batch, &matmul.m, &matmul.n, &matmul.k})
                     : readSizes(parts[0], "", {&matmul.m, &matmul.n, &matmul.k}));
  if (batched && matmul.batch < 1) {
    return userError("batch must be at least 1, not {}", matmul.batch);
  }
  std::tie(matmul.lhs, matmul.transposeLhs) = HONE_TRY(readOperand(parts[1]));
  std::tie(matmul.rhs, matmul.transposeRhs) = HONE_TRY(readOperand(parts[2]));
  const auto [result, columnMajor] = HONE_TRY(readOperand(parts[3]));
  if (columnMajor) {
    return userError("a column-major result is not supported: swap lhs and rhs");
  }
  matmul.result = result;
  return Problem(matmul);
}

Result<ConvLayout> readLayout(std::string_view text) {
  for (std::size_t i = 0; i < kLayouts.size(); ++i) {
    if (text.ends_with(kLayouts[i])) {
      return static_cast<ConvLayout>(i);
    }
  }
  return userError("'{}' does not end in nhwc or nchw", shown(text));
}

Result<Problem> readConv(std::span<const std::string> parts) {
  if (parts.size() != 10) {
    return userError("it has {} parts behind its kind, not 10", parts.size());
  }
  Conv conv;
  const auto* direction = std::find(kDirections.begin(), kDirections.end(), parts[0]);
  if (direction == kDirections.end()) {
    return userError("unknown direction '{}'", shown(parts[0]));
  }
  conv.direction = static_cast<ConvDirection>(direction - kDirections.begin());
  HONE_CHECK(readSizes(parts[1], "", {&conv.n, &conv.h, &conv.w, &conv.c}));
  HONE_CHECK(readSizes(parts[2], "", {&conv.k, &conv.y, &conv.x}));
  HONE_CHECK(readSizes(parts[3], "s", {&conv.strideH, &conv.strideW}));
  HONE_CHECK(readSizes(parts[4], "p", {&conv.padH, &conv.padW}));
  HONE_CHECK(readSizes(parts[5], "d", {&conv.dilationH, &conv.dilationW}));
  HONE_CHECK(readSizes(parts[6], "g", {&conv.groups}));
  conv.layout = HONE_TRY(readLayout(parts[7]));
  const std::string_view layout = kLayouts[static_cast<std::size_t>(conv.layout)];
  if (parts[8] != parts[7] || !parts[9].ends_with(layout)) {
    return userError("its operands and result must have one layout, its operands one type");
  }
  const auto bare = [&](std::string_view text) {
    return text.substr(0, text.size() - layout.size());
  };
  conv.input = HONE_TRY(readType(bare(parts[7])));
  conv.result = HONE_TRY(readType(bare(parts[9])));
  return Problem(conv);
}

Result<Problem> readName(std::string_view name) {
  const auto after = [&](std::string_view kind) { return split(name.substr(kind.size()), '_'); };
  // The longer kind first: one is the beginning of the other.
  for (const std::string_view kind : {"matmul_splitk_", "matmul_"}) {
    if (name.starts_with(kind)) {
      return readMatmul(after(kind), false);
    }
  }
  if (constexpr std::string_view kind = "batch_matmul_"; name.starts_with(kind)) {
    return readMatmul(after(kind), true);
  }
  if (constexpr std::string_view kind = "conv2d_"; name.starts_with(kind)) {
    return readConv(after(kind));
  }
  return userError("unknown kind of operation");
}

}  // namespace

std::string seedName(const Problem& problem) {
  const auto* matmul = std::get_if<Matmul>(&problem);
  return matmul != nullptr ? matmulName(*matmul) : convName(std::get<Conv>(problem));
}

Result<Problem> problemFromSeedName(std::string_view name) {
  auto problem = readName(name);
  if (problem) {
    if (const auto valid = check(*problem); !valid) {
      problem = std::unexpected(valid.error());
    }
  }
  if (!problem) {
    return userError(
        "the name '{}' is not understood: {}; write one like matmul_128x128x256_f16t_f16t_f32t",
        shown(name), problem.error().message);
  }
  return problem;
}

}  // namespace hone::model

#include "model/problem/profiler_name.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "model/problem/shown.h"

namespace hone::model {
namespace {

constexpr std::array<std::pair<ElementType, std::string_view>, 5> kIntegers = {
    {{ElementType::i64, "s64"},
     {ElementType::i32, "s32"},
     {ElementType::i16, "s16"},
     {ElementType::i8, "s8"},
     {ElementType::i1, "b1"}}};
constexpr std::array kProfilerDirections = {ConvDirection::forward, ConvDirection::backwardData,
                                            ConvDirection::weightBackward};

std::string nameAfter(const std::string& kind, const Matmul& matmul) {
  return fmt::format(
      "{}_{}{}x{}x{}_{}{}_{}{}_{}t", kind, matmul.batch > 0 ? fmt::format("{}x", matmul.batch) : "",
      matmul.m, matmul.n, matmul.k, profilerType(matmul.lhs), matmul.transposeLhs ? 'n' : 't',
      profilerType(matmul.rhs), matmul.transposeRhs ? 'n' : 't', profilerType(matmul.result));
}

std::string nameAfter(const std::string& kind, const Conv& conv) {
  const auto sizes = [&](std::int64_t ConvAxis::* part) {
    std::vector<std::int64_t> values;
    for (const ConvAxis& axis : conv.axes()) {
      values.push_back(axis.*part);
    }
    return fmt::format("{}", fmt::join(values, "x"));
  };
  const std::string_view layout = layoutName(conv);
  const std::string_view input = profilerType(conv.input);
  return fmt::format("{}_{}_{}x{}x{}_{}x{}_s{}_p{}_d{}_g{}_{}{}_{}{}_{}{}", kind,
                     nameOf(conv.direction), conv.n, sizes(&ConvAxis::image), conv.c, conv.k,
                     sizes(&ConvAxis::filter), sizes(&ConvAxis::stride), sizes(&ConvAxis::pad),
                     sizes(&ConvAxis::dilation), conv.groups, input, layout, input, layout,
                     profilerType(conv.result), layout);
}

std::string nameAfter(const std::string& kind, const Attention& attention) {
  const std::string_view type = profilerType(attention.type);
  return fmt::format("{}_{}x{}x{}x{}_{}t_{}t_{}t", kind, attention.batch, attention.queries,
                     attention.keys, attention.depth, type, type, type);
}

Result<void> readSizes(std::string_view text, std::string_view prefix,
                       const std::vector<std::int64_t*>& into) {
  const std::vector<std::string> parts =
      splitAt(text.starts_with(prefix) ? text.substr(prefix.size()) : std::string_view(), 'x');
  if (parts.size() != into.size()) {
    return userError("expected {} sizes, got '{}'", into.size(), shown(text));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto size = parseInt(parts[i]);
    if (!size) {
      return userError("invalid size '{}'", shown(parts[i]));
    }
    *into[i] = *size;
  }
  return {};
}

/// Parses the "f16" of "f16t" or "f16nhwc"; the layout is already removed.
Result<ElementType> readType(std::string_view name) {
  const auto* at = std::find_if(kIntegers.begin(), kIntegers.end(),
                                [&](const auto& row) { return row.second == name; });
  const auto type = at == kIntegers.end() ? elementTypeFrom(name) : at->first;
  if (!type) {
    return userError("unknown type '{}'", shown(name));
  }
  return *type;
}

/// Returns the type, and true if the operand is column-major.
Result<std::pair<ElementType, bool>> readOperand(std::string_view text) {
  if (!text.ends_with('t') && !text.ends_with('n')) {
    return userError("type '{}' must end in t (row-major) or n (column-major)", shown(text));
  }
  const ElementType type = HONE_TRY(readType(text.substr(0, text.size() - 1)));
  return std::pair(type, text.ends_with('n'));
}

Result<Problem> readMatmul(std::span<const std::string> parts, bool batched) {
  Matmul matmul;
  while (!parts.empty() && takeWord(matmul.epilogue, parts.front())) {
    parts = parts.subspan(1);
  }
  if (parts.size() != 4 && parts.size() != 2) {
    return userError("expected sizes and one or three types after the kind, got {} parts",
                     parts.size());
  }
  HONE_CHECK(batched ? readSizes(parts[0], "", {&matmul.batch, &matmul.m, &matmul.n, &matmul.k})
                     : readSizes(parts[0], "", {&matmul.m, &matmul.n, &matmul.k}));
  if (batched && matmul.batch < 1) {
    return userError("batch must be at least 1, got {}", matmul.batch);
  }
  if (parts.size() == 2) {  // the short form: matmul_512x768x1024_f32
    matmul.lhs = matmul.rhs = matmul.result = HONE_TRY(readType(parts[1]));
    return Problem(matmul);
  }
  std::tie(matmul.lhs, matmul.transposeLhs) = HONE_TRY(readOperand(parts[1]));
  std::tie(matmul.rhs, matmul.transposeRhs) = HONE_TRY(readOperand(parts[2]));
  const auto [result, columnMajor] = HONE_TRY(readOperand(parts[3]));
  if (columnMajor) {
    return userError("column-major result is not supported: swap lhs and rhs");
  }
  matmul.result = result;
  return Problem(matmul);
}

Result<void> readLayout(std::string_view text, Conv& conv) {
  for (const ConvLayout layout : {ConvLayout::nhwc, ConvLayout::nchw}) {
    conv.layout = layout;
    if (text.ends_with(layoutName(conv))) {
      return {};
    }
  }
  return userError("type '{}' must end in nhwc or nchw", shown(text));
}

/// Returns the members for the spatial dimensions of the convolution, out of {d, h, w}.
std::vector<std::int64_t*> selectSpatial(const Conv& conv, std::array<std::int64_t*, 3> all) {
  return {all.end() - conv.spatial, all.end()};
}

Result<void> readConvSizes(std::span<const std::string> parts, Conv& conv) {
  std::vector<std::int64_t*> image = selectSpatial(conv, {&conv.d, &conv.h, &conv.w});
  image.insert(image.begin(), &conv.n);
  image.push_back(&conv.c);
  std::vector<std::int64_t*> filter = selectSpatial(conv, {&conv.z, &conv.y, &conv.x});
  filter.insert(filter.begin(), &conv.k);
  HONE_CHECK(readSizes(parts[0], "", image));
  HONE_CHECK(readSizes(parts[1], "", filter));
  HONE_CHECK(
      readSizes(parts[2], "s", selectSpatial(conv, {&conv.strideD, &conv.strideH, &conv.strideW})));
  HONE_CHECK(readSizes(parts[3], "p", selectSpatial(conv, {&conv.padD, &conv.padH, &conv.padW})));
  HONE_CHECK(readSizes(parts[4], "d",
                       selectSpatial(conv, {&conv.dilationD, &conv.dilationH, &conv.dilationW})));
  return readSizes(parts[5], "g", {&conv.groups});
}

Result<Problem> readConv(std::span<const std::string> parts, std::int64_t spatial) {
  Conv conv;
  conv.spatial = spatial;
  while (!parts.empty() && takeWord(conv.epilogue, parts.front())) {
    parts = parts.subspan(1);
  }
  if (parts.size() != 10) {
    return userError("expected 10 parts after the kind, got {}", parts.size());
  }
  const auto* direction = std::find_if(kProfilerDirections.begin(), kProfilerDirections.end(),
                                       [&](ConvDirection d) { return nameOf(d) == parts[0]; });
  if (direction == kProfilerDirections.end()) {
    return userError("unknown direction '{}'", shown(parts[0]));
  }
  conv.direction = *direction;
  HONE_CHECK(readConvSizes(parts.subspan(1), conv));
  HONE_CHECK(readLayout(parts[7], conv));
  const std::string_view layout = layoutName(conv);
  if (parts[8] != parts[7] || !parts[9].ends_with(layout)) {
    return userError("operands and result must have the same layout, operands the same type");
  }
  const auto bare = [&](std::string_view text) {
    return text.substr(0, text.size() - layout.size());
  };
  conv.input = HONE_TRY(readType(bare(parts[7])));
  conv.result = HONE_TRY(readType(bare(parts[9])));
  return Problem(conv);
}

Result<Problem> readAttention(std::span<const std::string> parts) {
  if (parts.size() != 4 || parts[1] != parts[2] || parts[2] != parts[3]) {
    return userError("expected four sizes and three times the same type after the kind");
  }
  Attention attention;
  HONE_CHECK(readSizes(parts[0], "",
                       {&attention.batch, &attention.queries, &attention.keys, &attention.depth}));
  const auto [type, columnMajor] = HONE_TRY(readOperand(parts[1]));
  if (columnMajor) {
    return userError("column-major operand of attention is not supported");
  }
  attention.type = type;
  return Problem(attention);
}

Result<Problem> readName(std::string_view name) {
  const auto after = [&](std::string_view kind) { return splitAt(name.substr(kind.size()), '_'); };
  // Longer kind first: the other one is its prefix.
  for (const std::string_view kind : {"matmul_splitk_", "matmul_"}) {
    if (name.starts_with(kind)) {
      return readMatmul(after(kind), false);
    }
  }
  if (constexpr std::string_view kind = "batch_matmul_"; name.starts_with(kind)) {
    return readMatmul(after(kind), true);
  }
  if (constexpr std::string_view kind = "attention_"; name.starts_with(kind)) {
    return readAttention(after(kind));
  }
  for (const std::int64_t spatial : {1, 2, 3}) {
    const std::string kind = fmt::format("conv{}d_", spatial);
    if (name.starts_with(kind)) {
      return readConv(after(kind), spatial);
    }
  }
  return userError("unknown kind");
}

}  // namespace

std::string_view profilerType(ElementType type) {
  const auto* at = std::find_if(kIntegers.begin(), kIntegers.end(),
                                [&](const auto& row) { return row.first == type; });
  return at == kIntegers.end() ? nameOf(type) : at->second;
}

std::string profilerKind(const Problem& problem) {
  std::string kind = "attention";
  if (const auto* matmul = std::get_if<Matmul>(&problem)) {
    kind = matmul->batch > 0 ? "batch_matmul" : "matmul";
  } else if (const auto* conv = std::get_if<Conv>(&problem)) {
    kind = fmt::format("conv{}d", conv->spatial);
  }
  const std::string fused = findEpilogue(problem).text();
  return fused.empty() ? kind : fmt::format("{}_{}", kind, fused);
}

std::string profilerName(const Problem& problem) {
  return std::visit([&](const auto& kind) { return nameAfter(profilerKind(problem), kind); },
                    problem);
}

Result<Problem> problemFromProfilerName(std::string_view name) {
  auto problem = readName(name);
  if (problem) {
    if (const auto valid = check(*problem); !valid) {
      problem = std::unexpected(valid.error());
    }
  }
  if (!problem) {
    return userError(
        "invalid operation name '{}': {}; use a name such as matmul_128x128x256_f16t_f16t_f32t",
        shown(name), problem.error().message);
  }
  return problem;
}

}  // namespace hone::model

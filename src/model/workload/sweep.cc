#include "model/workload/sweep.h"

#include <algorithm>
#include <unordered_set>

#include "base/text/text.h"
#include "model/problem/shown.h"
#include "model/workload/combinations.h"

namespace hone::model {
namespace {

Result<std::int64_t> sizeFrom(std::string_view argument, std::string_view text) {
  const auto size = parseInt(trim(text));
  if (!size || *size < 1) {
    return userError("{}: invalid size '{}'; use sizes from 1: 128, 128,256 or start:end:step",
                     argument, shown(text));
  }
  return *size;
}

struct Range {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;

  [[nodiscard]] std::int64_t count() const { return (end - start) / step + 1; }
};

Result<Range> rangeFrom(std::string_view argument, std::string_view text) {
  const std::vector<std::string> parts = splitAt(text, ':');
  if (parts.size() > 3) {
    return userError("{}: invalid range '{}'; use start:end:step", argument, shown(text));
  }
  Range range;
  range.start = HONE_TRY(sizeFrom(argument, parts[0]));
  range.end = parts.size() > 1 ? HONE_TRY(sizeFrom(argument, parts[1])) : range.start;
  range.step = parts.size() > 2 ? HONE_TRY(sizeFrom(argument, parts[2])) : 1;
  if (range.end < range.start) {
    return userError("{}: invalid range '{}': end is below start", argument, shown(text));
  }
  return range;
}

Result<ElementType> typeFrom(std::string_view argument, std::string_view name) {
  const auto type = elementTypeFrom(name);
  if (!type) {
    return userError("{}: unknown type '{}'; use a type such as f32, bf16, i8 or f16_f16_f32",
                     argument, shown(name));
  }
  return *type;
}

Result<MatmulTypes> typesFrom(std::string_view argument, std::string_view text) {
  const std::vector<std::string> parts = splitAt(trim(text), '_');
  if (parts.size() == 1) {
    const ElementType type = HONE_TRY(typeFrom(argument, parts[0]));
    return MatmulTypes{type, type, type == ElementType::i8 ? ElementType::i32 : type};
  }
  if (parts.size() != 3) {
    return userError("{}: expected one type or three such as f16_f16_f32, got '{}'", argument,
                     shown(text));
  }
  return MatmulTypes{HONE_TRY(typeFrom(argument, parts[0])), HONE_TRY(typeFrom(argument, parts[1])),
                     HONE_TRY(typeFrom(argument, parts[2]))};
}

}  // namespace

Result<std::vector<std::int64_t>> sizesFrom(std::string_view argument, std::string_view text) {
  std::vector<std::int64_t> sizes;
  std::unordered_set<std::int64_t> seen;
  for (const std::string& part : splitAt(text, ',')) {
    const Range range = HONE_TRY(rangeFrom(argument, part));
    if (range.count() > static_cast<std::int64_t>(kMaxCombinations - sizes.size())) {
      return userError("{}: more than {} sizes; use a larger step", argument, kMaxCombinations);
    }
    for (std::int64_t i = 0; i < range.count(); ++i) {
      const std::int64_t size = range.start + i * range.step;
      if (seen.insert(size).second) {
        sizes.push_back(size);
      }
    }
  }
  return sizes;
}

Result<std::vector<MatmulTypes>> matmulTypesFrom(std::string_view argument, std::string_view text) {
  std::vector<MatmulTypes> types;
  for (const std::string& part : splitAt(text, ',')) {
    const MatmulTypes one = HONE_TRY(typesFrom(argument, part));
    if (std::find(types.begin(), types.end(), one) == types.end()) {
      types.push_back(one);
    }
  }
  return types;
}

Result<std::vector<Problem>> expandMatmuls(const Sweep& sweep) {
  return combinations(
      {sweep.types.size(), sweep.batch.size(), sweep.m.size(), sweep.n.size(), sweep.k.size(),
       sweep.transposeLhs.size(), sweep.transposeRhs.size(), sweep.epilogues.size()},
      [&](Picker& picker) {
        Matmul matmul;
        matmul.epilogue = picker.next(sweep.epilogues);
        matmul.transposeRhs = picker.next(sweep.transposeRhs) != 0;
        matmul.transposeLhs = picker.next(sweep.transposeLhs) != 0;
        matmul.k = picker.next(sweep.k);
        matmul.n = picker.next(sweep.n);
        matmul.m = picker.next(sweep.m);
        matmul.batch = picker.next(sweep.batch);
        const MatmulTypes types = picker.next(sweep.types);
        matmul.lhs = types.lhs;
        matmul.rhs = types.rhs;
        matmul.result = types.result;
        return Problem(matmul);
      });
}

Problem retyped(Problem problem, const MatmulTypes& types) {
  if (auto* matmul = std::get_if<Matmul>(&problem)) {
    matmul->lhs = types.lhs;
    matmul->rhs = types.rhs;
    matmul->result = types.result;
  } else if (auto* conv = std::get_if<Conv>(&problem)) {
    conv->input = types.lhs;
    conv->result = types.result;
  } else {
    std::get<Attention>(problem).type = types.lhs;
  }
  return problem;
}

}  // namespace hone::model

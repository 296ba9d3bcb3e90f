#include "model/workload/aten.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text/text.h"
#include "model/problem/shown.h"
#include "model/workload/miopen_types.h"

namespace hone::model {
namespace {

using nlohmann::json;
using Sizes = std::vector<std::int64_t>;

constexpr std::string_view kBlanks = " \t\r\n\v\f";
/// Number of words: the name, sizes, types, strides and values.
constexpr std::size_t kWords = 5;

/// Splits a command into words as a shell does, up to a comment.
Result<std::vector<std::string>> splitQuoted(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool isEscape = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (isEscape) {
      word = word.value_or("") + text[++i];
    } else if (quote != '\0') {
      *word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      word = word.value_or("");
    } else if (kBlanks.contains(c)) {
      if (word) {
        words.push_back(std::move(*word));
        word.reset();
      }
    } else if (c == '#' && !word) {
      break;
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != '\0') {
    return userError("unclosed quote; add {}", quote);
  }
  if (word) {
    words.push_back(std::move(*word));
  }
  return words;
}

Result<std::vector<std::string>> splitCommand(std::string_view command) {
  std::vector<std::string> cells = splitAt(command, '\t');
  if (cells.size() == kWords && trim(cells[1]).starts_with('[')) {
    return cells;  // a line of a .tsv file
  }
  return splitQuoted(command);
}

/// Parses a list as Python writes it; strings may have single quotes. Returns
/// a discarded value if it is invalid.
json parseList(std::string_view text) {
  std::string converted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'') {
      converted += text[i];
      continue;
    }
    const std::size_t end = std::min(text.find('\'', i + 1), text.size());
    converted +=
        json(text.substr(i + 1, end - i - 1)).dump(-1, ' ', false, json::error_handler_t::replace);
    i = end;
  }
  return json::parse(converted, nullptr, false);
}

/// A tensor operand.
struct Operand {
  Sizes sizes;
  Sizes strides;
  ElementType type = ElementType::f32;
};

/// The arguments of an operation.
struct Arguments {
  std::string name;
  std::vector<Sizes> sizes;
  std::vector<std::string> types;
  std::vector<Sizes> strides;
  std::vector<std::string> values;
};

Result<std::vector<Sizes>> readSizeLists(std::string_view what, std::string_view text) {
  const json list = parseList(text);
  const auto invalid = [&] {
    return userError("invalid {} '{}'; use a list such as [[64, 256], [256, 32]]", what,
                     shown(text));
  };
  if (!list.is_array()) {
    return invalid();
  }
  std::vector<Sizes> lists;
  for (const json& inner : list) {
    if (!inner.is_array()) {
      return invalid();
    }
    Sizes& sizes = lists.emplace_back();
    for (const json& number : inner) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() > INT64_MAX) {
        return invalid();
      }
      sizes.push_back(number.get<std::int64_t>());
    }
  }
  return lists;
}

Result<std::vector<std::string>> readTextList(std::string_view what, std::string_view text) {
  const json list = parseList(text);
  const bool valid = list.is_array() && std::all_of(list.begin(), list.end(), [](const json& one) {
                       return one.is_string();
                     });
  if (!valid) {
    return userError("invalid {} '{}'; use a list such as ['float', 'float']", what, shown(text));
  }
  return list.get<std::vector<std::string>>();
}

Result<Arguments> readArguments(std::string_view command) {
  const auto words = HONE_TRY(splitCommand(command));
  if (words.size() != kWords) {
    return userError(
        "expected sizes, types, strides and values after the name, got {} of 4; "
        "quote each list",
        words.empty() ? 0 : words.size() - 1);
  }
  return Arguments{.name = std::string(trim(words[0])),
                   .sizes = HONE_TRY(readSizeLists("sizes", words[1])),
                   .types = HONE_TRY(readTextList("types", words[2])),
                   .strides = HONE_TRY(readSizeLists("strides", words[3])),
                   .values = HONE_TRY(readTextList("values", words[4]))};
}

Result<ElementType> readType(const std::string& name) {
  struct Named {
    std::string_view name;
    ElementType type;
  };
  constexpr std::array<Named, 4> kTypes = {{{"float", ElementType::f32},
                                            {"double", ElementType::f64},
                                            {"c10::Half", ElementType::f16},
                                            {"c10::BFloat16", ElementType::bf16}}};
  for (const Named& one : kTypes) {
    if (one.name == name) {
      return one.type;
    }
  }
  return userError("type '{}' is not supported; use float, double, c10::Half or c10::BFloat16",
                   shown(name));
}

/// Returns the operand at this place, which must have `rank` dimensions.
Result<Operand> readOperand(const Arguments& arguments, std::size_t place, std::size_t rank) {
  if (place >= arguments.sizes.size() || place >= arguments.types.size() ||
      place >= arguments.strides.size()) {
    return userError("operand {} has no size, type or stride; add it to each list", place + 1);
  }
  Operand operand{arguments.sizes[place], arguments.strides[place],
                  HONE_TRY(readType(arguments.types[place]))};
  if (operand.sizes.size() != rank || operand.strides.size() != rank) {
    return userError("operand {} of {} must have {} sizes and strides; correct the lists",
                     place + 1, arguments.name, rank);
  }
  return operand;
}

/// Returns true if the matrices are stored transposed. The sizes must be checked: products do not
/// overflow. Strides of dimensions of size 1 do not matter.
Result<bool> findTransposed(const Operand& operand, std::size_t place) {
  const std::size_t first = operand.sizes.size() - 2;
  const std::int64_t rows = operand.sizes[first];
  const std::int64_t columns = operand.sizes[first + 1];
  const auto fits = [&](std::size_t dimension, std::int64_t stride) {
    return operand.sizes[dimension] == 1 || operand.strides[dimension] == stride;
  };
  const bool isDense = first == 0 || fits(0, rows * columns);
  if (isDense && fits(first, columns) && fits(first + 1, 1)) {
    return false;
  }
  if (isDense && fits(first, 1) && fits(first + 1, rows)) {
    return true;
  }
  return userError(
      "strides [{}] of operand {} are not supported; use those of a dense matrix, stored row by "
      "row or transposed",
      fmt::join(operand.strides, ", "), place + 1);
}

/// Returns the product of the operands at `place` and the place after it.
Result<Matmul> readProduct(const Arguments& arguments, std::size_t place, bool batched) {
  const std::size_t rank = batched ? 3 : 2;
  const Operand lhs = HONE_TRY(readOperand(arguments, place, rank));
  const Operand rhs = HONE_TRY(readOperand(arguments, place + 1, rank));
  const std::size_t row = rank - 2;
  if (lhs.sizes[row + 1] != rhs.sizes[row] || (batched && lhs.sizes[0] != rhs.sizes[0])) {
    return userError("operands [{}] and [{}] do not match; correct the sizes",
                     fmt::join(lhs.sizes, ", "), fmt::join(rhs.sizes, ", "));
  }
  if (lhs.type != rhs.type) {
    return userError("operands have different types, {} and {}; use one type", nameOf(lhs.type),
                     nameOf(rhs.type));
  }
  Matmul matmul{.batch = batched ? lhs.sizes[0] : 0,
                .m = lhs.sizes[row],
                .n = rhs.sizes[row + 1],
                .k = rhs.sizes[row],
                .lhs = lhs.type,
                .rhs = rhs.type};
  matmul.result = lhs.type == ElementType::f64 ? lhs.type : findCommandTypes(lhs.type).result;
  if ((batched && matmul.batch < 1)) {
    return userError("batch must be at least 1, got 0; correct the sizes");
  }
  if (const auto valid = check(Problem(matmul)); !valid) {
    return userError("{}; correct the sizes", valid.error().message);
  }
  matmul.transposeLhs = HONE_TRY(findTransposed(lhs, place));
  matmul.transposeRhs = HONE_TRY(findTransposed(rhs, place + 1));
  return matmul;
}

/// Parses aten::addmm: beta * bias + alpha * product. As for gemm commands, alpha is ignored.
Result<Matmul> readAddmm(const Arguments& arguments) {
  constexpr std::size_t kBeta = 3;
  Matmul matmul = HONE_TRY(readProduct(arguments, 1, false));
  const std::string beta = kBeta < arguments.values.size() ? arguments.values[kBeta] : "1";
  const auto factor = beta.empty() ? std::optional(1.0) : parseDouble(beta);
  if (factor == 0.0) {
    return matmul;
  }
  const Sizes& bias = arguments.sizes.front();
  const bool perColumn =
      !bias.empty() && bias.back() == matmul.n &&
      std::all_of(bias.begin(), bias.end() - 1, [](std::int64_t size) { return size == 1; });
  if (factor != 1.0 || !perColumn) {
    return userError(
        "beta {} and bias [{}] are not supported, only beta 0, or 1 with a bias per column; write "
        "the line as aten::mm to measure the product alone",
        shown(beta), fmt::join(bias, ", "));
  }
  matmul.epilogue.bias = true;
  return matmul;
}

}  // namespace

Result<std::vector<Problem>> problemsFromAten(std::string_view command) {
  const std::string_view name = command.substr(0, command.find_first_of(kBlanks));
  if (name != "aten::mm" && name != "aten::bmm" && name != "aten::addmm") {
    return userError(
        "{} is neither a matmul nor a convolution, so it has no reduction to split; remove the "
        "line",
        shown(name));
  }
  const auto parse = [&]() -> Result<Matmul> {
    const Arguments arguments = HONE_TRY(readArguments(command));
    return name == "aten::addmm" ? readAddmm(arguments)
                                 : readProduct(arguments, 0, name == "aten::bmm");
  };
  auto matmul = parse();
  if (!matmul) {
    return within(std::string(name), matmul.error());
  }
  const Problem problem = *matmul;
  if (const auto valid = check(problem); !valid) {
    return userError("{}: {}; correct the line", name, valid.error().message);
  }
  return std::vector{problem};
}

}  // namespace hone::model

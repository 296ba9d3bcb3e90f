#include "kernel/propose/plain_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/text/text.h"
#include "cpp_source/lexer.h"

namespace hone::kernel {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;
using model::ElementType;

std::string_view cppType(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return "double";
    case ElementType::f32:
      return "float";
    case ElementType::f16:
      return "_Float16";
    case ElementType::bf16:
      return "std::uint16_t";  // the bits
    case ElementType::i64:
      return "std::int64_t";
    case ElementType::i32:
      return "std::int32_t";
    case ElementType::i16:
      return "std::int16_t";
    case ElementType::i8:
      return "std::int8_t";
    case ElementType::i1:
      return "std::uint8_t";
  }
  return "float";
}

/// Returns the text without its "hone:" lines, which belong to the reference.
std::string withoutMarks(std::string_view text) {
  std::string kept;
  for (const std::string& line : splitAt(text, '\n')) {
    const std::string_view bare = trim(line);
    const bool isMark = bare.starts_with("//") && trim(bare.substr(2)).starts_with("hone:");
    if (!isMark) {
      kept += fmt::format("{}\n", line);
    }
  }
  return std::string(trim(kept)) + "\n";
}

/// Replaces tokens outside of directives; `change` returns nothing to keep one.
std::string replaceTokens(std::string_view text,
                          const std::function<std::optional<std::string>(const Token&)>& change) {
  std::string changed;
  std::size_t done = 0;
  for (const Token& token : cpp_source::lex(text).tokens) {
    if (token.inDirective || token.kind == TokenKind::directive) {
      continue;
    }
    if (const auto other = change(token)) {
      changed += text.substr(done, token.begin - done);
      changed += *other;
      done = token.end;
    }
  }
  return changed + std::string(text.substr(done));
}

/// Returns true for "1.5" and "1e-5", but not for "1", "1.5f" and "0x1p3".
bool isDoubleLiteral(const Token& token) {
  const std::string text = toLower(token.text);
  return token.kind == TokenKind::number && !text.starts_with("0x") &&
         text.find_first_of(".e") != std::string::npos && !text.ends_with('f') &&
         !text.ends_with('l');
}

std::string inFloat(std::string_view reference, bool literals) {
  return replaceTokens(reference, [&](const Token& token) -> std::optional<std::string> {
    if (token.kind == TokenKind::identifier && token.text == "double") {
      return "float";
    }
    if (token.kind == TokenKind::identifier && token.text == "reference") {
      return "kernel";
    }
    return literals && isDoubleLiteral(token) ? std::optional(token.text + "f") : std::nullopt;
  });
}

/// Returns the number of elements of each argument as an expression of the sizes: "M*(N-2)".
std::map<std::string, std::string> countsIn(std::string_view reference) {
  std::map<std::string, std::string> counts;
  for (const std::string& line : splitAt(reference, '\n')) {
    const std::string_view rest = trim(line);
    if (!rest.starts_with("//")) {
      continue;
    }
    std::vector<std::string> words;
    for (const std::string& word : splitAt(trim(rest.substr(2)), ' ')) {
      if (!trim(word).empty()) {
        words.emplace_back(trim(word));
      }
    }
    if (words.size() >= 5 && words[0] == "hone:" && (words[1] == "input" || words[1] == "output")) {
      std::string product;
      for (const std::string& part : splitAt(words[4], 'x')) {  // no name of a size contains x
        product += fmt::format("{}({})", product.empty() ? "" : " * ", part);
      }
      counts[words[2]] = product;
    }
  }
  return counts;
}

/// Returns a kernel that calls the reference on copies in double.
std::string throughDouble(const Task& task, std::string_view reference) {
  const std::map<std::string, std::string> counts = countsIn(reference);
  std::string text = "#include <cstdint>\n#include <vector>\n";
  text +=
      replaceTokens(withoutMarks(reference), [&](const Token& token) -> std::optional<std::string> {
        if (token.kind == TokenKind::identifier && token.text == "reference") {
          return "computeInDouble";
        }
        return std::nullopt;
      });
  text += fmt::format("\n{} {{\n", kernelDeclaration(task));
  std::vector<std::string> arguments;
  for (const Argument& input : task.shape.inputs) {
    const auto count = counts.find(input.name);
    text += fmt::format("  const std::vector<double> wide{0}({0}, {0} + {1});\n", input.name,
                        count == counts.end() ? "0" : count->second);
    arguments.push_back(fmt::format("wide{}.data()", input.name));
  }
  std::string stores;
  for (const Argument& output : task.shape.outputs) {
    const auto found = counts.find(output.name);
    const std::string count = found == counts.end() ? "0" : found->second;
    text += fmt::format("  std::vector<double> wide{}({});\n", output.name, count);
    arguments.push_back(fmt::format("wide{}.data()", output.name));
    stores += fmt::format(
        "  for (std::int64_t i = 0; i < {1}; ++i) {{\n    {0}[i] = static_cast<{2}>(wide{0}[i]);\n"
        "  }}\n",
        output.name, count, cppType(output.type.element));
  }
  for (const auto& [name, value] : task.shape.sizes) {
    arguments.push_back(name);
  }
  text += fmt::format("  computeInDouble({});\n{}}}\n", join(arguments, ", "), stores);
  return text;
}

}  // namespace

std::string kernelDeclaration(const Task& task) {
  std::vector<std::string> parameters;
  for (const Argument& input : task.shape.inputs) {
    parameters.push_back(fmt::format("const {}* {}", cppType(input.type.element), input.name));
  }
  for (const Argument& output : task.shape.outputs) {
    parameters.push_back(fmt::format("{}* {}", cppType(output.type.element), output.name));
  }
  if (!task.inPython()) {
    for (const auto& [name, value] : task.shape.sizes) {
      parameters.push_back(fmt::format("std::int64_t {}", name));
    }
  }
  return fmt::format("extern \"C\" void kernel({})", join(parameters, ", "));
}

Source kernelSkeleton(const Task& task, Language language) {
  return {language,
          task.name,
          language == Language::cpp ? fmt::format("{};\n", kernelDeclaration(task)) : std::string(),
          {}};
}

std::vector<Source> plainKernels(const Task& task, std::string_view reference) {
  const auto all = [&](ElementType type) {
    const auto has = [&](const Argument& one) { return one.type.element == type; };
    return std::ranges::all_of(task.shape.inputs, has) &&
           std::ranges::all_of(task.shape.outputs, has);
  };
  std::vector<std::string> texts;
  if (all(ElementType::f32)) {
    texts = {inFloat(withoutMarks(reference), true), inFloat(withoutMarks(reference), false)};
  }
  texts.push_back(throughDouble(task, reference));
  std::vector<Source> sources;
  for (std::string& text : texts) {
    sources.push_back({Language::cpp, task.name, std::move(text), {}});
  }
  return sources;
}

}  // namespace hone::kernel

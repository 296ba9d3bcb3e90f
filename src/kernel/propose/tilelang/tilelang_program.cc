#include "kernel/propose/tilelang/tilelang_program.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

using Kind = PythonExpr::Kind;

/// Returns the end of the logical line that starts at `at`: brackets join lines.
std::size_t logicalEnd(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == '\n' && depth <= 0 && (at == 0 || code[at - 1] != '\\')) {
      return at;
    }
  }
  return code.size();
}

/// Returns the text without comments: the blanked code with the strings of the text.
std::string withoutComments(std::string_view text, std::string_view code) {
  std::string result(code);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (text[i] == '#' && code[i] == ' ') {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      // A mark within a string is followed by code again.
      if (trim(code.substr(i, end - i)).empty()) {
        i = end;
        continue;
      }
    }
    if (i < result.size()) {
      result[i] = text[i];
    }
  }
  return result;
}

struct FlatStatements {
  std::vector<PythonStatement> all;
  std::size_t at = 0;

  std::vector<PythonStatement> block(std::size_t indent) {
    std::vector<PythonStatement> result;
    while (at < all.size() && all[at].indent >= indent) {
      PythonStatement one = all[at++];
      if (at < all.size() && all[at].indent > one.indent) {
        one.body = block(all[at].indent);
      }
      one.blockEnd = one.body.empty() ? one.end : one.body.back().blockEnd;
      result.push_back(std::move(one));
    }
    return result;
  }
};

std::vector<PythonStatement> parseStatements(std::string_view text) {
  const std::string code = blankComments(text);
  FlatStatements flat;
  int line = 1;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = logicalEnd(code, at);
    const std::size_t first = code.find_first_not_of(" \t\n", at);
    if (first < end) {
      PythonStatement one;
      const std::size_t lineStart = code.rfind('\n', first);
      one.begin = first;
      one.indent = first - (lineStart == std::string::npos ? 0 : lineStart + 1);
      const std::string_view kept = std::string_view(code).substr(first, end - first);
      const std::string whole = withoutComments(text.substr(first, end - first), kept);
      one.text = trim(whole);
      one.end = first + whole.find_last_not_of(" \t\n") + 1;
      one.line = line + static_cast<int>(
                            std::count(code.begin() + static_cast<std::ptrdiff_t>(at),
                                       code.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
      flat.all.push_back(std::move(one));
    }
    line += static_cast<int>(std::count(code.begin() + static_cast<std::ptrdiff_t>(at),
                                        code.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
            1;
    at = end + 1;
  }
  return flat.block(0);
}

/// Returns the text between the name and the colon of `for a, b in f(x):`, split at " in ".
std::optional<std::pair<std::string, std::string>> splitHeader(const std::string& text) {
  static const RE2 kFor(R"((?s)for\s+([\w\s,()]+?)\s+in\s+(.*):)");
  std::string variables;
  std::string iterated;
  if (!RE2::FullMatch(text, kFor, &variables, &iterated)) {
    return std::nullopt;
  }
  return std::pair(variables, iterated);
}

/// Returns shape and element type of T.Tensor((M, N), dtype), T.Tensor[(M, N), dtype] or
/// T.alloc_shared([M, N], dtype).
std::optional<TileBuffer> bufferFrom(const PythonExpr& made, std::string memory) {
  if ((made.kind != Kind::call && made.kind != Kind::index) || made.args.size() < 2) {
    return std::nullopt;
  }
  TileBuffer buffer{.memory = std::move(memory), .shape = {}, .type = "\"float32\""};
  if (made.args[1].kind == Kind::tuple) {
    for (const PythonExpr& extent : made.args[1].args) {
      buffer.shape.push_back(extent.source);
    }
  } else {
    buffer.shape.push_back(made.args[1].source);
  }
  for (const PythonExpr& arg : made.args) {
    if (arg.kind == Kind::keyword && arg.text == "dtype") {
      buffer.type = arg.args[0].source;
    }
  }
  if (made.args.size() > 2 && made.args[2].kind != Kind::keyword) {
    buffer.type = made.args[2].source;
  }
  return buffer;
}

/// Returns the arguments of `def f(a: A, b: B = 1):` as "a: A", "b: B = 1".
std::vector<std::string> splitParameters(const std::string& text) {
  const std::size_t open = text.find('(');
  std::vector<std::string> parameters;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if ((c == ',' && depth == 1) || depth == 0) {
      parameters.emplace_back(trim(std::string_view(text).substr(begin, i - begin)));
      begin = i + 1;
    }
    if (depth == 0) {
      break;
    }
  }
  return parameters;
}

void collectAllocations(const TileProgram& program, const std::vector<PythonStatement>& body,
                        std::map<std::string, TileBuffer>& buffers) {
  for (const PythonStatement& statement : body) {
    if (const auto assigned = program.assignment(statement);
        assigned && assigned->op == "=" && assigned->target.kind == Kind::name) {
      constexpr std::string_view kPrefix = "alloc_";
      const std::string_view function = program.calledFunction(assigned->value);
      if (function.starts_with(kPrefix)) {
        if (auto buffer =
                bufferFrom(assigned->value, std::string(function.substr(kPrefix.size())))) {
          buffers[assigned->target.text] = *std::move(buffer);
        }
      }
    }
    collectAllocations(program, statement.body, buffers);
  }
}

bool startsKernel(const PythonStatement& statement) {
  static const RE2 kKernel(R"((?s)with\s+\w+\.Kernel\(.*)");
  return RE2::FullMatch(statement.text, kKernel);
}

bool holdsKernel(const std::vector<PythonStatement>& body) {
  return std::ranges::any_of(body, [](const PythonStatement& statement) {
    return startsKernel(statement) ||
           (!statement.text.starts_with("def ") && holdsKernel(statement.body));
  });
}

void collectFunctions(const std::vector<PythonStatement>& body,
                      std::vector<const PythonStatement*>& found) {
  for (const PythonStatement& statement : body) {
    if (statement.text.starts_with("def ") && holdsKernel(statement.body)) {
      found.push_back(&statement);
    }
    collectFunctions(statement.body, found);
  }
}

}  // namespace

std::string blankComments(std::string_view text) {
  std::string result(text);
  std::size_t i = 0;
  const auto blank = [&](std::size_t end) {
    for (; i < end && i < text.size(); ++i) {
      if (text[i] != '\n') {
        result[i] = ' ';
      }
    }
  };
  while (i < text.size()) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with('#')) {
      blank(std::min(text.find('\n', i), text.size()));
    } else if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) {
      const std::size_t close = text.find(rest.substr(0, 3), i + 3);
      blank(close == std::string_view::npos ? text.size() : close + 3);
    } else if (rest.starts_with('"') || rest.starts_with('\'')) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != rest[0] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      blank(end + 1);
    } else {
      ++i;
    }
  }
  return result;
}

TileProgram::TileProgram(std::string_view text)
    : text_(text), statements_(parseStatements(text)), module_("T.") {
  static const RE2 kImport(R"(import\s+tilelang\.language\s+as\s+(\w+))");
  static const RE2 kFrom(R"(from\s+tilelang\s+import\s+language\s+as\s+(\w+))");
  std::string name;
  if (RE2::PartialMatch(text_, kImport, &name) || RE2::PartialMatch(text_, kFrom, &name)) {
    module_ = name + ".";
  }
}

std::string_view TileProgram::calledFunction(const PythonExpr& expression) const {
  std::string_view callee = expression.callee();
  if (!callee.starts_with(module_)) {
    return "";
  }
  callee.remove_prefix(module_.size());
  return callee;
}

std::optional<TileLoop> TileProgram::loop(const PythonStatement& statement) const {
  const auto header = splitHeader(statement.text);
  const auto made = header ? parsePython(header->second) : std::nullopt;
  if (!made || made->kind != Kind::call) {
    return std::nullopt;
  }
  TileLoop loop;
  for (const std::string& variable : splitAt(header->first, ',')) {
    const std::string_view kept = trim(variable);
    if (!kept.empty()) {
      loop.variables.emplace_back(kept);
    }
  }
  loop.kind = made->callee() == "range" ? "range" : std::string(calledFunction(*made));
  for (std::size_t i = 1; i < made->args.size(); ++i) {
    const PythonExpr& arg = made->args[i];
    if (arg.kind == Kind::keyword) {
      loop.keywords[arg.text] = arg.args[0].source;
    } else {
      loop.extents.push_back(arg);
    }
  }
  return loop.kind.empty() ? std::nullopt : std::optional(std::move(loop));
}

std::optional<TileAssignment> TileProgram::assignment(const PythonStatement& statement) const {
  static const RE2 kAssignment(R"((?s)([A-Za-z_][\w.]*(?:\[.*?\])?)\s*([-+*/]?=)([^=].*))");
  std::string target;
  std::string op;
  std::string value;
  if (!RE2::FullMatch(statement.text, kAssignment, &target, &op, &value)) {
    return std::nullopt;
  }
  auto left = parsePython(target);
  auto right = parsePython(value);
  if (!left || !right) {
    return std::nullopt;
  }
  return TileAssignment{*std::move(left), std::move(op), *std::move(right)};
}

std::optional<PythonExpr> TileProgram::findCall(const PythonStatement& statement,
                                                std::string_view function) const {
  if (!statement.text.starts_with(fmt::format("{}{}(", module_, function))) {
    return std::nullopt;
  }
  auto call = parsePython(statement.text);
  return call && calledFunction(*call) == function ? std::move(call) : std::nullopt;
}

std::map<std::string, TileBuffer> TileProgram::buffersIn(const PythonStatement& function) const {
  std::map<std::string, TileBuffer> buffers;
  for (const std::string& parameter : splitParameters(function.text)) {
    const std::size_t colon = parameter.find(':');
    if (colon == std::string::npos) {
      continue;
    }
    const auto type = parsePython(std::string_view(parameter).substr(colon + 1));
    if (type && type->args.size() > 1 &&
        (type->args[0].text == module_ + "Tensor" || type->args[0].text == module_ + "Buffer")) {
      if (auto buffer = bufferFrom(*type, "global")) {
        buffers[std::string(trim(std::string_view(parameter).substr(0, colon)))] =
            *std::move(buffer);
      }
    }
  }
  collectAllocations(*this, function.body, buffers);
  return buffers;
}

std::string TileProgram::resolveType(const std::string& type) const {
  const std::string_view plain = type;
  if (plain.size() > 2 && (plain.front() == '"' || plain.front() == '\'')) {
    return std::string(plain.substr(1, plain.size() - 2));
  }
  if (plain.starts_with(module_)) {
    return std::string(plain.substr(module_.size()));
  }
  if (!std::ranges::all_of(plain, isWordCharacter)) {
    return "";
  }
  // dtype = "float16", dtype="float16" or dtype: str = T.float16; they must agree.
  const RE2 assigned(fmt::format(R"(\b{}\s*(?::\s*[\w.]+\s*)?=\s*(?:["'](\w+)["']|{}(\w+)))", type,
                                 RE2::QuoteMeta(module_)));
  re2::StringPiece rest(text_);
  std::string literal;
  std::string member;
  std::string found;
  while (RE2::FindAndConsume(&rest, assigned, &literal, &member)) {
    const std::string& one = literal.empty() ? member : literal;
    if (!found.empty() && found != one) {
      return "";
    }
    found = one;
  }
  return found;
}

std::string TileProgram::freshName(std::string_view base) const {
  std::string name(base);
  for (int i = 2; RE2::PartialMatch(text_, fmt::format(R"(\b{}\b)", name)); ++i) {
    name = fmt::format("{}_{}", base, i);
  }
  return name;
}

std::vector<const PythonStatement*> TileProgram::kernelFunctions() const {
  std::vector<const PythonStatement*> found;
  collectFunctions(statements_, found);
  return found;
}

}  // namespace hone::kernel

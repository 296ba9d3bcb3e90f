#include "kernel/propose/tilelang_structure.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// A line of the code and its place in the text.
struct CodeLine {
  std::size_t begin = 0;
  std::string_view text;
  int number = 0;

  [[nodiscard]] std::size_t indent() const {
    return std::min(text.find_first_not_of(" \t"), text.size());
  }
  [[nodiscard]] bool isBlank() const { return trim(text).empty(); }
};

std::vector<CodeLine> linesOf(std::string_view code) {
  std::vector<CodeLine> lines;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    lines.push_back({at, code.substr(at, end - at), static_cast<int>(lines.size()) + 1});
    at = end + 1;
  }
  return lines;
}

/// Returns the lines of the block below line `head`, without blank ones.
std::vector<CodeLine> blockBelow(const std::vector<CodeLine>& lines, std::size_t head) {
  std::vector<CodeLine> block;
  for (std::size_t i = head + 1; i < lines.size(); ++i) {
    if (lines[i].isBlank()) {
      continue;
    }
    if (lines[i].indent() <= lines[head].indent()) {
      break;
    }
    block.push_back(lines[i]);
  }
  return block;
}

void addPipeline(const std::vector<CodeLine>& lines, std::size_t head,
                 std::vector<TextKnob>& knobs) {
  static const RE2 kSerial(R"(^\s*for \w+ in T\.(serial\((.*)\)):\s*$)");
  re2::StringPiece call;
  std::string arguments;
  const CodeLine& line = lines[head];
  if (!RE2::FullMatch(re2::StringPiece(line.text.data(), line.text.size()), kSerial, &call,
                      &arguments) ||
      arguments.contains('=')) {
    return;
  }
  const std::vector<CodeLine> body = blockBelow(lines, head);
  if (std::ranges::none_of(body,
                           [](const CodeLine& one) { return one.text.contains("T.copy("); })) {
    return;
  }
  const auto begin = line.begin + static_cast<std::size_t>(call.data() - line.text.data());
  knobs.push_back({"pipeline",
                   "pipelining",
                   std::string(call.data(), call.size()),
                   {fmt::format("Pipelined({}, num_stages=2)", arguments),
                    fmt::format("Pipelined({}, num_stages=3)", arguments)},
                   {{begin, call.size()}},
                   line.number});
}

/// Returns the start of a tile from an index: "y * 32" for "y * 32 + i", "0" for "i"; nothing for
/// other uses of the variable.
std::optional<std::string> tileStart(std::string_view index, const std::string& variable) {
  static const RE2 kWord(R"((\w+))");
  index = trim(index);
  std::string start = "0";
  if (index != variable) {
    const std::string ending = " + " + variable;
    if (!index.ends_with(ending)) {
      return std::nullopt;
    }
    start = std::string(trim(index.substr(0, index.size() - ending.size())));
  }
  re2::StringPiece rest(start);
  std::string word;
  while (RE2::FindAndConsume(&rest, kWord, &word)) {
    if (word == variable) {
      return std::nullopt;
    }
  }
  return start;
}

/// Replaces a T.Parallel loop that moves a tile element by element, which the compiler vectorizes
/// and copies asynchronously in a pipeline.
void addCopy(const std::vector<CodeLine>& lines, std::size_t head, std::string_view text,
             std::vector<TextKnob>& knobs) {
  static const RE2 kLoop(R"(^(\s*)for (\w+), (\w+) in T\.Parallel\([^=]*\):\s*$)");
  static const RE2 kMove(
      R"(^\s*(\w+)\[([^\[\],]+),([^\[\],]+)\] = (\w+)\[([^\[\],]+),([^\[\],]+)\]\s*$)");
  const CodeLine& line = lines[head];
  const std::vector<CodeLine> body = blockBelow(lines, head);
  std::string indent;
  std::string row;
  std::string column;
  std::string to;
  std::string toRow;
  std::string toColumn;
  std::string from;
  std::string fromRow;
  std::string fromColumn;
  if (body.size() != 1 || body[0].number != line.number + 1 ||
      !RE2::FullMatch(re2::StringPiece(line.text.data(), line.text.size()), kLoop, &indent, &row,
                      &column) ||
      !RE2::FullMatch(re2::StringPiece(body[0].text.data(), body[0].text.size()), kMove, &to,
                      &toRow, &toColumn, &from, &fromRow, &fromColumn)) {
    return;
  }
  const auto toStart = std::pair(tileStart(toRow, row), tileStart(toColumn, column));
  const auto fromStart = std::pair(tileStart(fromRow, row), tileStart(fromColumn, column));
  if (!toStart.first || !toStart.second || !fromStart.first || !fromStart.second) {
    return;
  }
  // A buffer of the tile's size is named alone; T.copy takes its extent from it.
  const bool wholeTo = *toStart.first == "0" && *toStart.second == "0";
  const bool wholeFrom = *fromStart.first == "0" && *fromStart.second == "0";
  if (wholeTo == wholeFrom) {
    return;
  }
  const std::string target =
      wholeTo ? to : fmt::format("{}[{}, {}]", to, *toStart.first, *toStart.second);
  const std::string source =
      wholeFrom ? from : fmt::format("{}[{}, {}]", from, *fromStart.first, *fromStart.second);
  const std::size_t length = body[0].begin + body[0].text.size() - line.begin;
  const std::string_view before = text.substr(line.begin, length);
  if (before.contains('#')) {  // a comment would be lost
    return;
  }
  knobs.push_back({"copy",
                   "vectorization",
                   std::string(before),
                   {fmt::format("{}T.copy({}, {})", indent, source, target)},
                   {{line.begin, length}},
                   line.number});
}

void addSwizzle(const std::vector<CodeLine>& lines, std::size_t head,
                std::vector<TextKnob>& knobs) {
  static const RE2 kGrid(R"(^\s*with T\.Kernel\(.*\) as \(\w+, \w+\):\s*$)");
  const CodeLine& line = lines[head];
  const std::vector<CodeLine> body = blockBelow(lines, head);
  if (body.empty() ||
      !RE2::FullMatch(re2::StringPiece(line.text.data(), line.text.size()), kGrid)) {
    return;
  }
  const std::string indent(body[0].text.substr(0, body[0].indent()));
  knobs.push_back({"swizzle",
                   "swizzle",
                   "",
                   {fmt::format("{}T.use_swizzle(panel_size=10)\n", indent),
                    fmt::format("{}T.use_swizzle(panel_size=4)\n", indent)},
                   {{body[0].begin, 0}},
                   line.number});
}

}  // namespace

std::vector<TextKnob> structureKnobs(std::string_view text, std::string_view code) {
  std::vector<TextKnob> knobs;
  const std::vector<CodeLine> lines = linesOf(code);
  const bool hasSwizzle = code.contains("use_swizzle(");
  const bool hasReuse = code.contains("T.gemm(");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    addPipeline(lines, i, knobs);
    addCopy(lines, i, text, knobs);
    if (!hasSwizzle && hasReuse) {
      addSwizzle(lines, i, knobs);
    }
  }
  return knobs;
}

}  // namespace hone::kernel

#include "kernel/judge/task/reference_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text/text.h"
#include "kernel/judge/task/size_expression.h"

namespace hone::kernel {
namespace {

using SizeList = std::vector<std::pair<std::string, std::int64_t>>;

constexpr std::int64_t kMaxSize = std::int64_t{1} << 40U;
/// Maximum number of pointers and sizes of one call.
constexpr std::size_t kMaxArguments = 24;

/// One "hone:" line and its line number.
struct Line {
  std::size_t number = 0;
  std::string keyword;
  std::string rest;
};

/// Returns the text after the comment marker and "hone:"; nullopt for other lines.
std::optional<std::string_view> afterMark(std::string_view line, std::string_view comment) {
  std::string_view rest = trim(line);
  if (!rest.starts_with(comment)) {
    return std::nullopt;
  }
  rest = trim(rest.substr(comment.size()));
  constexpr std::string_view kMark = "hone:";
  return rest.starts_with(kMark) ? std::optional(trim(rest.substr(kMark.size()))) : std::nullopt;
}

std::vector<Line> findMarkedLines(std::string_view text, std::string_view comment) {
  std::vector<Line> lines;
  const std::vector<std::string> all = splitAt(text, '\n');
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto found = afterMark(all[i], comment)) {
      const std::size_t end = std::min(found->find_first_of(" \t"), found->size());
      lines.push_back(
          {i + 1, std::string(found->substr(0, end)), std::string(trim(found->substr(end)))});
    }
  }
  return lines;
}

std::vector<std::string> splitWords(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : splitAt(text, ' ')) {
    if (const std::string_view kept = trim(word); !kept.empty()) {
      words.emplace_back(kept);
    }
  }
  return words;
}

bool isName(std::string_view word) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !word.empty() && letter(word.front()) &&
         std::ranges::all_of(word, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Parses "ROWS=37".
Result<SizeList::value_type> constantFrom(const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equals);
  const auto value = parseInt(std::string_view(word).substr(std::min(equals + 1, word.size())));
  if (!isName(name) || !value.has_value()) {
    return userError("invalid size '{}': expected NAME=NUMBER", word);
  }
  if (*value < 1 || *value > kMaxSize) {
    return userError("invalid size {}: expected 1 or more, at most 2^40", word);
  }
  return std::pair(name, *value);
}

Result<SizeList::value_type> sizeFrom(const std::string& word) {
  auto size = HONE_TRY(constantFrom(word));
  if (size.first.contains('x')) {
    return userError("invalid size name '{}': x separates dimensions", size.first);
  }
  return size;
}

/// Evaluates dimensions such as "MxK" or "(H-2)x3".
Result<std::vector<std::int64_t>> dimensionsFrom(std::string_view text, Sizes sizes) {
  std::vector<std::int64_t> dimensions;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] != 'x' || depth > 0)) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      continue;
    }
    const std::string_view part = text.substr(begin, i - begin);
    const double value = HONE_TRY(evaluateSize(part, sizes));
    if (value < 1 || value != std::floor(value) || value > static_cast<double>(kMaxSize)) {
      return userError("invalid dimension '{}': expected a positive integer, got {}", part, value);
    }
    dimensions.push_back(static_cast<std::int64_t>(value));
    begin = i + 1;
  }
  return dimensions;
}

/// Returns the smallest and the largest value of an integer type; those of i64 are limited to
/// numbers that f64 represents.
IntegerRange typeRange(model::ElementType type) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  switch (type) {
    case model::ElementType::i1:
      return {0, 2};
    case model::ElementType::i8:
      return {-128, 128};
    case model::ElementType::i16:
      return {-32'768, 32'768};
    case model::ElementType::i32:
      return {-(std::int64_t{1} << 31U), std::int64_t{1} << 31U};
    default:
      return {-kExact, kExact};
  }
}

/// Evaluates a range such as "0..VOCAB".
Result<IntegerRange> rangeFrom(const std::string& text, model::ElementType type, Sizes sizes) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    return userError("invalid range '{}': expected LOW..HIGH, such as 0..VOCAB", text);
  }
  if (isFloat(type)) {
    return userError("a range needs an integer type, got {}", nameOf(type));
  }
  const double low = HONE_TRY(evaluateSize(text.substr(0, dots), sizes));
  const double high = HONE_TRY(evaluateSize(text.substr(dots + 2), sizes));
  if (low != std::floor(low) || high != std::floor(high) || low >= high) {
    return userError("invalid range '{}': expected two integers, the first one below the second",
                     text);
  }
  const IntegerRange limits = typeRange(type);
  if (low < static_cast<double>(limits.low) || high > static_cast<double>(limits.high)) {
    return userError("the range '{}' exceeds the type {}", text, nameOf(type));
  }
  return IntegerRange{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

Result<Argument> argumentFrom(const Line& line, Sizes sizes) {
  const std::vector<std::string> words = splitWords(line.rest);
  const bool hasRange = words.size() == 5 && words[3] == "in" && line.keyword == "input";
  if (words.size() != 3 && !hasRange) {
    return userError("expected '{} NAME TYPE DIMENSIONS{}', such as '{} A f32 MxK'", line.keyword,
                     line.keyword == "input" ? " [in LOW..HIGH]" : "", line.keyword);
  }
  Argument argument{words[0], {}};
  if (!isName(words[0])) {
    return userError("invalid name '{}'", words[0]);
  }
  const auto element = model::elementTypeFrom(words[1]);
  if (!element) {
    return userError("unknown element type '{}'; use f32, f64, f16, bf16, i64, i32, i16, i8 or i1",
                     words[1]);
  }
  argument.type.element = *element;
  argument.type.shape = HONE_TRY(dimensionsFrom(words[2], sizes));
  if (!argument.type.countable()) {
    return userError("{} has too many elements", argument.name);
  }
  if (hasRange) {
    argument.range = HONE_TRY(rangeFrom(words[4], *element, sizes));
  }
  return argument;
}

/// Parses an "other" line; sizes that it does not name keep their values.
Result<SizeList> otherSizes(const Line& line, SizeList sizes) {
  for (const std::string& word : splitWords(line.rest)) {
    const auto other = HONE_TRY(sizeFrom(word));
    const auto at =
        std::ranges::find(sizes, other.first, &std::pair<std::string, std::int64_t>::first);
    if (at == sizes.end()) {
      return userError("unknown size '{}': not in the 'sizes' line", other.first);
    }
    at->second = other.second;
  }
  return sizes;
}

Result<void> addSizes(const Line& line, SizeList& sizes) {
  if (!sizes.empty()) {
    return userError("duplicate 'sizes' line");
  }
  for (const std::string& word : splitWords(line.rest)) {
    sizes.push_back(HONE_TRY(sizeFrom(word)));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sizes[i].first == sizes[j].first) {
        return userError("duplicate size '{}'", sizes[i].first);
      }
    }
  }
  return {};
}

Result<double> flopsFrom(const Line& line, Sizes sizes) {
  const double flops = HONE_TRY(evaluateSize(line.rest, sizes));
  if (flops < 0) {
    return userError("invalid flops: expected 0 or more, got {}", flops);
  }
  return flops;
}

Result<void> addNote(const Line& line, PythonNotes& notes) {
  if (line.keyword == "flops") {
    notes.flops = HONE_TRY(flopsFrom(line, {}));
    return {};
  }
  if (line.keyword != "other") {
    return userError("unknown keyword '{}'; a Python reference has flops and other", line.keyword);
  }
  SizeList sizes;
  for (const std::string& word : splitWords(line.rest)) {
    sizes.push_back(HONE_TRY(constantFrom(word)));
  }
  if (sizes.empty()) {
    return userError("expected 'other NAME=NUMBER …' with constants of this file");
  }
  if (!notes.others.empty() &&
      !std::ranges::equal(notes.others.front(), sizes, {}, &SizeList::value_type::first,
                          &SizeList::value_type::first)) {
    return userError("all 'other' lines must name the same constants in the same order");
  }
  notes.others.push_back(std::move(sizes));
  return {};
}

/// Parses the "hone:" lines of one file; where() is the line of an error.
class Reader {
 public:
  explicit Reader(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Result<Task> read() {
    Task task;
    HONE_CHECK(readSizes());
    task.shape = HONE_TRY(shapeFor(sizes_));
    for (const Line& line : lines_) {
      if (line.keyword == "other") {
        where_ = line.number;
        const SizeList other = HONE_TRY(otherSizes(line, sizes_));
        task.others.push_back(HONE_TRY(shapeFor(other)));
      }
    }
    return task;
  }
  [[nodiscard]] std::size_t where() const { return where_; }

 private:
  Result<void> readSizes() {
    static const std::array<std::string, 5> kKeywords = {"sizes", "other", "input", "output",
                                                         "flops"};
    for (const Line& line : lines_) {
      where_ = line.number;
      if (std::ranges::find(kKeywords, line.keyword) == kKeywords.end()) {
        const auto meant = nearest(line.keyword, kKeywords);
        return userError("unknown keyword '{}'{}", line.keyword,
                         meant ? fmt::format("; did you mean '{}'?", *meant)
                               : "; use sizes, other, input, output or flops");
      }
      if (line.keyword == "sizes") {
        HONE_CHECK(addSizes(line, sizes_));
      }
    }
    return {};
  }

  Result<Shape> shapeFor(const SizeList& sizes) {
    Shape shape;
    shape.sizes = sizes;
    for (const Line& line : lines_) {
      if (line.keyword == "input" || line.keyword == "output") {
        where_ = line.number;
        const Argument argument = HONE_TRY(argumentFrom(line, sizes));
        HONE_CHECK(addArgument(argument, line.keyword == "input", shape));
      } else if (line.keyword == "flops") {
        where_ = line.number;
        shape.flops = HONE_TRY(flopsFrom(line, sizes));
      }
    }
    where_ = 0;
    if (shape.inputs.empty() || shape.outputs.empty()) {
      return userError(
          "missing line '// hone: {}'; a reference declares its inputs and outputs",
          shape.inputs.empty() ? "input NAME TYPE DIMENSIONS" : "output NAME TYPE DIMENSIONS");
    }
    if (shape.inputs.size() + shape.outputs.size() + sizes.size() > kMaxArguments) {
      return userError("too many arguments: a kernel has at most {}", kMaxArguments);
    }
    return shape;
  }

  static Result<void> addArgument(const Argument& argument, bool isInput, Shape& shape) {
    for (const auto* list : {&shape.inputs, &shape.outputs}) {
      for (const Argument& other : *list) {
        if (other.name == argument.name) {
          return userError("duplicate argument '{}'", argument.name);
        }
      }
    }
    if (isInput && !shape.outputs.empty()) {
      return userError("input {} comes after an output; inputs come first", argument.name);
    }
    (isInput ? shape.inputs : shape.outputs).push_back(argument);
    return {};
  }

  std::vector<Line> lines_;
  SizeList sizes_;
  std::size_t where_ = 0;
};

}  // namespace

Result<Task> taskFromReference(std::string_view text, std::string_view file) {
  Reader reader(findMarkedLines(text, "//"));
  auto task = reader.read();
  if (!task) {
    const std::string place =
        reader.where() > 0 ? fmt::format("{}:{}", file, reader.where()) : std::string(file);
    return within(place, std::move(task).error());
  }
  return task;
}

Result<PythonNotes> parsePythonNotes(std::string_view text, std::string_view file) {
  PythonNotes notes;
  for (const Line& line : findMarkedLines(text, "#")) {
    const std::string place = fmt::format("{}:{}", file, line.number);
    if (auto noted = addNote(line, notes); !noted) {
      return within(place, std::move(noted).error());
    }
  }
  return notes;
}

bool hasFixedSizes(const Source& source) {
  const std::string_view comment = source.language == Language::cpp ? "//" : "#";
  for (const std::string& line : splitAt(source.text, '\n')) {
    if (const auto found = afterMark(line, comment); found && *found == "fixed sizes") {
      return true;
    }
  }
  return false;
}

}  // namespace hone::kernel

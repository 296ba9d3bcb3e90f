#include "iree/mlir/attribute_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text/text.h"
#include "iree/mlir/mlir_scan.h"
#include "iree/mlir/mlir_text.h"

namespace hone::iree {
namespace {

/// Nesting of attributes is limited, because text from outside must not exhaust the stack.
constexpr int kMaxDepth = 64;

/// Parses one attribute from text without comments.
class AttributeParser {
 public:
  explicit AttributeParser(std::string_view text) : text_(text) {}

  std::optional<AttributeText> parse() {
    AttributeText value;
    return parseValue(value, 0) && skip() == text_.size() ? std::optional(std::move(value))
                                                          : std::nullopt;
  }

 private:
  std::size_t skip() { return at_ = skipBlanks(text_, at_); }
  [[nodiscard]] bool at(char letter) const { return at_ < text_.size() && text_[at_] == letter; }
  bool take(char letter) {
    skip();
    const bool found = at(letter);
    at_ += found ? 1 : 0;
    return found;
  }

  bool parseValue(AttributeText& value, int depth);
  /// Parses members up to the closing bracket.
  bool parseMembers(AttributeText& value, char close, int depth);
  bool parsePlain(AttributeText& value);
  /// Parses "name =" or "name" before ',' or the closing bracket; returns "" if there is none.
  std::string parseName(char close);
  std::string_view word();

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view AttributeParser::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size() &&
         (isWordCharacter(text_[at_]) || std::string_view(".$-+!#@%:").contains(text_[at_])) &&
         !text_.substr(at_).starts_with("->")) {
    // "a : type" has blanks around its colon; "@a::@b" has none.
    if (text_[at_] == ':' && !text_.substr(at_).starts_with("::") &&
        (at_ == begin || text_[at_ - 1] != ':')) {
      break;
    }
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

bool AttributeParser::parsePlain(AttributeText& value) {
  const std::size_t begin = at_;
  if (at('"')) {
    at_ = nextPosition(text_, at_);
  } else if (word().empty() && !at('(')) {
    return false;
  }
  for (skip(); at('(') || at('<'); skip()) {  // dense<1>, affine_map<…>
    const std::size_t end = closingPosition(text_, at_);
    if (end == std::string_view::npos) {
      return false;
    }
    at_ = end;
  }
  if (at(':')) {  // a type: i64, tensor<2xi64>
    ++at_;
    skip();
    AttributeText type;
    if (!parsePlain(type)) {
      return false;
    }
  }
  value.kind = AttributeText::Kind::plain;
  value.text = trim(text_.substr(begin, at_ - begin));
  return true;
}

std::string AttributeParser::parseName(char close) {
  const std::size_t begin = at_;
  std::string name;
  if (at('"')) {
    at_ = nextPosition(text_, at_);
    name = text_.substr(begin, at_ - begin);
  } else {
    name = word();
  }
  skip();
  const bool unit = close == '}' && (at(',') || at('}'));
  if (name.empty() || (!at('=') && !unit)) {
    at_ = begin;
    return "";
  }
  return name;
}

bool AttributeParser::parseMembers(AttributeText& value, char close, int depth) {
  while (!take(close)) {
    if (at_ >= text_.size()) {
      return false;
    }
    if (take(',')) {
      continue;
    }
    std::string name = close == ']' ? "" : parseName(close);
    AttributeText member;
    if (!name.empty() && !take('=')) {
      value.members.emplace_back(std::move(name), std::move(member));  // a unit
      continue;
    }
    skip();
    if (!parseValue(member, depth + 1)) {
      return false;
    }
    value.members.emplace_back(std::move(name), std::move(member));
  }
  return true;
}

bool AttributeParser::parseValue(AttributeText& value, int depth) {
  if (depth > kMaxDepth) {
    return false;
  }
  skip();
  if (take('{')) {
    value.kind = AttributeText::Kind::dictionary;
    return parseMembers(value, '}', depth);
  }
  if (take('[')) {
    value.kind = AttributeText::Kind::list;
    return parseMembers(value, ']', depth);
  }
  const std::size_t begin = at_;
  if (at('#')) {
    value.text = word();
  }
  if ((begin != at_ || at('<')) && take('<')) {
    value.kind = AttributeText::Kind::named;
    return parseMembers(value, '>', depth);
  }
  at_ = begin;
  return parsePlain(value);
}

std::string printMembers(const AttributeText& value, bool blanks) {
  std::string text;
  for (const auto& [name, member] : value.members) {
    if (!text.empty()) {
      text += blanks && !name.empty() ? " " : ", ";
    }
    const bool unit = member.kind == AttributeText::Kind::plain && member.text.empty();
    text += name.empty() ? member.print()
            : unit       ? name
                         : fmt::format("{} = {}", name, member.print());
  }
  return text;
}

}  // namespace

const AttributeText* AttributeText::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(members, [&](const auto& member) { return member.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

AttributeText* AttributeText::find(std::string_view name) {
  return const_cast<AttributeText*>(std::as_const(*this).find(name));
}

AttributeText* AttributeText::findDictionary() {
  for (auto& [name, member] : members) {
    if (name.empty() && member.kind == Kind::dictionary) {
      return &member;
    }
  }
  return nullptr;
}

void AttributeText::set(std::string_view name, AttributeText value) {
  if (AttributeText* known = find(name)) {
    *known = std::move(value);
  } else {
    members.emplace_back(std::string(name), std::move(value));
  }
}

void AttributeText::erase(std::string_view name) {
  std::erase_if(members, [&](const auto& member) { return member.name == name; });
}

std::vector<std::int64_t> AttributeText::numbers() const {
  if (kind == Kind::list) {
    std::vector<std::int64_t> all;
    for (const auto& [name, member] : members) {
      const auto some = member.numbers();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  const auto number = parseInt(trim(std::string_view(text).substr(0, text.find(':'))));
  return number ? std::vector{*number} : std::vector<std::int64_t>();
}

std::string AttributeText::print() const {
  switch (kind) {
    case Kind::plain:
      return text;
    case Kind::dictionary:
      return fmt::format("{{{}}}", printMembers(*this, false));
    case Kind::list:
      return fmt::format("[{}]", printMembers(*this, false));
    case Kind::named:
      break;
  }
  // Only the members of a translation_info are separated by blanks.
  const bool translation =
      find("pipeline") != nullptr && (text.empty() || text == "#iree_codegen.translation_info");
  return fmt::format("{}<{}>", text, printMembers(*this, translation));
}

AttributeText AttributeText::plain(std::string text) {
  AttributeText value;
  value.text = std::move(text);
  return value;
}

AttributeText AttributeText::numberList(const std::vector<std::int64_t>& numbers) {
  AttributeText list;
  list.kind = Kind::list;
  for (const std::int64_t number : numbers) {
    list.members.emplace_back("", plain(std::to_string(number)));
  }
  return list;
}

std::optional<AttributeText> parseAttribute(std::string_view text) {
  const std::string bare = withoutComments(text);
  return AttributeParser(bare).parse();
}

}  // namespace hone::iree

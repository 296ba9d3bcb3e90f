#include "kernel/judge/task/size_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

constexpr int kMaxDepth = 100;

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A recursive descent parser that evaluates while it parses.
class Parser {
 public:
  Parser(std::string_view text, Sizes sizes) : text_(text), sizes_(sizes) {}

  Result<double> whole() {
    const double value = HONE_TRY(sum());
    if (!atEnd()) {
      return userError("unexpected '{}' in '{}'", text_.substr(at_, 1), text_);
    }
    if (!std::isfinite(value)) {
      return userError("'{}' has no finite value", text_);
    }
    return value;
  }

 private:
  Result<double> sum() {
    double value = HONE_TRY(product());
    while (take('+') || take('-')) {
      const bool plus = text_[at_ - 1] == '+';
      const double next = HONE_TRY(product());
      value += plus ? next : -next;
    }
    return value;
  }
  Result<double> product() {
    double value = HONE_TRY(factor());
    while (take('*') || take('/')) {
      const bool times = text_[at_ - 1] == '*';
      const double next = HONE_TRY(factor());
      value = times ? value * next : value / next;
    }
    return value;
  }
  Result<double> factor() {
    if (++depth_ > kMaxDepth) {
      return userError("'{}' is nested too deeply", shortened(text_, 40));
    }
    const Result<double> value = single();
    --depth_;
    return value;
  }
  Result<double> single() {
    if (take('-')) {
      return -HONE_TRY(factor());
    }
    if (take('(')) {
      const double value = HONE_TRY(sum());
      if (!take(')')) {
        return userError("missing ')' in '{}'", text_);
      }
      return value;
    }
    if (atEnd()) {
      return userError("expected a name or number at the end of '{}'", text_);
    }
    return startsName(text_[at_]) ? name() : number();
  }
  Result<double> name() {
    const std::string_view word = takeWhile([](char c) { return startsName(c) || isDigit(c); });
    for (const auto& [size, value] : sizes_) {
      if (size == word) {
        return static_cast<double>(value);
      }
    }
    return userError("unknown size '{}' in '{}'", word, text_);
  }
  Result<double> number() {
    const std::string_view digits = takeWhile([](char c) { return isDigit(c) || c == '.'; });
    const auto value = parseDouble(digits);
    if (!value) {
      return userError("expected a name or number, got '{}' in '{}'", text_.substr(at_, 1), text_);
    }
    return *value;
  }
  template <typename Belongs>
  std::string_view takeWhile(Belongs belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  bool atEnd() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
    return at_ == text_.size();
  }
  bool take(char c) {
    if (atEnd() || text_[at_] != c) {
      return false;
    }
    ++at_;
    return true;
  }

  std::string_view text_;
  Sizes sizes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<double> evaluateSize(std::string_view expression, Sizes sizes) {
  return Parser(trim(expression), sizes).whole();
}

}  // namespace hone::kernel

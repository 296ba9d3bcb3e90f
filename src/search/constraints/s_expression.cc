#include "search/constraints/s_expression.h"

#include <algorithm>
#include <utility>

namespace hone::search {
namespace {

/// Real texts nest a few dozen levels; the limit prevents a stack overflow on malformed ones.
constexpr std::size_t kMaxNesting = 1000;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<Expression>> readAll() {
    std::vector<Expression> open(1);  // the innermost list is last; the first is the text
    for (skipBlanks(); at_ < text_.size(); skipBlanks()) {
      if (text_[at_] == '(') {
        ++at_;
        if (open.size() > kMaxNesting) {
          return userError("line {}: nested too deeply", line_);
        }
        open.emplace_back().isList = true;
        open.back().line = line_;
      } else if (text_[at_] == ')') {
        ++at_;
        if (open.size() == 1) {
          return userError("line {}: ')' without '('", line_);
        }
        Expression list = std::move(open.back());
        open.pop_back();
        open.back().items.push_back(std::move(list));
      } else {
        Expression& expression = open.back().items.emplace_back();
        expression.line = line_;
        expression.word = HONE_TRY(readWord());
      }
    }
    if (open.size() > 1) {
      return userError("line {}: unclosed '('", open.back().line);
    }
    return std::move(open[0].items);
  }

 private:
  void skipBlanks() {
    for (bool comment = false; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        comment = false;
      } else if (c == ';') {
        comment = true;
      } else if (!comment && c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  Result<std::string_view> readWord() {
    const std::size_t begin = at_;
    if (const char quote = text_[at_]; quote == '|' || quote == '"') {
      const std::size_t end = text_.find(quote, begin + 1);
      if (end == std::string_view::npos) {
        return userError("line {}: unclosed {}", line_, quote);
      }
      const std::string_view word = text_.substr(begin + 1, end - begin - 1);
      line_ += static_cast<int>(std::count(word.begin(), word.end(), '\n'));
      at_ = end + 1;
      return word;
    }
    at_ = std::min(text_.find_first_of(" \t\r\n();|\"", begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<Expression>> parseExpressions(std::string_view text) {
  return Reader(text).readAll();
}

}  // namespace hone::search

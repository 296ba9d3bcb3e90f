#include "split/source/ladder_reader.h"

#include <initializer_list>
#include <string_view>

namespace hone::split {
namespace {

using model::ReductionKind;
using Texts = std::initializer_list<std::string_view>;

class LadderReader {
 public:
  LadderReader(const Source& source, std::span<const Token> code, std::string_view summed)
      : source_(source), code_(code), summed_(summed) {}

  /// if (outputSize < …) { … } else if … else { limitParallelLoops = std::min…; }
  Result<Ladder> readChain() {
    Ladder ladder;
    HONE_CHECK(expect({"int64_t", "limitParallelLoops", ";"}));
    skipVoids();
    while (take({"if"})) {
      Band& band = ladder.bands.emplace_back();
      band.outputBelow = HONE_TRY(readBound("outputSize"));
      HONE_CHECK(readInnerChain(band));
      HONE_CHECK(expect({"}", "else"}));
    }
    const bool any = !ladder.bands.empty();
    if (any) {
      HONE_CHECK(expect({"{"}));
    }
    HONE_CHECK(expect({"limitParallelLoops", "="}));
    ladder.cap = HONE_TRY(readCap({"tileSizes", "[", "0", "]"}));
    if (any) {
      HONE_CHECK(expect({"}"}));
    }
    HONE_CHECK(expectEnd());
    return ladder;
  }

  /// if (outputSize < …) { … return …; } … return std::min…;
  Result<Ladder> readFunction() {
    Ladder ladder;
    skipVoids();
    while (take({"if"})) {
      Band& band = ladder.bands.emplace_back();
      band.outputBelow = HONE_TRY(readBound("outputSize"));
      while (take({"if"})) {
        Step& step = band.steps.emplace_back();
        step.reductionBelow = HONE_TRY(readBound(summed_));
        step.limit = HONE_TRY(readGiven({"return"}));
        HONE_CHECK(expect({"}"}));
      }
      band.limit = HONE_TRY(readGiven({"return"}));
      HONE_CHECK(expect({"}"}));
    }
    HONE_CHECK(expect({"return"}));
    ladder.cap = HONE_TRY(readCap({"startTileSize"}));
    HONE_CHECK(expectEnd());
    return ladder;
  }

 private:
  bool take(Texts texts) {
    const bool there = matches(code_, at_, texts);
    at_ += there ? texts.size() : 0;
    return there;
  }
  Result<void> expect(Texts texts) {
    for (const std::string_view text : texts) {
      if (!take({text})) {
        return unexpected(fmt::format("'{}'", text));
      }
    }
    return {};
  }
  Result<void> expectEnd() {
    if (at_ < code_.size()) {
      return unexpected("the end of the code");
    }
    return {};
  }
  [[nodiscard]] std::unexpected<Error> unexpected(std::string_view wanted) const {
    const bool atEnd = at_ >= code_.size();
    const int line = code_.empty() ? 1 : code_[atEnd ? code_.size() - 1 : at_].line;
    return source_.error(line, "unsupported ladder: expected {}, got {}", wanted,
                         atEnd ? "the end of the code" : fmt::format("'{}'", code_[at_].text));
  }

  void skipVoids() {
    while (matches(code_, at_, {"(", "void", ")"}) && matches(code_, at_ + 4, {";"})) {
      at_ += 5;
    }
  }

  Result<std::int64_t> readValue() {
    const std::size_t begin = at_;
    const auto value = readProduct(code_, at_);
    if (!value) {
      at_ = begin;
      return unexpected("a number");
    }
    return *value;
  }

  /// ( NAME < … ) {
  Result<std::int64_t> readBound(std::string_view name) {
    HONE_CHECK(expect({"(", name, "<"}));
    const std::int64_t value = HONE_TRY(readValue());
    HONE_CHECK(expect({")", "{"}));
    return value;
  }

  Result<std::int64_t> readGiven(Texts before) {
    HONE_CHECK(expect(before));
    const std::int64_t value = HONE_TRY(readValue());
    HONE_CHECK(expect({";"}));
    return value;
  }

  Result<std::int64_t> readCap(Texts loop) {
    HONE_CHECK(expect({"std", "::", "min", "<", "int64_t", ">", "("}));
    const std::int64_t value = HONE_TRY(readValue());
    HONE_CHECK(expect({","}));
    HONE_CHECK(expect(loop));
    HONE_CHECK(expect({")", ";"}));
    return value;
  }

  /// Parses the contents of a band of the chain.
  Result<void> readInnerChain(Band& band) {
    while (take({"if"})) {
      Step& step = band.steps.emplace_back();
      step.reductionBelow = HONE_TRY(readBound(summed_));
      step.limit = HONE_TRY(readGiven({"limitParallelLoops", "="}));
      HONE_CHECK(expect({"}", "else"}));
    }
    if (!band.steps.empty()) {
      HONE_CHECK(expect({"{"}));
    }
    band.limit = HONE_TRY(readGiven({"limitParallelLoops", "="}));
    if (!band.steps.empty()) {
      HONE_CHECK(expect({"}"}));
    }
    return {};
  }

  const Source& source_;
  std::span<const Token> code_;
  std::string_view summed_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Ladder> ladderFrom(const Source& source, std::span<const Token> code, SourceForm form,
                          ReductionKind kind) {
  if (form == SourceForm::functions) {
    return LadderReader(source, code, "reductionSize").readFunction();
  }
  return LadderReader(source, code, kind == ReductionKind::convolution ? "reductionSize" : "kSize")
      .readChain();
}

}  // namespace hone::split

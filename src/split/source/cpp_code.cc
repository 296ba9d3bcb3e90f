#include "split/source/cpp_code.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace hone::split {
namespace {

using model::ReductionKind;

/// Collects lines, indented by two blanks per level.
class Writer {
 public:
  void line(int depth, std::string_view text) {
    lines_.push_back(std::string(static_cast<std::size_t>(2 * depth), ' ').append(text));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

/// Writes the chain form: unlike the form with returns, every condition needs an else.
void writeChain(Writer& out, const Heuristic& heuristic) {
  const std::string_view summed =
      heuristic.kind == ReductionKind::convolution ? "reductionSize" : "kSize";
  const auto give = [&](int depth, std::int64_t limit) {
    out.line(depth, fmt::format("limitParallelLoops = {};", limit));
  };
  out.line(1, "int64_t limitParallelLoops;");
  std::string_view opening = "if";
  for (const Band& band : heuristic.ladder.bands) {
    out.line(1, fmt::format("{} (outputSize < {}) {{", opening, productText(band.outputBelow)));
    opening = "} else if";
    std::string_view inner = "if";
    for (const Step& step : band.steps) {
      out.line(2, fmt::format("{} ({} < {}) {{", inner, summed, step.reductionBelow));
      inner = "} else if";
      give(3, step.limit);
    }
    if (!band.steps.empty()) {
      out.line(2, "} else {");
    }
    give(band.steps.empty() ? 2 : 3, band.limit);
    if (!band.steps.empty()) {
      out.line(2, "}");
    }
  }
  const bool any = !heuristic.ladder.bands.empty();
  if (any) {
    out.line(1, "} else {");
  }
  out.line(any ? 2 : 1, fmt::format("limitParallelLoops = std::min<int64_t>({}, tileSizes[0]);",
                                    heuristic.ladder.cap));
  if (any) {
    out.line(1, "}");
  }
}

void writeFunction(Writer& out, const Ladder& ladder) {
  const auto returnIf = [&](int depth, std::string_view condition, std::int64_t limit) {
    out.line(depth, fmt::format("if ({}) {{", condition));
    out.line(depth + 1, fmt::format("return {};", limit));
    out.line(depth, "}");
  };
  for (const Band& band : ladder.bands) {
    const std::string condition = fmt::format("outputSize < {}", productText(band.outputBelow));
    if (band.steps.empty()) {
      returnIf(1, condition, band.limit);
      continue;
    }
    out.line(1, fmt::format("if ({}) {{", condition));
    for (const Step& step : band.steps) {
      returnIf(2, fmt::format("reductionSize < {}", step.reductionBelow), step.limit);
    }
    out.line(2, fmt::format("return {};", band.limit));
    out.line(1, "}");
  }
  out.line(1, fmt::format("return std::min<int64_t>({}, startTileSize);", ladder.cap));
}

}  // namespace

std::string productText(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) {
    return std::to_string(value);  // the product of two int literals is an int
  }
  auto factor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
  for (; factor > 1; --factor) {
    if (value % factor == 0) {
      return fmt::format("{} * {}", factor, value / factor);
    }
  }
  return std::to_string(value);
}

std::vector<NamedConstant> listConstants(const Heuristic& heuristic) {
  const EarlyReturns& returns = heuristic.returns;
  const bool chain = heuristic.form == SourceForm::chain;
  if (heuristic.kind == ReductionKind::convolution) {
    return {{"largeParallelSize", returns.largeParallel},
            {chain ? "largeReductionSize" : "smallReductionSize", returns.smallReduction},
            {"ratioThreshold", returns.ratio}};
  }
  return {{chain ? "largeMNSize" : "largeOutputSize", returns.largeParallel},
          {chain ? "largeKSize" : "smallKSize", returns.smallReduction},
          {"ratioThreshold", returns.ratio}};
}

std::string functionName(const Heuristic& heuristic) {
  if (heuristic.kind == ReductionKind::matmul) {
    return "getMatmulLikeReductionSizes";
  }
  return heuristic.form == SourceForm::chain ? "getWeightBackwardReductionSizes"
                                             : "getConvolutionReductionSizes";
}

std::vector<std::string> ladderCode(const Heuristic& heuristic) {
  Writer out;
  if (heuristic.form == SourceForm::chain) {
    writeChain(out, heuristic);
  } else {
    writeFunction(out, heuristic.ladder);
  }
  return out.take();
}

}  // namespace hone::split

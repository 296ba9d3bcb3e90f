#include "split/source/cpp_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace hone::split {
namespace {

using model::ReductionKind;

constexpr std::size_t kMaxColumn = 80;  ///< of the compiler's style

/// Splits words over lines of at most kMaxColumn characters that all start with `prefix`.
std::vector<std::string> wrapped(const std::string& prefix, std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t room = kMaxColumn - std::min(kMaxColumn - 20, prefix.size());
    std::size_t end = text.size();
    if (end - at > room) {
      const std::size_t blank = text.rfind(' ', at + room);
      end = blank == std::string_view::npos || blank <= at ? text.find(' ', at) : blank;
      end = std::min(end, text.size());
    }
    lines.push_back(prefix + std::string(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

/// Returns "32 * 32" for a square, other sizes as one number.
std::string squareText(std::int64_t size) {
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(size))));
  return side > 1 && side * side == size ? productText(size) : std::to_string(size);
}

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

/// One branch of a ladder; the last one has no condition on the output size.
struct Branch {
  std::optional<std::int64_t> outputBelow;
  std::vector<Step> steps;
  std::int64_t limit = 1;
  bool isCap = false;  ///< the limit is at most the size of the loop that is split first
};

std::vector<Branch> makeBranches(const Ladder& ladder) {
  std::vector<Branch> branches;
  for (const Band& band : ladder.bands) {
    branches.push_back({band.outputBelow, band.steps, band.limit, false});
  }
  branches.push_back({std::nullopt, {}, ladder.cap, true});
  return branches;
}

/// Removes the conditions that are always true or always false for sizes in the range.
std::vector<Branch> branchesWithin(const Ladder& ladder, const MeasuredRange& range) {
  std::vector<Branch> kept;
  for (Branch& branch : makeBranches(ladder)) {
    if (branch.outputBelow && *branch.outputBelow <= range.minOutput) {
      continue;
    }
    std::erase_if(branch.steps,
                  [&](const Step& step) { return step.reductionBelow <= range.minReduction; });
    const auto last = std::ranges::find_if(
        branch.steps, [&](const Step& step) { return step.reductionBelow > range.maxReduction; });
    if (last != branch.steps.end()) {
      branch.limit = last->limit;
      branch.steps.erase(last, branch.steps.end());
    }
    const bool isLast = !branch.outputBelow || *branch.outputBelow > range.maxOutput;
    if (isLast) {
      branch.outputBelow.reset();
    }
    kept.push_back(std::move(branch));
    if (isLast) {
      break;
    }
  }
  return kept;
}

/// Writes a ladder.
class LadderWriter {
 public:
  LadderWriter(Writer& out, const LadderNames& names) : out_(out), names_(names) {}

  /// Writes if/else with assignments. Unlike the form with returns, every condition needs an else.
  void writeChain(int depth, const std::vector<Branch>& branches) {
    std::string_view opening = "if";
    for (const Branch& branch : branches) {
      if (branch.outputBelow) {
        out_.line(depth, fmt::format("{} ({} < {}) {{", opening, names_.output,
                                     productText(*branch.outputBelow)));
        opening = "} else if";
      } else if (branches.size() > 1) {
        out_.line(depth, "} else {");
      }
      writeSteps(depth + (branches.size() > 1 ? 1 : 0), branch);
    }
    if (branches.size() > 1) {
      out_.line(depth, "}");
    }
  }

  /// Writes conditions with returns.
  void writeReturns(int depth, const std::vector<Branch>& branches) {
    for (const Branch& branch : branches) {
      if (branch.outputBelow) {
        out_.line(depth,
                  fmt::format("if ({} < {}) {{", names_.output, productText(*branch.outputBelow)));
      }
      const int inner = depth + (branch.outputBelow ? 1 : 0);
      for (const Step& step : branch.steps) {
        out_.line(inner, fmt::format("if ({} < {}) {{", names_.reduction, step.reductionBelow));
        out_.line(inner + 1, fmt::format("return {};", limitText(step.limit, false)));
        out_.line(inner, "}");
      }
      out_.line(inner, fmt::format("return {};", limitText(branch.limit, branch.isCap)));
      if (branch.outputBelow) {
        out_.line(depth, "}");
      }
    }
  }

 private:
  void writeSteps(int depth, const Branch& branch) {
    std::string_view opening = "if";
    for (const Step& step : branch.steps) {
      out_.line(depth,
                fmt::format("{} ({} < {}) {{", opening, names_.reduction, step.reductionBelow));
      opening = "} else if";
      assign(depth + 1, step.limit, false);
    }
    if (branch.steps.empty()) {
      assign(depth, branch.limit, branch.isCap);
      return;
    }
    out_.line(depth, "} else {");
    assign(depth + 1, branch.limit, branch.isCap);
    out_.line(depth, "}");
  }

  void assign(int depth, std::int64_t limit, bool isCap) {
    const std::string value = limitText(limit, isCap);
    out_.line(depth, limit == kNoSplit ? fmt::format("return {};", value)
                                       : fmt::format("limitParallelLoops = {};", value));
  }

  [[nodiscard]] std::string limitText(std::int64_t limit, bool isCap) const {
    return limit == kNoSplit ? "std::nullopt"
           : isCap           ? fmt::format("std::min<int64_t>({}, {})", limit, names_.start)
                             : std::to_string(limit);
  }

  Writer& out_;
  const LadderNames& names_;
};

constexpr const char* kIndent = "  ";

/// Returns the name of the reduction size in the function with the early returns.
std::string reductionName(const Heuristic& heuristic) {
  return heuristic.kind == ReductionKind::convolution ? "reductionSize" : "kSize";
}

/// Returns the scope of that function in the compiler's own source.
MeasuredScope ownScope(const Heuristic& heuristic, std::string_view kept) {
  return {.output = "outputSize",
          .reduction = reductionName(heuristic),
          .kept = kept,
          .indent = kIndent,
          .hasLowParallelism = heuristic.form == SourceForm::functions};
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

std::vector<std::string> measuredLadder(const Heuristic& heuristic, const LadderNames& names,
                                        LadderStyle style) {
  Writer out;
  const auto branches = branchesWithin(heuristic.ladder, heuristic.range);
  LadderWriter writer(out, names);
  if (style == LadderStyle::chain) {
    writer.writeChain(0, branches);
  } else {
    writer.writeReturns(0, branches);
  }
  return out.take();
}

std::vector<std::string> joinConditions(const std::string& start,
                                        const std::vector<std::string>& conditions,
                                        std::string_view end) {
  std::vector<std::string> lines = {start};
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string condition =
        fmt::format("{}{}", conditions[i], i + 1 < conditions.size() ? " &&" : end);
    const bool isFirst = lines.back().size() == start.size();
    if (!isFirst && lines.back().size() + 1 + condition.size() > kMaxColumn) {
      lines.emplace_back(start.size(), ' ');
    } else if (!isFirst) {
      lines.back() += ' ';
    }
    lines.back() += condition;
  }
  return lines;
}

std::vector<std::string> measuredDeclaration(const MeasuredRange& range,
                                             const MeasuredScope& scope) {
  const std::string& indent = scope.indent;
  auto lines = wrapped(
      indent + "// ",
      fmt::format("{}{} measured {}. All other sizes{} keep {}.", kMeasuredComment.substr(3),
                  range.shapes, range.shapes == 1 ? "shape" : "shapes",
                  scope.hasLowParallelism ? ", and targets with low parallelism," : "",
                  scope.kept));
  // A product or a call gets a name.
  const auto named = [&](const std::string& expression, std::string name) {
    if (expression.find_first_of(" (") == std::string::npos) {
      return expression;
    }
    const std::string start = fmt::format("{}const int64_t {} =", indent, name);
    const bool fits = start.size() + expression.size() + 2 <= kMaxColumn;
    lines.push_back(fits ? fmt::format("{} {};", start, expression) : start);
    if (!fits) {
      lines.push_back(fmt::format("{}    {};", indent, expression));
    }
    return name;
  };
  const std::string output = named(scope.output, "measuredOutputSize");
  const std::string reduction = named(scope.reduction, "measuredReductionSize");
  std::vector<std::string> conditions;
  if (scope.hasLowParallelism) {
    conditions.emplace_back("!lowParallelism");
  }
  const auto bound = [&](const std::string& name, const std::string& low, const std::string& high) {
    if (low == high) {
      conditions.push_back(fmt::format("{} == {}", name, low));
      return;
    }
    conditions.push_back(fmt::format("{} >= {}", name, low));
    conditions.push_back(fmt::format("{} <= {}", name, high));
  };
  bound(output, squareText(range.minOutput), squareText(range.maxOutput));
  bound(reduction, std::to_string(range.minReduction), std::to_string(range.maxReduction));
  const auto declared =
      joinConditions(fmt::format("{}const bool {} = ", indent, kMeasuredName), conditions, ";");
  lines.insert(lines.end(), declared.begin(), declared.end());
  return lines;
}

std::vector<std::string> limitFunctionStart(const Heuristic& heuristic, const std::string& indent,
                                            bool hasLowParallelism) {
  auto lines = measuredDeclaration(heuristic.range, {.output = "outputSize",
                                                     .reduction = "reductionSize",
                                                     .kept = "the rules below",
                                                     .indent = indent,
                                                     .hasLowParallelism = hasLowParallelism});
  lines.push_back(fmt::format("{}if ({}) {{", indent, kMeasuredName));
  for (const std::string& line : measuredLadder(
           heuristic, {"outputSize", "reductionSize", "startTileSize"}, LadderStyle::returns)) {
    lines.push_back(fmt::format("{}  {}", indent, line));
  }
  lines.push_back(indent + "}");
  return lines;
}

std::vector<std::string> ladderCode(const Heuristic& heuristic) {
  if (heuristic.form == SourceForm::functions) {
    return limitFunctionStart(heuristic, kIndent, true);
  }
  auto lines = measuredDeclaration(heuristic.range, ownScope(heuristic, "their own rules"));
  lines.push_back(fmt::format("{}int64_t limitParallelLoops;", kIndent));
  lines.push_back(fmt::format("{}if ({}) {{", kIndent, kMeasuredName));
  const LadderNames names{"outputSize", reductionName(heuristic), "tileSizes[0]"};
  for (const std::string& line : measuredLadder(heuristic, names, LadderStyle::chain)) {
    lines.push_back(fmt::format("{0}{0}{1}", kIndent, line));
  }
  lines.push_back(fmt::format("{}}}", kIndent));
  return lines;
}

std::vector<std::string> earlyReturnCode(const Heuristic& heuristic) {
  const EarlyReturns compilers = compilersReturns(heuristic.form, heuristic.kind);
  const auto value = [](std::int64_t fitted, std::int64_t own) {
    return fitted == own ? std::to_string(own)
                         : fmt::format("{} ? {} : {}", kMeasuredName, fitted, own);
  };
  std::vector<std::string> lines;
  if (heuristic.returns != compilers) {
    lines = measuredDeclaration(heuristic.range, ownScope(heuristic, "their early returns"));
  }
  const auto fitted = listConstants(heuristic);
  Heuristic own = heuristic;
  own.returns = compilers;
  const auto present = listConstants(own);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    lines.push_back(fmt::format("{}const int64_t {} = {};", kIndent, fitted[i].name,
                                value(fitted[i].value, present[i].value)));
  }
  if (heuristic.form == SourceForm::functions) {
    const bool conv = heuristic.kind == ReductionKind::convolution;
    const std::string modest = value(heuristic.returns.modestReduction, compilers.modestReduction);
    std::vector<std::string> conditions = {
        fmt::format("outputSize >= {}1024 * 1024", conv ? "2 * " : "")};
    if (!conv) {
      conditions.emplace_back("outputSize < 1500 * 1024");
    }
    const bool isChoice = modest.contains(' ');
    conditions.push_back(fmt::format("{} < {}", reductionName(heuristic),
                                     isChoice ? fmt::format("({})", modest) : modest));
    const auto condition = joinConditions(fmt::format("{}if (", kIndent), conditions, ") {");
    lines.insert(lines.end(), condition.begin(), condition.end());
    lines.push_back(fmt::format("{0}{0}return std::nullopt;", kIndent));
    lines.push_back(fmt::format("{}}}", kIndent));
  }
  return lines;
}

}  // namespace hone::split

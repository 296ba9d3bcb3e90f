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
    const LadderNames names{
        "outputSize", heuristic.kind == ReductionKind::convolution ? "reductionSize" : "kSize",
        "tileSizes[0]"};
    out.line(1, "int64_t limitParallelLoops;");
    LadderWriter(out, names).writeChain(1, makeBranches(heuristic.ladder));
  } else {
    const LadderNames names{"outputSize", "reductionSize", "startTileSize"};
    LadderWriter(out, names).writeReturns(1, makeBranches(heuristic.ladder));
  }
  return out.take();
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

}  // namespace hone::split

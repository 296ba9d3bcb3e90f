#include "split/report/recommendation_text.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "split/report/text_parts.h"
#include "split/source/cpp_code.h"

namespace hone::split {
namespace {

using Recommendations = std::vector<const Recommendation*>;

std::string_view kindText(const Recommendation& one) {
  return one.oneD.heuristic.kind == model::ReductionKind::convolution ? "CONVOLUTION" : "MATMUL";
}

std::string_view roleName(const Recommendation& one, const FittedHeuristic& fitted) {
  return &fitted == &one.oneD ? "1-D" : "2-D";
}

/// Returns both fits, the recommended one first.
std::vector<const FittedHeuristic*> listFits(const Recommendation& one) {
  return {&one.taken(), one.takeTwoD ? &one.oneD : &one.twoD};
}

std::string constantsText(const Recommendation& one) {
  std::string text = fmt::format("FOR {} ({}):\n", kindText(one), functionName(one.oneD.heuristic));
  const bool same = one.oneD.heuristic.returns == one.twoD.heuristic.returns;
  for (const FittedHeuristic* fitted : listFits(one)) {
    if (!same) {
      text += fmt::format("  // for the {} code{}\n", roleName(one, *fitted),
                          fitted == &one.taken() ? " (recommended)" : "");
    }
    for (const std::string& line : earlyReturnCode(fitted->heuristic)) {
      text += line + "\n";
    }
    if (same) {
      break;
    }
  }
  return text + "\n";
}

/// Describes the regret: the excess of the predicted times over the best measured ones.
std::string regretText(std::string_view what, const Regret& regret) {
  if (regret.shapes == 0) {
    return "";
  }
  std::string text =
      fmt::format("  {}: {:.1f} % slower than the best measured, worst shape {:.2f}x", what,
                  100 * (regret.geomeanRatio - 1), regret.worstRatio);
  if (regret.improved + regret.neutral + regret.regressed > 0) {
    text += fmt::format("; vs baseline {:.2f}x: {} improved, {} neutral, {} regressed",
                        regret.speedup, regret.improved, regret.neutral, regret.regressed);
  }
  if (regret.unknown > 0) {
    text += fmt::format("; {} without a prediction", countText(regret.unknown, "shape"));
  }
  return text + "\n";
}

std::string ladderText(const Recommendation& one, const FittedHeuristic& fitted) {
  const bool twoD = &fitted == &one.twoD;
  std::string text = fmt::format("{}, by {}: {}{}\n", roleName(one, fitted),
                                 twoD ? "output size and reduction size" : "output size",
                                 countText(fitted.codeLines, "line"),
                                 &fitted == &one.taken() ? " (recommended)" : "");
  text += regretText("predicted in sample", fitted.inSample);
  text += regretText("predicted by cross-validation", fitted.crossValidated);
  text += "\n";
  for (const std::string& line : ladderCode(fitted.heuristic)) {
    text += line + "\n";
  }
  if (fitted.heuristic.form == SourceForm::chain) {
    text.insert(text.size() - 1, " else …");  // the compiler's own chain
  }
  return text + "\n";
}

/// Returns the function that contains the ladder.
std::string ladderFunction(const Heuristic& heuristic) {
  if (heuristic.form == SourceForm::chain) {
    return functionName(heuristic);
  }
  return heuristic.kind == model::ReductionKind::convolution ? "getConvolutionLimitParallelLoops"
                                                             : "getMatmulLimitParallelLoops";
}

std::string laddersText(const Recommendation& one) {
  std::string text =
      fmt::format("FOR {} ({}):\n\n", kindText(one), ladderFunction(one.oneD.heuristic));
  text += ladderText(one, one.oneD) + ladderText(one, one.twoD);
  text += fmt::format("Recommended: {}.\n", one.why);
  const Regret& taken = one.taken().inSample;
  if (taken.neutral + taken.regressed > 0 && taken.improved == 0) {
    text += "No shape is predicted to improve; keep the compiler's code.\n";
  }
  return text + "\n";
}

std::string formText(std::string_view title, const Recommendations& ofForm) {
  std::string text = fmt::format("{}\n\nA) Early Return Thresholds\n\n", title);
  for (const Recommendation* one : ofForm) {
    text += constantsText(*one);
  }
  text += "B) limitParallelLoops Logic\n\n";
  for (const Recommendation* one : ofForm) {
    text += laddersText(*one);
  }
  return text;
}

}  // namespace

std::string recommendationText(std::span<const Recommendation> recommendations) {
  Recommendations functions;
  Recommendations chain;
  for (const Recommendation& one : recommendations) {
    (one.oneD.heuristic.form == SourceForm::functions ? functions : chain).push_back(&one);
  }
  std::string text;
  if (!functions.empty()) {
    text += formText("For the current compiler, whose functions return the limit", functions);
  }
  if (!chain.empty()) {
    text += formText("For a compiler whose source has a chain `int64_t limitParallelLoops; if …`",
                     chain);
  }
  return text.empty() ? "No shape has a time for any limit; no recommendation.\n\n" : text;
}

}  // namespace hone::split

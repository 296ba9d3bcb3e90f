#include "kernel/judge/defence.h"

#include <array>
#include <utility>

namespace hone::kernel {
namespace {

using model::Outcome;

constexpr auto kDefenceNames =
    std::to_array<std::pair<Defence, std::string_view>>({{Defence::none, "nothing"},
                                                         {Defence::scan, "source scan"},
                                                         {Defence::compiler, "compiler"},
                                                         {Defence::symbols, "symbol table"},
                                                         {Defence::sandbox, "sandbox"},
                                                         {Defence::comparison, "comparison"},
                                                         {Defence::observation, "observation"},
                                                         {Defence::limits, "time limit"}});

}  // namespace

std::string_view nameOf(Defence defence) {
  for (const auto& [one, name] : kDefenceNames) {
    if (one == defence) {
      return name;
    }
  }
  return "unknown";
}

Defence findDefence(const JudgeResult& judged) {
  const std::string given = judged.facts.value(kDefence, "");
  for (const auto& [one, name] : kDefenceNames) {
    if (name == given) {
      return one;
    }
  }
  switch (judged.outcome) {
    case Outcome::ok:
      return Defence::none;
    case Outcome::compileFailed:
      return Defence::compiler;
    case Outcome::compileTimeout:
    case Outcome::runTimeout:
      return Defence::limits;
    case Outcome::runFailed:
      return Defence::sandbox;
    case Outcome::mismatch:
      return Defence::comparison;
    default:  // a kernel that the worker refused, or one that was seen cheating
      return judged.message.starts_with("kernel failed") ? Defence::sandbox : Defence::observation;
  }
}

}  // namespace hone::kernel

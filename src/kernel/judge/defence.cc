#include "kernel/judge/defence.h"

namespace hone::kernel {

using model::Outcome;

Defence findDefence(const JudgeResult& judged) {
  if (judged.facts.stoppedBy) {
    return *judged.facts.stoppedBy;
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

#include "tune/whole_program.h"

namespace hone::tune {

trial::Plan planFor(const WholeProgram& whole, const std::string& scope) {
  trial::Plan plan;
  plan.scope = whole.scope + scope;
  plan.programs = {whole.program};
  plan.inputs = whole.inputs;
  plan.otherInputs = whole.otherInputs;
  plan.flags = whole.flags;
  plan.seed = whole.seed;
  plan.compare.seed = whole.seed;
  plan.candidates = {{0, {"default", {}, {}}}};
  return plan;
}

}  // namespace hone::tune

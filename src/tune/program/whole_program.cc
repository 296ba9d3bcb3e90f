#include "tune/program/whole_program.h"

#include "base/file.h"

namespace hone::tune {

Result<InputSets> makeInputSets(const engine::Program& program,
                                const std::vector<std::string>& specs, std::uint64_t seed,
                                const std::filesystem::path& folder) {
  InputSets sets;
  HONE_CHECK(makeFolder(folder / "inputs"));
  HONE_CHECK(makeFolder(folder / "other-inputs"));
  sets.first = HONE_TRY(engine::makeInputs(program, specs, seed, folder / "inputs"));
  sets.other = HONE_TRY(
      engine::makeInputs(program, specs, seed + engine::kOtherSeed, folder / "other-inputs"));
  return sets;
}

iree::CompileRequest requestFor(const WholeProgram& whole, const std::vector<std::string>& flags) {
  iree::CompileRequest request{whole.program.source, whole.program.hash, flags, {}};
  request.from = whole.program.from;
  request.label = whole.program.fileName();
  return request;
}

engine::Plan planFor(const WholeProgram& whole, const std::string& scope) {
  engine::Plan plan;
  plan.scope = whole.scope + scope;
  plan.programs = {whole.program};
  plan.inputs = whole.inputs;
  plan.otherInputs = whole.otherInputs;
  plan.inputSpecs = whole.inputSpecs;
  plan.flags = whole.flags;
  plan.seed = whole.seed;
  plan.compare.seed = whole.seed;
  plan.candidates = {{0, {"default", {}, {}}}};
  return plan;
}

}  // namespace hone::tune

#include "engine/program.h"

#include "base/hash.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "verify/inputs.h"
#include "verify/tensor.h"

namespace hone::engine {
namespace {

using model::TensorType;

/// Returns true if a static type matches a function's type, which may have dynamic dimensions.
bool fits(const TensorType& given, std::string_view wanted) {
  const std::vector<std::string> parts = splitAt(wanted, 'x');
  if (parts.size() != given.shape.size() + 1 || parts.back() != model::nameOf(given.element)) {
    return false;
  }
  for (std::size_t i = 0; i < given.shape.size(); ++i) {
    if (parts[i] != "?" && parts[i] != std::to_string(given.shape[i])) {
      return false;
    }
  }
  return true;
}

std::string functionNames(const iree::ModuleDescription& functions) {
  std::vector<std::string> names;
  for (const iree::FunctionDescription& function : functions) {
    names.push_back(fmt::format("@{}", function.name));
  }
  return join(names, ", ");
}

Result<iree::FunctionDescription> selectFunction(const iree::ModuleDescription& functions,
                                                 const std::string& name,
                                                 const std::filesystem::path& source) {
  if (functions.empty()) {
    return userError("{} has no public function", source.string());
  }
  if (name.empty()) {
    if (functions.size() > 1) {
      return userError("{} has {} functions ({}); use --function to choose one", source.string(),
                       functions.size(), functionNames(functions));
    }
    return functions.front();
  }
  for (const iree::FunctionDescription& function : functions) {
    if (function.name == name) {
      return function;
    }
  }
  return userError("{}: no function @{}; found {}", source.string(), name,
                   functionNames(functions));
}

/// Returns the type of input `number`: that of the spec, checked against the function, or that of
/// the function.
Result<TensorType> inputType(const Program& program, std::size_t number, const std::string& spec) {
  const std::string_view wanted = model::insideTensor(program.inputTypes[number]);
  if (spec.empty()) {
    auto type = model::tensorTypeFromMlir(program.inputTypes[number]);
    if (!type) {
      return userError("input {} of @{} has type {}; use --input to provide it, as in --input {}",
                       number, program.function, program.inputTypes[number],
                       wanted.empty() ? "4" : "8x16xf32");
    }
    return *type;
  }
  TensorType given = HONE_TRY(model::tensorTypeFrom(spec));
  if (!wanted.empty() && !fits(given, wanted)) {
    return userError("input {}: @{} expects {}, got {}", number, program.function, wanted, spec);
  }
  return given;
}

}  // namespace

std::string Program::label() const {
  const std::string stem = source.stem().string();
  return stem == function ? stem : fmt::format("{}@{}", stem, function);
}

Program makeProgram(const model::Problem& problem, std::filesystem::path source,
                    std::string function) {
  Program program;
  program.source = std::move(source);
  program.function = std::move(function);
  program.problem = problem;
  for (const model::TensorType& type : operandTypes(problem)) {
    program.inputTypes.push_back(fmt::format("tensor<{}>", type.text()));
  }
  program.resultTypes.push_back(fmt::format("tensor<{}>", resultType(problem).text()));
  return program;
}

Result<Program> loadProgram(iree::Compiler& compiler, const std::filesystem::path& source,
                            const std::string& function, const std::vector<std::string>& flags) {
  Program program;
  program.source = std::filesystem::absolute(source);
  constexpr std::string_view kBytecode = "ML\xefR";
  auto contents = readTextFile(source);
  if (!contents && HONE_TRY(readFile(source)).starts_with(kBytecode)) {
    contents = readFile(source);
  }
  program.hash = hashBytes(HONE_TRY(std::move(contents)));
  const auto functions = HONE_TRY(compiler.describe({program.source, program.hash, flags, {}}));
  iree::FunctionDescription selected = HONE_TRY(selectFunction(functions, function, source));
  program.function = std::move(selected.name);
  program.inputTypes = std::move(selected.inputs);
  program.resultTypes = std::move(selected.results);
  program.from = std::move(selected.from);
  program.problem = selected.problem;
  return program;
}

Result<Inputs> makeInputs(const Program& program, const std::vector<std::string>& specs,
                          std::uint64_t seed, const std::filesystem::path& folder) {
  const std::size_t count = program.inputTypes.size();
  if (!specs.empty() && specs.size() != count) {
    return userError("@{} expects {} inputs ({}), got {} --input", program.function, count,
                     join(program.inputTypes, ", "), specs.size());
  }
  Inputs inputs;
  const auto values = program.problem ? verify::valuesFor(*program.problem) : verify::Values::reals;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string spec = specs.empty() ? "" : specs[i];
    const auto equals = spec.find('=');
    const bool scalar = model::insideTensor(program.inputTypes[i]).empty();
    if (scalar && !spec.empty()) {
      inputs.arguments.push_back(spec);
      continue;
    }
    const TensorType type = HONE_TRY(inputType(program, i, spec.substr(0, equals)));
    if (equals != std::string::npos) {
      inputs.arguments.push_back(spec);
      continue;
    }
    const std::filesystem::path file = folder / fmt::format("input{}.bin", i);
    inputs.tensors.push_back(verify::makeInput(type, values, seed, i));
    HONE_CHECK(verify::writeTensor(file, inputs.tensors.back()));
    inputs.arguments.push_back(fmt::format("{}=@{}", type.text(), file.string()));
  }
  if (inputs.tensors.size() != count) {
    inputs.tensors.clear();
  }
  return inputs;
}

}  // namespace hone::engine

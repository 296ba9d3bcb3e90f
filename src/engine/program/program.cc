#include "engine/program/program.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "engine/program/input_spec.h"
#include "engine/program/model_import.h"
#include "iree/mlir/mlir_file.h"
#include "iree/module/module_names.h"

namespace hone::engine {
namespace {

namespace fs = std::filesystem;

/// Returns true if a static type matches a function's type, which may have dynamic dimensions.
bool fits(const model::TensorType& given, std::string_view wanted) {
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
                                                 const std::string& name, const fs::path& source) {
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
    if (function.name == name || function.name == iree::bareName(name)) {
      return function;
    }
  }
  return userError("{}: no function @{}; found {}", source.string(), name,
                   functionNames(functions));
}

/// Returns true if IREE's tools take and return values of this type as they are.
bool isPlainType(std::string_view type) {
  const std::string_view inside = model::insideTensor(type);
  const std::string element = inside.empty() ? std::string(type) : splitAt(inside, 'x').back();
  return element == "index" || model::elementTypeFrom(element).has_value();
}

/// Returns true if the compiler must lower the module before its signatures can be read.
bool needsLowering(const iree::ModuleDescription& functions) {
  const auto isOther = [](const std::string& type) {
    return type.starts_with("!torch.") || (type.starts_with("tensor<") && !isPlainType(type));
  };
  return std::ranges::any_of(functions, [&](const iree::FunctionDescription& function) {
    return !iree::isBareName(function.name) || std::ranges::any_of(function.inputs, isOther) ||
           std::ranges::any_of(function.results, isOther);
  });
}

void adopt(iree::FunctionDescription selected, Program& program) {
  program.function = std::move(selected.name);
  program.inputTypes = std::move(selected.inputs);
  program.resultTypes = std::move(selected.results);
  program.from = std::move(selected.from);
  program.problem = selected.problem;
}

/// Lowers the program's source as the job specifies. Returns the compiler's report if that fails.
Result<std::optional<iree::CompileReport>> lower(iree::Compiler& compiler,
                                                 const std::vector<std::string>& flags,
                                                 const iree::LowerModuleJob& job,
                                                 Program& program) {
  auto lowered = HONE_TRY(
      compiler.jobs().run({.file = program.source, .hash = program.hash, .flags = flags}, job));
  if (!lowered.report.ok()) {
    return std::move(lowered.report);
  }
  program.source = std::move(lowered.file);
  program.hash = HONE_TRY(hashFile(program.source));
  return std::nullopt;
}

/// Returns the job that makes signatures readable.
iree::LowerModuleJob toInput() { return {.to = iree::kPhaseInput, .bareNames = true}; }

/// Reads the functions of a lowered program.
Result<iree::ModuleDescription> describeLowered(iree::Compiler& compiler,
                                                const std::vector<std::string>& flags,
                                                const Program& program,
                                                const char* phase = iree::kPhaseInput) {
  auto functions = HONE_TRY(compiler.describe({program.source, program.hash, flags, {}}));
  for (iree::FunctionDescription& function : functions) {
    function.from = phase;
  }
  return functions;
}

/// Fixes the dynamic dimensions of the inputs to the shapes that the user gives.
Result<void> fixShapes(iree::Compiler& compiler, const ProgramSource& source, Program& program) {
  const auto isDynamic = [](const std::string& type) { return type.contains('?'); };
  if (source.inputs.empty() || std::ranges::none_of(program.inputTypes, isDynamic) ||
      (program.from != iree::kPhaseStart && program.from != iree::kPhaseInput)) {
    return {};
  }
  const auto specs =
      HONE_TRY(assignSpecs(HONE_TRY(parseInputSpecs(source.inputs)), program.inputNames,
                           program.inputTypes, program.function));
  iree::LowerModuleJob job{.to = iree::kPhaseAbi, .bareNames = true, .function = program.function};
  std::vector<std::string> fixedTypes = program.inputTypes;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::vector<std::int64_t> shape;
    if (const auto type = HONE_TRY(specs[i].givenType());
        type && isDynamic(program.inputTypes[i])) {
      HONE_CHECK(checkInputType(program, i, *type));
      shape = type->shape;
      fixedTypes[i] = fmt::format("tensor<{}>", type->text());
    }
    job.shapes.push_back(std::move(shape));
  }
  program.file = program.file.empty() ? program.source : program.file;
  auto lowered = HONE_TRY(compiler.jobs().run(
      {.file = program.source, .hash = program.hash, .flags = source.flags, .from = program.from},
      job));
  if (!lowered.report.ok()) {
    return userError("{} does not compile with these shapes: {}", program.fileName(),
                     lowered.report.message);
  }
  program.source = std::move(lowered.file);
  program.hash = HONE_TRY(hashFile(program.source));
  const auto functions =
      HONE_TRY(describeLowered(compiler, source.flags, program, iree::kPhaseAbi));
  adopt(HONE_TRY(selectFunction(functions, program.function, source.file)), program);
  program.inputTypes = std::move(fixedTypes);  // the compiler drops the type of an unused input
  return {};
}

Result<void> addParameters(const std::vector<std::string>& parameters, Program& program) {
  for (const std::string& parameter : parameters) {
    const auto equals = parameter.find('=');
    const fs::path file =
        fs::absolute(equals == std::string::npos ? parameter : parameter.substr(equals + 1));
    if (std::error_code ignored; !fs::is_regular_file(file, ignored)) {
      return userError("--parameters {}: no file {}", parameter, file.string());
    }
    program.parameters.push_back(
        equals == std::string::npos
            ? file.string()
            : fmt::format("{}={}", parameter.substr(0, equals), file.string()));
  }
  return {};
}

/// Sets the ranges of integer inputs: the user's, or the rows of the table that it indexes.
Result<void> setRanges(const ProgramSource& source, const std::vector<iree::ModelValue>& values,
                       Program& program) {
  program.inputRanges.resize(program.inputTypes.size());
  for (std::size_t i = 0; i < std::min(values.size(), program.inputRanges.size()); ++i) {
    if (values[i].indexLimit) {
      program.inputRanges[i] = verify::IntegerBounds{0, *values[i].indexLimit};
    }
  }
  for (const auto& [name, range] : source.ranges) {
    const auto known = std::ranges::find(program.inputNames, name);
    const auto number = known == program.inputNames.end()
                            ? parseInt(name)
                            : std::optional<std::int64_t>(known - program.inputNames.begin());
    if (!number || *number < 0 || std::cmp_greater_equal(*number, program.inputRanges.size())) {
      return userError("--input-range {}: no such input; found {}", name,
                       program.inputNames.empty()
                           ? fmt::format("inputs 0 to {}", program.inputTypes.size() - 1)
                           : join(program.inputNames, ", "));
    }
    program.inputRanges[static_cast<std::size_t>(*number)] = range;
  }
  return {};
}

/// Returns the element type of a value; hone treats unsigned integers as signed ones.
std::optional<model::ElementType> elementType(const iree::ModelValue& value) {
  return model::elementTypeFrom(value.element.substr(value.element.starts_with("ui") ? 1 : 0));
}

/// Sets the types of inputs and results that the compiler passes on without looking at them, such
/// as an unused input: the model declares them.
void setDeclaredTypes(const iree::ImportedModel& model, Program& program) {
  constexpr std::string_view kUnknown = "!hal.buffer_view";
  for (std::size_t i = 0; i < std::min(model.inputs.size(), program.inputTypes.size()); ++i) {
    const iree::ModelValue& input = model.inputs[i];
    const auto element = elementType(input);
    if (program.inputTypes[i] == kUnknown && element) {
      program.inputTypes[i] =
          fmt::format("tensor<{}>", model::TensorType{input.shape, *element}.text());
    }
  }
  for (std::size_t i = 0; i < std::min(model.outputs.size(), program.resultTypes.size()); ++i) {
    const auto element = elementType(model.outputs[i]);
    if (program.resultTypes[i] == kUnknown && element) {
      program.resultTypes[i] = fmt::format("tensor<?x{}>", model::nameOf(*element));
    }
  }
}

Result<Program> loadModel(iree::Compiler& compiler, const ProgramSource& source) {
  Program program;
  program.file = fs::absolute(source.file);
  LoweredModel lowered = HONE_TRY(importAndLower(compiler, source));
  const iree::ImportedModel& model = lowered.model;
  program.source = std::move(lowered.module);
  program.hash = HONE_TRY(hashFile(program.source));
  auto functions = HONE_TRY(describeLowered(compiler, source.flags, program));
  adopt(HONE_TRY(selectFunction(functions, source.function, source.file)), program);
  setDeclaredTypes(model, program);
  program.model = model.model;
  for (const iree::ModelValue& input : model.inputs) {
    program.inputNames.push_back(input.name);
  }
  for (const iree::ModelValue& output : model.outputs) {
    program.resultNames.push_back(output.name);
  }
  program.dims = model.dims;
  program.chosenDims = model.chosen;
  program.imported = std::make_shared<const iree::ImportedModel>(model);
  if (!model.parameters.empty()) {
    program.parameters.push_back(
        fmt::format("{}={}", iree::kModelScope, model.parameters.string()));
  }
  HONE_CHECK(addParameters(source.parameters, program));
  HONE_CHECK(setRanges(source, model.inputs, program));
  return program;
}

}  // namespace

std::string Program::label() const {
  const std::string stem = (file.empty() ? source : file).stem().string();
  return stem == function || !model.empty() ? stem : fmt::format("{}@{}", stem, function);
}

std::string Program::fileName() const { return (file.empty() ? source : file).filename().string(); }

std::string Program::describeFailure(const std::string& message) const {
  return imported ? iree::nameNode(*imported, message) : message;
}

std::string Program::describeDims() const {
  std::vector<std::string> sizes;
  for (const auto& [name, size] : dims) {
    sizes.push_back(fmt::format("{}={}", name, size));
  }
  return join(sizes, ", ");
}

std::string describeInput(const Program& program, std::size_t number) {
  return number < program.inputNames.size() ? fmt::format("input {}", program.inputNames[number])
                                            : fmt::format("input {}", number);
}

Result<void> checkInputType(const Program& program, std::size_t number,
                            const model::TensorType& given) {
  const std::string_view wanted = model::insideTensor(program.inputTypes[number]);
  if (!wanted.empty() && !fits(given, wanted)) {
    return userError("{}: @{} expects {}, got {}", describeInput(program, number), program.function,
                     wanted, given.text());
  }
  return {};
}

Program makeProgram(const model::Problem& problem, fs::path source, std::string function) {
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

Result<Program> loadProgram(iree::Compiler& compiler, const ProgramSource& source) {
  if (iree::isOnnx(source.file)) {
    return loadModel(compiler, source);
  }
  Program program;
  program.source = fs::absolute(source.file);
  program.hash = hashBytes(HONE_TRY(iree::readMlirFile(source.file)));
  auto functions = HONE_TRY(compiler.describe({program.source, program.hash, source.flags, {}}));
  if (!functions.empty() && !functions.front().recursion.empty()) {
    return userError("{}: {}; IREE does not support recursion, use a loop such as scf.while",
                     source.file.string(), functions.front().recursion);
  }
  if (needsLowering(functions)) {
    program.file = program.source;
    if (const auto failed = HONE_TRY(lower(compiler, source.flags, toInput(), program))) {
      return userError("{} does not compile: {}", program.fileName(), failed->message);
    }
    functions = HONE_TRY(describeLowered(compiler, source.flags, program));
  }
  adopt(HONE_TRY(selectFunction(functions, source.function, source.file)), program);
  HONE_CHECK(fixShapes(compiler, source, program));
  if (!source.dims.empty()) {
    return userError(
        "--dim {}: dimensions of MLIR programs have no names; use --input to set "
        "shapes",
        source.dims.begin()->first);
  }
  HONE_CHECK(addParameters(source.parameters, program));
  HONE_CHECK(setRanges(source, {}, program));
  return program;
}

}  // namespace hone::engine

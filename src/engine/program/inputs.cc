#include "engine/program/inputs.h"

#include <cmath>

#include "base/text/text.h"
#include "engine/program/input_spec.h"
#include "verify/inputs.h"

namespace hone::engine {
namespace {

using model::ElementType;
using model::TensorType;

/// Returns the type of input `number`: that of the spec, checked against the function, or that of
/// the function.
Result<TensorType> inputType(const Program& program, std::size_t number, const InputSpec& spec) {
  const std::string_view wanted = model::insideTensor(program.inputTypes[number]);
  const auto given = HONE_TRY(spec.givenType());
  if (!given) {
    auto type = model::tensorTypeFromMlir(program.inputTypes[number]);
    if (!type) {
      return userError("{} of @{} has type {}; use --input to provide it, as in --input {}",
                       describeInput(program, number), program.function, program.inputTypes[number],
                       wanted.empty() ? "4" : "8x16xf32");
    }
    return *type;
  }
  HONE_CHECK(checkInputType(program, number, *given));
  return *given;
}

std::optional<verify::IntegerBounds> rangeFor(const Program& program, std::size_t number,
                                              ElementType element) {
  if (number < program.inputRanges.size() && program.inputRanges[number]) {
    return program.inputRanges[number];
  }
  const bool isIndex = element == ElementType::i64 || element == ElementType::i32;
  return isIndex && !program.problem ? std::optional(verify::IntegerBounds{0, 2}) : std::nullopt;
}

/// Creates the values of an input that the user did not provide.
verify::Tensor generate(const Program& program, std::size_t number, const TensorType& type,
                        std::uint64_t seed) {
  const auto range = rangeFor(program, number, type.element);
  if (range && !model::isFloat(type.element) && type.element != ElementType::i1) {
    return verify::makeIntegers(type, *range, seed, number);
  }
  const auto values = program.problem ? verify::valuesFor(*program.problem) : verify::Values::reals;
  return verify::makeInput(type, values, seed, number);
}

/// Returns the argument for a function's scalar parameter.
std::string scalarArgument(const Program& program, std::size_t number, const InputSpec& spec) {
  if (!spec.text.empty()) {
    return spec.name.empty() ? spec.text : spec.value;
  }
  const std::string& type = program.inputTypes[number];
  const auto element = type == "index" ? ElementType::i64 : model::elementTypeFrom(type);
  const auto range = element ? rangeFor(program, number, *element) : std::nullopt;
  if (number < program.inputRanges.size() && program.inputRanges[number] && range) {
    return std::to_string(range->low);
  }
  return element && model::isFloat(*element) ? "0.5" : "1";
}

bool isScalar(const std::string& type) {
  return type == "index" || model::elementTypeFrom(type).has_value();
}

/// Returns a tensor with the same value in every element, or the contents of a raw file; nothing if
/// the value is a list, which only IREE's tools read.
std::optional<verify::Tensor> readValue(const TensorType& type, const std::string& value) {
  if (value.starts_with('@')) {
    auto tensor = verify::readTensor(value.substr(1), type);
    return tensor ? std::optional(std::move(*tensor)) : std::nullopt;
  }
  const auto number = parseDouble(value);
  return number ? std::optional(verify::makeConstant(type, *number)) : std::nullopt;
}

}  // namespace

Result<Inputs> makeInputs(const Program& program, const std::vector<std::string>& specs,
                          std::uint64_t seed, const std::filesystem::path& folder) {
  const std::vector<InputSpec> assigned = HONE_TRY(assignSpecs(
      HONE_TRY(parseInputSpecs(specs)), program.inputNames, program.inputTypes, program.function));
  Inputs inputs;
  inputs.generated = true;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    const InputSpec& spec = assigned[i];
    const bool given = spec.tensor || !spec.value.empty();
    inputs.generated = inputs.generated && !given;
    if (isScalar(program.inputTypes[i])) {
      inputs.arguments.push_back(scalarArgument(program, i, spec));
      inputs.generated = false;
      continue;
    }
    const TensorType type = HONE_TRY(inputType(program, i, spec));
    if (!spec.value.empty()) {
      inputs.arguments.push_back(fmt::format("{}={}", type.text(), spec.value));
      if (auto tensor = readValue(type, spec.value)) {
        inputs.tensors.push_back(std::move(*tensor));
      }
      continue;
    }
    const std::filesystem::path file = folder / fmt::format("input{}.bin", i);
    inputs.tensors.push_back(spec.tensor ? *spec.tensor : generate(program, i, type, seed));
    HONE_CHECK(verify::writeTensor(file, inputs.tensors.back()));
    inputs.arguments.push_back(fmt::format("{}=@{}", type.text(), file.string()));
  }
  if (inputs.tensors.size() != program.inputTypes.size()) {
    inputs.tensors.clear();
  }
  return inputs;
}

}  // namespace hone::engine

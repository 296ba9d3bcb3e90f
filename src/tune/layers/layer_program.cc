#include "tune/layers/layer_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/hash.h"
#include "tune/layers/layer_code.h"
#include "tune/layers/layer_form.h"

namespace hone::tune {
namespace {

using iree::Body;
using iree::Loops;
using iree::Value;
using model::Layer;
using model::TensorType;

constexpr const char* kFunction = "main";

/// Returns "d0, d1, d2" for rank 3.
std::string dimNames(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i) {
    names.push_back(fmt::format("d{}", i));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Writes values between -1 and 1 that differ between neighbours.
Value writeValues(Body& body, const TensorType& type) {
  const std::size_t rank = type.shape.size();
  const std::string dims = dimNames(rank);
  const Loops loops{.names = dims, .maps = {dims}, .parallel = rank, .reduction = 0};
  const bool real = isFloat(type.element);
  const auto value = [&](const std::vector<std::string>& /*arguments*/) -> std::string {
    constexpr std::array kFactors = {7, 13, 29, 31, 37};
    std::vector<std::string> terms;
    std::vector<std::string> indices;
    for (std::size_t i = 0; i < rank; ++i) {
      body.line("  %i{0} = linalg.index {0} : index", i);
      terms.push_back(fmt::format("d{} * {}", i, kFactors[i % kFactors.size()]));
      indices.push_back(fmt::format("%i{}", i));
    }
    body.line("  %index = affine.apply affine_map<({}) -> (({}) mod 17 - 8)>({})", dims,
              fmt::join(terms, " + "), fmt::join(indices, ", "));
    if (!real) {
      body.line("  %value = arith.index_cast %index : index to {}", nameOf(type.element));
      return "%value";
    }
    body.line("  %integer = arith.index_cast %index : index to i32");
    body.line("  %number = arith.sitofp %integer : i32 to {}", nameOf(type.element));
    body.line("  %eighth = arith.constant 0.125 : {}", nameOf(type.element));
    body.line("  %value = arith.mulf %number, %eighth : {}", nameOf(type.element));
    return "%value";
  };
  return body.generic(loops, {}, body.empty(type), "", value);
}

/// Returns a global with the values of a constant operand.
std::string globalFor(const TensorType& type) {
  Body body("");
  const Value values = writeValues(body, type);
  return fmt::format(
      "util.global private @filter : {0}\nutil.initializer {{\n{1}"
      "  util.global.store {2}, @filter : {0}\n  util.return\n}}\n",
      values.text(), body.text(), values.name);
}

/// Applies an elementwise operation, which the compiler fuses as it does in a program.
Value writeActivation(Body& body, const Value& value) {
  const TensorType& type = value.type;
  const std::string dims = dimNames(type.shape.size());
  const Loops loops{
      .names = dims, .maps = {dims, dims}, .parallel = type.shape.size(), .reduction = 0};
  const std::string zero = body.zero(type.element);
  return body.generic(loops, {value}, body.empty(type), "",
                      [&](const std::vector<std::string>& arguments) -> std::string {
                        body.line("  %positive = arith.{} {}, {} : {}",
                                  isFloat(type.element) ? "maximumf" : "maxsi", arguments[0], zero,
                                  nameOf(type.element));
                        return "%positive";
                      });
}

/// Returns a program with the function @main of these images, with an activation of `result`.
std::string programAround(Body& body, const std::vector<Value>& images,
                          const std::optional<TensorType>& filter, const Value& result) {
  std::vector<std::string> arguments;
  for (const Value& image : images) {
    arguments.push_back(fmt::format("{}: {}", image.name, image.text()));
  }
  const Value last = writeActivation(body, result);
  return fmt::format("{}func.func @{}({}) -> {} {{\n{}  return {} : {}\n}}\n",
                     filter ? globalFor(*filter) : "", kFunction, fmt::join(arguments, ", "),
                     last.text(), body.text(), last.name, last.text());
}

Value loadFilter(Body& body, const TensorType& type) {
  return body.define(type, "util.global.load @filter : {}", iree::tensorText(type));
}

Result<engine::Program> writeProgram(const std::string& text, const std::filesystem::path& file,
                                     const std::vector<TensorType>& images,
                                     const TensorType& result) {
  engine::Program program;
  program.source = file;
  program.hash = hashBytes(text);
  program.function = kFunction;
  for (const TensorType& image : images) {
    program.inputTypes.push_back(iree::tensorText(image));
  }
  program.resultTypes = {iree::tensorText(result)};
  HONE_CHECK(writeFile(program.source, text));
  return program;
}

}  // namespace

std::string originalProgram(const Layer& layer) {
  Body body("");
  const Value image{"%arg0", layer.operands[0]};
  const Value filter = loadFilter(body, layer.operands[1]);
  const Value init = body.zeros(layer.result);
  std::vector<std::string> attributes;
  for (const auto& [name, value] : layer.attributes) {
    attributes.push_back(fmt::format("{} = {}", name, value));
  }
  const Value result =
      body.define(layer.result, "{} {{{}}} ins({}, {} : {}, {}) outs({} : {}) -> {}", layer.op,
                  fmt::join(attributes, ", "), image.name, filter.name, image.text(), filter.text(),
                  init.name, init.text(), init.text());
  return programAround(body, {image}, layer.operands[1], result);
}

std::string layerProgram(const Layer& layer, const Way& way) {
  const LayerCore core = describeCore(layer);
  Body body("");
  std::vector<Value> images;
  for (const TensorType& type : core.images) {
    images.push_back({fmt::format("%arg{}", images.size()), type});
  }
  std::optional<Value> other;
  if (core.other) {
    other = loadFilter(body, *core.other);
  }
  return programAround(body, images, core.other, writeCore(body, layer, way, images, other));
}

Result<engine::Program> writeLayerProgram(const Layer& layer, const Way& way,
                                          const std::filesystem::path& folder) {
  std::string name = nameOf(way);
  std::replace(name.begin(), name.end(), ' ', '_');
  const LayerCore core = describeCore(layer);
  return writeProgram(layerProgram(layer, way), folder / fmt::format("{}.mlir", name), core.images,
                      core.result);
}

Result<engine::Program> writeOriginalProgram(const Layer& layer,
                                             const std::filesystem::path& folder) {
  return writeProgram(originalProgram(layer), folder / "original.mlir", {layer.operands[0]},
                      layer.result);
}

}  // namespace hone::tune

#include "iree/mlir/mlir_body.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace hone::iree {
namespace {

using model::ElementType;
using model::TensorType;

/// Returns a reassociation such as "[[0], [1, 2], [3]]": the split dimensions per merged dimension.
std::string reassociation(std::size_t joinedRank, std::size_t dim) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < joinedRank; ++i) {
    const std::size_t first = i <= dim ? i : i + 1;
    parts.push_back(i == dim ? fmt::format("[{}, {}]", first, first + 1)
                             : fmt::format("[{}]", first));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// Returns "d0, d1, d2" for rank 3.
std::string identityLoops(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rank; ++i) {
    names.push_back(fmt::format("d{}", i));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string tensorText(const TensorType& type) { return fmt::format("tensor<{}>", type.text()); }

std::string Body::rootAttributes(std::string_view own) const {
  const std::string_view between = own.empty() || rootAttributes_.empty() ? "" : ", ";
  return fmt::format("{}{}{}", own, between, rootAttributes_);
}

std::string Body::constant(std::string_view name, std::string_view value, ElementType element) {
  std::string full = fmt::format("%{}_{}", name, nameOf(element));
  if (!text_.contains(full + " =")) {
    line("{} = arith.constant {} : {}", full, value, nameOf(element));
  }
  return full;
}

std::string Body::zero(ElementType element) {
  return constant("zero", isFloat(element) ? "0.0" : "0", element);
}

Value Body::empty(const TensorType& type) {
  return define(type, "tensor.empty() : {}", tensorText(type));
}

Value Body::zeros(const TensorType& type) {
  const std::string scalar = zero(type.element);
  const Value into = empty(type);
  return define(type, "linalg.fill ins({} : {}) outs({} : {}) -> {}", scalar, nameOf(type.element),
                into.name, into.text(), into.text());
}

Value Body::named(std::string_view operation, std::string_view attributes, const Value& lhs,
                  const Value& rhs, const TensorType& result) {
  const Value sum = zeros(result);
  const std::string all = rootAttributes(attributes);
  return define(result, "{} {}ins({}, {} : {}, {}) outs({} : {}) -> {}", operation,
                all.empty() ? "" : fmt::format("{{{}}} ", all), lhs.name, rhs.name, lhs.text(),
                rhs.text(), sum.name, sum.text(), sum.text());
}

std::string Body::converted(const std::string& operand, ElementType from, ElementType to) {
  if (from == to) {
    return operand;
  }
  if (isFloat(from) && isFloat(to) && byteWidth(from) == byteWidth(to)) {
    return converted(converted(operand, from, ElementType::f32), ElementType::f32, to);
  }
  const bool wider = byteWidth(to) > byteWidth(from);
  std::string_view cast = wider ? "arith.extsi" : "arith.trunci";
  if (isFloat(from) && isFloat(to)) {
    cast = wider ? "arith.extf" : "arith.truncf";
  } else if (isFloat(to)) {
    cast = "arith.sitofp";
  } else if (isFloat(from)) {
    cast = "arith.fptosi";
  }
  line("  {}_cast = {} {} : {} to {}", operand, cast, operand, nameOf(from), nameOf(to));
  return operand + "_cast";
}

Value Body::contraction(const Loops& loops, const Value& lhs, const Value& rhs,
                        const TensorType& result) {
  return accumulate(loops, lhs, rhs, zeros(result));
}

Value Body::accumulate(const Loops& loops, const Value& lhs, const Value& rhs, const Value& init) {
  const ElementType to = init.type.element;
  const auto multiplyAdd = [&](const std::vector<std::string>& arguments) -> std::string {
    const std::string left = converted(arguments[0], lhs.type.element, to);
    const std::string right = converted(arguments[1], rhs.type.element, to);
    const char suffix = isFloat(to) ? 'f' : 'i';
    line("  %product = arith.mul{} {}, {} : {}", suffix, left, right, nameOf(to));
    line("  %sum = arith.add{} {}, %product : {}", suffix, arguments[2], nameOf(to));
    return "%sum";
  };
  return generic(loops, {lhs, rhs}, init, rootAttributes(loops.attributes), multiplyAdd);
}

Value Body::generic(const Loops& loops, const std::vector<Value>& inputs, const Value& init,
                    std::string_view attributes, const Region& region) {
  std::vector<std::string> maps;
  for (const std::string& map : loops.maps) {
    maps.push_back(fmt::format("affine_map<({}) -> ({})>", loops.names, map));
  }
  std::vector<std::string> iterators(loops.parallel, "\"parallel\"");
  iterators.insert(iterators.end(), loops.reduction, "\"reduction\"");
  std::vector<std::string> names;
  std::vector<std::string> types;
  std::vector<std::string> arguments;
  std::vector<std::string> typedArguments;
  for (const Value& input : inputs) {
    names.push_back(input.name);
    types.push_back(input.text());
    arguments.push_back(fmt::format("%in{}", arguments.size()));
    typedArguments.push_back(fmt::format("{}: {}", arguments.back(), nameOf(input.type.element)));
  }
  const auto element = nameOf(init.type.element);
  arguments.emplace_back("%old");
  typedArguments.push_back(fmt::format("%old: {}", element));
  const std::string ins =
      inputs.empty() ? ""
                     : fmt::format("ins({} : {}) ", fmt::join(names, ", "), fmt::join(types, ", "));
  const Value out =
      define(init.type,
             "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} {}outs({} : {}){} {{",
             fmt::join(maps, ", "), fmt::join(iterators, ", "), ins, init.name, init.text(),
             attributes.empty() ? "" : fmt::format(" attrs = {{{}}}", attributes));
  line("^bb0({}):", fmt::join(typedArguments, ", "));
  const std::string yielded = region(arguments);
  line("  linalg.yield {} : {}", yielded, element);
  line("}} -> {}", init.text());
  return out;
}

Value Body::pad(const Value& image, const std::vector<std::int64_t>& low,
                const std::vector<std::int64_t>& high) {
  TensorType type = image.type;
  std::vector<std::string> indices;
  for (std::size_t dim = 0; dim < type.shape.size(); ++dim) {
    type.shape[dim] += low[dim] + high[dim];
    indices.push_back(fmt::format("%i{}: index", dim));
  }
  if (type == image.type) {
    return image;
  }
  const std::string scalar = zero(type.element);
  const Value padded = define(type, "tensor.pad {} low[{}] high[{}] {{", image.name,
                              fmt::join(low, ", "), fmt::join(high, ", "));
  line("^bb0({}):", fmt::join(indices, ", "));
  line("  tensor.yield {} : {}", scalar, nameOf(type.element));
  line("}} : {} to {}", image.text(), padded.text());
  return padded;
}

Value Body::expand(const Value& value, std::size_t dim, std::int64_t groups) {
  TensorType type = value.type;
  const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
  *at /= groups;
  type.shape.insert(at, groups);
  return define(type, "tensor.expand_shape {} {} output_shape [{}] : {} into {}", value.name,
                reassociation(value.type.shape.size(), dim), fmt::join(type.shape, ", "),
                value.text(), tensorText(type));
}

Value Body::collapse(const Value& value, std::size_t dim) {
  TensorType type = value.type;
  const auto at = type.shape.begin() + static_cast<std::ptrdiff_t>(dim);
  *(at + 1) *= *at;
  type.shape.erase(at);
  return define(type, "tensor.collapse_shape {} {} : {} into {}", value.name,
                reassociation(type.shape.size(), dim), value.text(), tensorText(type));
}

Value Body::slice(const Value& value, const std::vector<std::int64_t>& offsets,
                  const std::vector<std::int64_t>& sizes) {
  return slice(value, offsets, sizes, std::vector<std::int64_t>(sizes.size(), 1));
}

Value Body::slice(const Value& value, const std::vector<std::int64_t>& offsets,
                  const std::vector<std::int64_t>& sizes,
                  const std::vector<std::int64_t>& strides) {
  if (sizes == value.type.shape) {
    return value;
  }
  const TensorType type{sizes, value.type.element};
  return define(type, "tensor.extract_slice {}[{}] [{}] [{}] : {} to {}", value.name,
                fmt::join(offsets, ", "), fmt::join(sizes, ", "), fmt::join(strides, ", "),
                value.text(), tensorText(type));
}

Value Body::transpose(const Value& value, const std::vector<std::size_t>& permutation) {
  TensorType type = value.type;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    type.shape[i] = value.type.shape[permutation[i]];
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) {
    return value;
  }
  const Value into = empty(type);
  return define(type, "linalg.transpose ins({} : {}) outs({} : {}) permutation = [{}]", value.name,
                value.text(), into.name, into.text(), fmt::join(permutation, ", "));
}

Value Body::scatter(const Value& value, const TensorType& into,
                    const std::vector<std::int64_t>& offsets,
                    const std::vector<std::int64_t>& strides) {
  const Value zero = zeros(into);
  return define(into, "tensor.insert_slice {} into {}[{}] [{}] [{}] : {} into {}", value.name,
                zero.name, fmt::join(offsets, ", "), fmt::join(value.type.shape, ", "),
                fmt::join(strides, ", "), value.text(), zero.text());
}

Value Body::reverse(const Value& value, std::size_t first, std::size_t count) {
  const std::vector<std::int64_t>& shape = value.type.shape;
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                  [](std::int64_t size) { return size == 1; })) {
    return value;
  }
  const std::string loops = identityLoops(shape.size());
  const auto element = [&](const std::vector<std::string>& /*arguments*/) -> std::string {
    std::vector<std::string> indices;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      line("  %at{} = linalg.index {} : index", dim, dim);
      indices.push_back(fmt::format("%at{}", dim));
      if (dim >= first && dim < first + count) {
        line("  %last{} = arith.constant {} : index", dim, shape[dim] - 1);
        line("  %from{} = arith.subi %last{}, %at{} : index", dim, dim, dim);
        indices.back() = fmt::format("%from{}", dim);
      }
    }
    line("  %element = tensor.extract {}[{}] : {}", value.name, fmt::join(indices, ", "),
         value.text());
    return "%element";
  };
  const Loops all{.names = loops, .maps = {loops}, .parallel = shape.size(), .reduction = 0};
  return generic(all, {}, empty(value.type), "", element);
}

}  // namespace hone::iree

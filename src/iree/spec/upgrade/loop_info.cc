#include "iree/spec/upgrade/loop_info.h"

#include <algorithm>
#include <utility>

#include "iree/mlir/affine_map.h"
#include "iree/module/module_spec.h"

namespace hone::iree {
namespace {

using LoopList = std::vector<std::int64_t>;

/// Returns the number of dimensions of "affine_map<(d0, d1) -> (d0)>".
std::size_t dimensionCount(const std::string& map) {
  const auto open = map.find('(');
  const auto close = map.find(')');
  if (open == std::string::npos || close == std::string::npos || close <= open + 1) {
    return 0;
  }
  return 1 + static_cast<std::size_t>(std::count(map.begin() + static_cast<std::ptrdiff_t>(open),
                                                 map.begin() + static_cast<std::ptrdiff_t>(close),
                                                 ','));
}

std::set<std::int64_t> loopsInMap(const std::string& map) {
  std::set<std::int64_t> loops;
  for (const AffineIndex& index : affineIndices(map)) {
    for (const std::size_t loop : index.loops) {
      loops.insert(static_cast<std::int64_t>(loop));
    }
  }
  return loops;
}

/// Returns the loops of each role of a contraction, from the maps of its operands.
std::vector<LoopRole> contractionRoles(const OperationForm& form, std::size_t count) {
  const auto lhs = loopsInMap(form.maps[0]);
  const auto rhs = loopsInMap(form.maps[1]);
  const auto out = loopsInMap(form.maps[2]);
  std::vector<LoopRole> roles;
  for (const std::string_view name : kContractionSizes) {
    roles.push_back({.name = std::string(name), .loops = {}, .sizes = {}, .sized = false});
  }
  for (std::int64_t loop = 0; std::cmp_less(loop, count); ++loop) {
    const bool a = lhs.contains(loop);
    const bool b = rhs.contains(loop);
    const std::size_t role = !out.contains(loop) ? 3 : a && b ? 0 : a ? 1 : 2;
    roles[role].loops.push_back(loop);
  }
  return roles;
}

/// Returns the roles with their loops; a structure matcher states only sizes.
std::vector<LoopRole> rolesWithLoops(const OperationForm& form) {
  const bool known =
      std::ranges::any_of(form.roles, [](const LoopRole& role) { return !role.loops.empty(); });
  if (known || form.kind != "contraction" || form.maps.size() != 3) {
    return form.roles;
  }
  return contractionRoles(form, dimensionCount(form.maps[0]));
}

/// Returns the sizes of the loops, as far as the shapes of the operands state them.
LoopList loopSizes(const OperationForm& form, std::size_t count) {
  LoopList sizes(count, -1);
  for (std::size_t i = 0; i < std::min(form.maps.size(), form.operands.size()); ++i) {
    const auto indices = affineIndices(form.maps[i]);
    const auto& shape = form.operands[i].shape;
    for (std::size_t at = 0; at < std::min(indices.size(), shape.size()); ++at) {
      if (indices[at].only && *indices[at].only < count && shape[at] >= 0) {
        sizes[*indices[at].only] = shape[at];
      }
    }
  }
  for (const LoopRole& role : form.roles) {
    for (std::size_t i = 0; i < std::min(role.loops.size(), role.sizes.size()); ++i) {
      if (role.sizes[i] >= 0 && std::cmp_less(role.loops[i], count)) {
        sizes[static_cast<std::size_t>(role.loops[i])] = role.sizes[i];
      }
    }
  }
  return sizes;
}

LoopList loopsWithRole(const std::vector<LoopRole>& roles, std::string_view name) {
  const auto found = std::ranges::find(roles, name, &LoopRole::name);
  return found == roles.end() ? LoopList() : found->loops;
}

}  // namespace

LoopInfo findLoops(const OperationForm& form) {
  LoopInfo info;
  if (form.maps.empty()) {
    return info;
  }
  info.count = dimensionCount(form.maps.front());
  const auto roles = rolesWithLoops(form);
  const bool convolution = form.kind == "convolution";
  info.m = loopsWithRole(roles, convolution ? "output_image" : "m");
  info.n = loopsWithRole(roles, convolution ? "output_channel" : "n");
  info.k1 = loopsWithRole(roles, "k1");
  info.sizes = loopSizes(form, info.count);
  // The output is the last operand, except of an online attention.
  const std::size_t output =
      form.kind == "attention" && form.maps.size() > 5 ? 4 : form.maps.size() - 1;
  const auto parallel = loopsInMap(form.maps[output]);
  for (std::int64_t loop = 0; std::cmp_less(loop, info.count); ++loop) {
    if (!parallel.contains(loop)) {
      info.reductions.insert(loop);
    }
  }
  return info;
}

std::vector<std::int64_t> correspondingLoops(const OperationForm& from, const OperationForm& to) {
  if (from.maps.empty() || to.maps.empty()) {
    return {};
  }
  const std::size_t count = dimensionCount(from.maps.front());
  if (dimensionCount(to.maps.front()) != count) {
    return {};
  }
  LoopList mapping(count, -1);
  const auto theirs = rolesWithLoops(to);
  for (const LoopRole& role : rolesWithLoops(from)) {
    const LoopList target = loopsWithRole(theirs, role.name);
    if (target.size() != role.loops.size()) {
      return {};
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
      mapping[static_cast<std::size_t>(role.loops[i])] = target[i];
    }
  }
  return std::ranges::count(mapping, -1) > 0 ? LoopList() : mapping;
}

}  // namespace hone::iree

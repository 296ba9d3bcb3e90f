#include "iree/spec/upgrade/loop_order.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "iree/mlir/attribute_text.h"

namespace hone::iree {
namespace {

/// Moves the values of a list per loop; returns false if it has another length.
bool reorderList(AttributeText& list, const std::vector<std::int64_t>& mapping) {
  if (list.kind != AttributeText::Kind::list || list.members.size() != mapping.size()) {
    return false;
  }
  auto moved = list.members;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    moved[static_cast<std::size_t>(mapping[i])] = list.members[i];
  }
  list.members = std::move(moved);
  return true;
}

/// Reorders one member of a lowering configuration; returns false if it cannot be reordered.
bool reorderMember(const std::string& name, AttributeText& member,
                   const std::vector<std::int64_t>& mapping) {
  constexpr std::array<std::string_view, 13> kPerLoop = {"workgroup",
                                                         "reduction",
                                                         "partial_reduction",
                                                         "subgroup",
                                                         "thread",
                                                         "padding",
                                                         "distribution",
                                                         "cache_parallel",
                                                         "cache_reduction",
                                                         "serial",
                                                         "vector_common_parallel",
                                                         "vector_reduction",
                                                         "vector_inner_parallel"};
  if (std::ranges::count(kPerLoop, name) > 0) {
    return reorderList(member, mapping);
  }
  if (name == "subgroup_basis" || name == "lane_basis") {
    // The second list maps loops to counts; only this list follows the order of the loops.
    return member.members.size() == 2 && reorderList(member.members[1].value, mapping);
  }
  if (name == "tile_sizes") {
    return std::ranges::all_of(member.members,
                               [&](auto& level) { return reorderList(level.value, mapping); });
  }
  return true;
}

}  // namespace

ConfigUpgrade reorderLoops(std::string_view text, const std::vector<std::int64_t>& mapping) {
  ConfigUpgrade result;
  std::vector<std::int64_t> same(mapping.size());
  std::iota(same.begin(), same.end(), 0);
  if (mapping == same) {
    result.text = text;
    return result;
  }
  auto attribute = parseAttribute(text);
  AttributeText* lowering = attribute ? attribute->find("lowering_config") : nullptr;
  if (lowering == nullptr) {
    result.failure = "its configuration has no lowering_config";
    return result;
  }
  AttributeText* dictionary = lowering->findDictionary();
  for (auto& [name, member] : (dictionary == nullptr ? *lowering : *dictionary).members) {
    if (!reorderMember(name, member, mapping)) {
      result.failure =
          fmt::format("{} = {} does not have one value per loop", name, member.print());
      return result;
    }
  }
  result.changes.push_back(
      fmt::format("loops 0 to {} are loops {} now", mapping.size() - 1, fmt::join(mapping, ", ")));
  result.text = attribute->print();
  return result;
}

}  // namespace hone::iree

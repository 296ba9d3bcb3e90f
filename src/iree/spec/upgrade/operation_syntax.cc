#include "iree/spec/upgrade/operation_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "iree/mlir/mlir_scan.h"

namespace hone::iree {
namespace {

/// A named operation that is another one with indexing maps now.
struct RenamedOperation {
  std::string_view before;
  std::string_view now;
  std::string_view maps;
};
constexpr std::array<RenamedOperation, 6> kRenamed = {{
    {"linalg.matmul_transpose_a", "linalg.matmul",
     "[affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, "
     "affine_map<(d0, d1, d2) -> (d0, d1)>]"},
    {"linalg.matmul_transpose_b", "linalg.matmul",
     "[affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, "
     "affine_map<(d0, d1, d2) -> (d0, d1)>]"},
    {"linalg.batch_matmul_transpose_a", "linalg.batch_matmul",
     "[affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, "
     "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]"},
    {"linalg.batch_matmul_transpose_b", "linalg.batch_matmul",
     "[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, "
     "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]"},
    {"tensor.pack", "linalg.pack", ""},
    {"tensor.unpack", "linalg.unpack", ""},
}};

/// Operations whose properties are written in angle brackets now.
constexpr std::array<std::string_view, 3> kWithProperties = {
    "iree_linalg_ext.attention", "iree_linalg_ext.online_attention", "iree_linalg_ext.custom_op"};

/// Operations of earlier versions without a successor.
constexpr std::array<std::string_view, 6> kRemoved = {
    "transform.iree.set_contraction_layout_attributes", "transform.iree.match_callback",
    "transform.iree.register_match_callbacks",          "transform.iree.take_first",
    "transform.iree.test_vector_layout_analysis",       "transform.iree.distribute_multi_mma"};

void note(OperationUpgrade& result, std::string change) {
  if (std::ranges::count(result.changes, change) == 0) {
    result.changes.push_back(std::move(change));
  }
}

void renameOperations(OperationUpgrade& result) {
  for (const RenamedOperation& one : kRenamed) {
    const std::string now = one.maps.empty()
                                ? std::string(one.now)
                                : fmt::format("{} indexing_maps = {}", one.now, one.maps);
    for (auto at = findWord(result.text, one.before); at != kNoPosition;
         at = findWord(result.text, one.before, at + now.size())) {
      result.text.replace(at, one.before.size(), now);
      note(result, fmt::format("{} is {}{} now", one.before, one.now,
                               one.maps.empty() ? "" : " with indexing maps"));
    }
  }
}

void bracketProperties(OperationUpgrade& result) {
  for (const std::string_view name : kWithProperties) {
    for (auto at = findWord(result.text, name); at != kNoPosition;
         at = findWord(result.text, name, at + name.size())) {
      const std::size_t open = skipBlanks(result.text, at + name.size());
      const std::size_t end = open < result.text.size() && result.text[open] == '{'
                                  ? closingPosition(result.text, open)
                                  : kNoPosition;
      if (end != kNoPosition) {
        result.text.insert(end, ">");
        result.text.insert(open, "<");
        note(result, fmt::format("the properties of {} are in angle brackets now", name));
      }
    }
  }
}

/// Removes transform.print, which has no effect on matching.
void dropPrints(OperationUpgrade& result) {
  constexpr std::string_view kPrint = "transform.print";
  for (auto at = findWord(result.text, kPrint); at != kNoPosition;
       at = findWord(result.text, kPrint)) {
    const std::size_t end = std::min(result.text.find('\n', at), result.text.size());
    result.text.erase(at, end - at);
    note(result, "transform.print is dropped");
  }
}

/// Writes "transform.get_parent_op %a {…} : types" in the generic form, which has properties.
void rewriteParentOps(OperationUpgrade& result) {
  constexpr std::string_view kParent = "transform.get_parent_op";
  for (auto at = findWord(result.text, kParent); at != kNoPosition;
       at = findWord(result.text, kParent, at + kParent.size())) {
    const std::size_t open = result.text.find_first_of("{:", at);
    if (open == kNoPosition || result.text[open] != '{') {
      continue;
    }
    const std::size_t end = closingPosition(result.text, open);
    if (end == kNoPosition) {
      return;
    }
    const std::string operand(trim(
        std::string_view(result.text).substr(at + kParent.size(), open - at - kParent.size())));
    const std::string generic =
        fmt::format("\"{}\"({}) <{}>", kParent, operand, result.text.substr(open, end - open));
    result.text.replace(at, end - at, generic);
    at += generic.size() - kParent.size();
    note(result, "transform.get_parent_op has properties now");
  }
}

}  // namespace

OperationUpgrade upgradeOperations(std::string text) {
  OperationUpgrade result{.text = std::move(text), .changes = {}};
  renameOperations(result);
  bracketProperties(result);
  dropPrints(result);
  rewriteParentOps(result);
  return result;
}

std::string_view removedOperation(std::string_view text) {
  const auto found = std::ranges::find_if(
      kRemoved, [&](std::string_view name) { return findWord(text, name) != kNoPosition; });
  return found == kRemoved.end() ? std::string_view() : *found;
}

}  // namespace hone::iree

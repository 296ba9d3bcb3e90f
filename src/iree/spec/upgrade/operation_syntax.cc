#include "iree/spec/upgrade/operation_syntax.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "iree/mlir/mlir_scan.h"
#include "iree/mlir/named_products.h"

namespace hone::iree {
namespace {

/// An operation that moved to another dialect.
struct MovedOperation {
  std::string_view before;
  std::string_view now;
};
constexpr std::array<MovedOperation, 2> kMoved = {{
    {"tensor.pack", "linalg.pack"},
    {"tensor.unpack", "linalg.unpack"},
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

/// Replaces an operation. Returns true if the text had it.
bool replaceOperation(std::string& text, std::string_view before, std::string_view now) {
  bool found = false;
  for (auto at = findWord(text, before); at != kNoPosition;
       at = findWord(text, before, at + now.size())) {
    text.replace(at, before.size(), now);
    found = true;
  }
  return found;
}

void renameOperations(OperationUpgrade& result) {
  for (const NamedProduct& product : namedProducts()) {
    if (product.name != product.current &&
        replaceOperation(result.text, product.name,
                         fmt::format("{} indexing_maps = [{}]", product.current,
                                     fmt::join(product.maps, ", ")))) {
      note(result, fmt::format("{} is {} with indexing maps now", product.name, product.current));
    }
  }
  for (const MovedOperation& one : kMoved) {
    if (replaceOperation(result.text, one.before, one.now)) {
      note(result, fmt::format("{} is {} now", one.before, one.now));
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
